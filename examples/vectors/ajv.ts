/**
 * Adapter over the official schemas with Ajv: `mcpgen vectors run -- npx tsx examples/vectors/ajv.ts`. A schema does not say
 * how bytes become messages, so vectors of framing are skipped.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { answerVectors, memberOf, type Answer, type AdapterRequest, type JsonValue } from './adapter.js';

interface Definition {
  readonly properties?: { readonly method?: { readonly const?: string } };
}

/** One revision of the official schema. */
class OfficialSchema {
  readonly #ajv = new Ajv2020({ validateFormats: false, strict: false, ownProperties: true });
  readonly #definitions: Readonly<Record<string, Definition>>;

  constructor(revision: string) {
    const file = new URL(`../../schema/${revision}/schema.json`, import.meta.url);
    const schema = JSON.parse(readFileSync(file, 'utf8')) as { readonly $defs: Readonly<Record<string, Definition>> };
    this.#definitions = schema.$defs;
    this.#ajv.addSchema({ ...schema, $id: 'mcp' });
  }

  check(name: string, value: JsonValue, place = ''): Answer {
    if (!Object.hasOwn(this.#definitions, name)) return { skip: `no definition ${name}` };
    const validate = this.#ajv.getSchema(`mcp#/$defs/${encodeURIComponent(name)}`) as ValidateFunction;
    if (validate(value)) return { valid: true };
    const [error] = validate.errors ?? [];
    const missing = error?.keyword === 'required' ? `/${String(error.params['missingProperty'])}` : '';
    return { valid: false, pointer: `${place}${error?.instancePath ?? ''}${missing}` };
  }

  /** The name of a result by the method of its request: `CallToolResult` of `tools/call`. */
  resultOf(method: string): string {
    const request = Object.keys(this.#definitions).find(
      (name) => name.endsWith('Request') && this.#definitions[name]?.properties?.method?.const === method,
    );
    const result = `${request?.slice(0, -'Request'.length) ?? ''}Result`;
    return Object.hasOwn(this.#definitions, result) ? result : 'EmptyResult';
  }

  checkMessage({ message, sender, answers }: AdapterRequest & { kind: 'message' }): Answer {
    const envelope = this.check('JSONRPCMessage', message);
    if ('valid' in envelope && !envelope.valid) return envelope;
    if (answers !== undefined) {
      const result = memberOf(message, 'result');
      return result === undefined ? envelope : this.check(this.resultOf(answers), result, '/result');
    }
    const kind = memberOf(message, 'id') === undefined ? 'Notification' : 'Request';
    return this.check(`${sender === 'client' ? 'Client' : 'Server'}${kind}`, message);
  }
}

const schemas = new Map<string, OfficialSchema>();

await answerVectors((request) => {
  if (request.kind === 'framing') return { skip: 'a schema reads no bytes' };
  const schema = schemas.get(request.revision) ?? new OfficialSchema(request.revision);
  schemas.set(request.revision, schema);
  return request.kind === 'definition' ? schema.check(request.definition, request.value) : schema.checkMessage(request);
});
