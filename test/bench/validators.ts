/** Speed of guards and validators. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { loadProtocol, render } from '../../generator/index.js';
import { correctedDefinitions } from '../support/oracle.js';
import type { Suite } from './suite.js';
import { CONTENDERS, CORPORA, REVISION } from './validators-worker.js';

const FLOOR = 'JSON.parse';

export const validators: Suite = {
  name: 'validators',
  title: 'Guards and validators',
  about:
    'Processor time for a message of 2025-11-25 that is parsed already; the messages are those of a short session, without and with a list of 20 tools. The floor is JSON.parse of the same texts.',
  columns: Object.keys(CORPORA).map((title) => ({ title, unit: 'ns' })),
  races: [
    {
      title: 'deep validation, the definition is known',
      floor: FLOOR,
      ours: 'deep validateX',
      peers: ['Ajv, compiled', 'Ajv, standalone code', 'Zod of SDK v1', 'Zod of SDK v2', 'Zod of --emit zod'],
      aims: [{ speed: 40 }, undefined],
    },
    { title: 'the same as a guard', floor: FLOOR, ours: 'deep isX', peers: ['Ajv, compiled'] },
    {
      title: 'whole messages by method',
      floor: FLOOR,
      ours: 'whole messages by method',
      peers: [],
      aims: [{ speed: 25 }, undefined],
    },
    { title: 'classify', floor: FLOOR, ours: 'classify', peers: ['by hand, the same checks'] },
    {
      title: 'isRequest, isNotification or isResponse',
      floor: FLOOR,
      ours: 'isRequest, isNotification or isResponse',
      peers: ['isJSONRPCRequest of SDK v1', 'isJSONRPCRequest of SDK v2'],
    },
  ],
  contenders: async (bench) => {
    await prepare(bench.scratch);
    return Object.fromEntries(
      Object.keys(CONTENDERS).map((name) => [name, () => bench.measure('checks', { name, scratch: bench.scratch })]),
    );
  },
};

/** Writes what has to be generated before it can be measured. */
export async function prepare(scratch: string): Promise<void> {
  const definitions = correctedDefinitions(REVISION);
  const schema = { $id: 'protocol', $defs: definitions };
  writeFileSync(path.join(scratch, 'schema.json'), JSON.stringify(schema));
  for (const [file, names] of [
    ['ajv.cjs', Object.keys(definitions)],
    ['ajv-tool.cjs', ['Tool']],
  ] as const) {
    const ajv = new Ajv2020({
      validateFormats: false,
      strict: false,
      ownProperties: true,
      code: { source: true },
      schemas: [schema],
    });
    const references = Object.fromEntries(names.map((name) => [name, `protocol#/$defs/${name}`]));
    writeFileSync(path.join(scratch, file), standaloneCode.default(ajv, references));
  }
  const out = path.join(scratch, 'zod');
  for (const file of await render(await loadProtocol({ revision: REVISION }), out, { emit: ['zod'] })) {
    mkdirSync(path.dirname(path.join(out, file.path)), { recursive: true });
    writeFileSync(path.join(out, file.path), file.contents);
  }
  await build({
    entryPoints: [path.join(out, REVISION, 'zod.ts')],
    outfile: path.join(scratch, 'zod.mjs'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
}
