import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadProtocol, render, type Method, type PlannedFile, type Protocol } from '../../generator/index.js';
import openrpc from '../../generator/plugins/openrpc.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import { testUnless } from '../support/skip.js';
import { itemsOf, shareOfToday, skipReason } from '../support/today.js';

type Schema = Readonly<Record<string, unknown>>;

const require = createRequire(import.meta.url);
const { openrpcDocument } = require('@open-rpc/meta-schema') as { openrpcDocument: Schema };
const { default: draft07 } = require('@json-schema-tools/meta-schema') as { default: Schema };

interface OpenRpc {
  readonly openrpc: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly methods: readonly {
    readonly name: string;
    readonly deprecated?: boolean;
    readonly paramStructure: string;
    readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: Schema }[];
    readonly result?: { readonly schema: Schema };
    readonly errors?: readonly { readonly $ref: string }[];
    readonly 'x-direction': string;
    readonly 'x-params'?: Schema;
  }[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly errors: Readonly<Record<string, unknown>>;
  };
}

function withoutDialect({ $schema: _dialect, ...schema }: Schema): Schema {
  return schema;
}

function compileMetaSchema(): ValidateFunction {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  // OpenRPC refers to it with and without the slash, and both name a dialect that only they have.
  for (const $id of ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/'])
    ajv.addSchema({ ...withoutDialect(draft07), $id });
  return ajv.compile(withoutDialect(openrpcDocument));
}

function resultsOf({ results, taskResult }: Method): readonly string[] {
  return [...results, ...(taskResult === undefined ? [] : [taskResult])];
}

/** Tests the documents of revisions. */
export function testOpenRpc(revisions: readonly (typeof REVISIONS)[number][]): void {
  /** The meta-schema of OpenRPC 1.3.2, with that of JSON Schema which it refers to. */
  function metaSchemaErrors(document: unknown): unknown {
    isDocument ??= compileMetaSchema();
    return isDocument(document) ? [] : isDocument.errors;
  }

  let isDocument: ValidateFunction | undefined;

  describe.each(revisions)('the OpenRPC document of $revision', ({ revision, definitions }) => {
    let protocol: Protocol;
    let files: readonly PlannedFile[];
    let document: OpenRpc;
    beforeAll(async () => {
      protocol = await loadProtocol({ revision });
      files = await render(protocol, 'out', { emit: ['types'], plugins: [openrpc] });
      document = JSON.parse(files.find(({ path }) => path === `${revision}/openrpc.json`)?.contents ?? '') as OpenRpc;
    });

    test('is valid by the meta-schema of OpenRPC', () => {
      expect(metaSchemaErrors(document)).toEqual([]);
      expect(document).toMatchObject({
        openrpc: '1.3.2',
        info: { title: 'Model Context Protocol', version: revision },
      });
      // The meta-schema decides: it finds what is wrong.
      expect(metaSchemaErrors({ ...document, openrpc: '9' })).not.toEqual([]);
      expect(metaSchemaErrors({ ...document, methods: [{ ...document.methods[0], extra: 1 }] })).not.toEqual([]);
      expect(metaSchemaErrors({ ...document, components: { schemas: { A: { type: 'text' } } } })).not.toEqual([]);
    });

    test('has every method with its parameters, result, errors and direction', () => {
      expect(document.methods.map(({ name }) => name)).toEqual(protocol.methods.map(({ name }) => name));
      for (const [index, method] of protocol.methods.entries()) {
        const described = document.methods[index];
        expect(described).toMatchObject({ paramStructure: 'by-name', 'x-direction': method.direction });
        expect(described?.deprecated).toBe(method.deprecated === undefined ? undefined : true);
        expect(described?.result === undefined).toBe(method.kind === 'notification');
        expect(described?.errors?.length ?? 0).toBe(method.kind === 'request' ? protocol.errors.length : 0);
        expect(JSON.stringify(described?.result ?? '').match(/schemas\/\w+/g) ?? []).toEqual(
          resultsOf(method).map((name) => `schemas/${name}`),
        );
      }
      const call = document.methods.find(({ name }) => name === 'tools/call');
      expect(call?.params.map(({ name, required }) => [name, required])).toContainEqual(['name', true]);
      expect(call?.params.map(({ name, required }) => [name, required])).toContainEqual(['arguments', false]);
    });

    test('refers only to what it has', () => {
      const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
      expect(references.length).toBeGreaterThan(100);
      const components = document.components as unknown as Readonly<Record<string, object>>;
      const missing = references.filter(
        ([, group = '', name = '']) => !Object.hasOwn(components[group] ?? {}, decodeURIComponent(name)),
      );
      expect(missing).toEqual([]);
      expect(JSON.stringify(document).match(/"\$ref":"(?!#\/components)/g)).toBeNull();
    });

    // Each revision has its day, since `json-schema.test.ts` compares the same schemas.
    const share = shareOfToday(5);
    const isToday = itemsOf(REVISIONS, share).some((item) => item.revision === revision);

    testUnless(skipReason(isToday, share))('has schemas that accept what the official ones accept', () => {
      const ajv = new Ajv({ strict: false, validateFormats: false, ownProperties: true, code: { optimize: false } });
      ajv.addSchema({ $id: 'doc', ...document });
      const official = correctedDefinitions(revision);
      const expected = oracleOf(official);
      const names = Object.keys(document.components.schemas);
      expect(names).toHaveLength(definitions);
      const different = names.filter((name) => {
        const validate = ajv.getSchema(`doc#/components/schemas/${encodeURIComponent(name)}`);
        const sampler = new SchemaSampler({ $ref: `#/$defs/${name}`, $defs: official }, 3);
        return Array.from({ length: 6 }, () => sampler.next()).some(
          (value) => validate?.(value) !== expected(name)(value),
        );
      });
      expect(different).toEqual([]);
    });

    test('accepts the parameters one by one that it accepts together', () => {
      const ajv = new Ajv({ strict: false, validateFormats: false, ownProperties: true, code: { optimize: false } });
      ajv.addSchema({ $id: 'doc', ...document });
      const ofPart = (schema: Schema): Schema =>
        JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components')) as Schema;
      let checked = 0;
      for (const { params, 'x-params': whole } of document.methods) {
        if (whole === undefined) continue;
        const together = ajv.compile(ofPart(whole));
        const each = new Map(params.map(({ name, schema }) => [name, ajv.compile(ofPart(schema))]));
        const sampler = new SchemaSampler({ ...whole, components: document.components } as never, 5);
        for (let index = 0; index < 20; index += 1) {
          const value = sampler.next();
          if (!together(value) || typeof value !== 'object' || value === null) continue;
          checked += 1;
          for (const { name, required } of params) {
            expect(!required || Object.hasOwn(value, name)).toBe(true);
            if (Object.hasOwn(value, name))
              expect(each.get(name)?.((value as Record<string, unknown>)[name])).toBe(true);
          }
        }
      }
      expect(checked).toBeGreaterThan(50);
    });
  });
}
