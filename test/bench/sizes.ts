/** Sizes of what users ship and of what is written, which are the same on every machine. */
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { renderAll } from '../../generator/index.js';
import { REVISIONS } from '../support/revisions.js';
import { built } from './pairs.js';
import type { Bench, SizeRow, SizeSuite } from './suite.js';
import { prepareTools } from './tools.js';
import { prepare } from './validators.js';
import { REVISION } from './validators-worker.js';

/** Bytes of a program in TypeScript or JavaScript, minified and gzipped. */
export async function bundledBytes(contents: string, resolveDir: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    external: ['node:*'],
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length;
}

const file = (module: string): string => JSON.stringify(new URL(built(module)).pathname);
const INFO = `{ name: 'x', version: '1.0.0' }`;

/** Programs whose bundles are measured, with the modules of `dist/generated`. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  'classify alone': `export { classify } from ${file(`${REVISION}/guards`)};`,
  'isTool alone': `export { isTool } from ${file(`${REVISION}/validators`)};`,
  'validateTool alone': `export { validateTool } from ${file(`${REVISION}/validators`)};`,
  'client over a transport': `import { createClient } from ${file(`${REVISION}/client`)}; export const client = createClient({ info: ${INFO} });`,
  'server over stdio': `import { createServer } from ${file(`${REVISION}/server`)}; import { stdioServerTransport } from ${file('runtime/stdio-server')};
await createServer({ info: ${INFO}, handlers: { 'tools/call': () => ({ content: [] }) } }).connect(stdioServerTransport());`,
  'server of both kinds over HTTP (fetch)': `import { createServer } from ${file('2026-07-28/server')}; import { serverRevision as latest } from ${file('2026-07-28/revision')};
import { serverRevision as older } from ${file(`${REVISION}/revision`)}; import { createHttpHandler } from ${file('runtime/http-server')};
export default createHttpHandler({ server: createServer({ info: ${INFO}, revisions: [latest, older], handlers: {} }) });`,
};

/** All guards and validators of a revision, without assertions, formats and leniency. */
export async function checksOf(revision: string): Promise<string> {
  const names = Object.keys((await import(built(`${revision}/validators`))) as object);
  const both = names.filter((name) => /^(?:is|validate)[A-Z]/.test(name));
  return `export * from ${file(`${revision}/guards`)}; export { ${both.join(', ')} } from ${file(`${revision}/validators`)};`;
}

const PEERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'isTool alone': {
    'Ajv standalone': `import tool from './ajv-tool.cjs'; export default tool;`,
    'Zod of SDK v1': `export { ToolSchema } from '@modelcontextprotocol/sdk/types.js';`,
    'Zod of SDK v2': `export { ToolSchema } from '@modelcontextprotocol/core';`,
  },
  'client over a transport': {
    'SDK v1': `import { Client } from '@modelcontextprotocol/sdk/client/index.js'; export const client = new Client(${INFO});`,
    'SDK v2': `import { Client } from '@modelcontextprotocol/client'; export const client = new Client(${INFO});`,
  },
  'server over stdio': {
    'SDK v1': `import { Server } from '@modelcontextprotocol/sdk/server/index.js'; import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new Server(${INFO}, { capabilities: { tools: {} } }); await server.connect(new StdioServerTransport());`,
    'SDK v2': `import { Server } from '@modelcontextprotocol/server'; import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
const server = new Server(${INFO}, { capabilities: { tools: {} } }); await server.connect(new StdioServerTransport());`,
  },
};

/** Bytes of all files that default options write, by revision; `runtime` is shared. */
export async function outputBytes(): Promise<Readonly<Record<string, number>>> {
  const { files } = await renderAll({ out: 'out' });
  const sums: Record<string, number> = {};
  for (const { path: name, contents } of files) {
    const [folder = ''] = name.split('/');
    sums[folder] = (sums[folder] ?? 0) + Buffer.byteLength(contents);
  }
  return sums;
}

export const sizes: SizeSuite = {
  name: 'sizes',
  title: 'Sizes',
  about: 'Programs bundled and minified by esbuild, gzipped. The same in every run, so without rounds.',
  measure: async ({ scratch }: Bench) => {
    await prepare(scratch);
    const rows: SizeRow[] = [];
    const bytes = (contents: string): Promise<number> => bundledBytes(contents, scratch);
    for (const { revision } of REVISIONS)
      rows.push({
        title: `all guards and validators, ${revision}`,
        unit: 'bytes',
        ours: await bytes(await checksOf(revision)),
        peers:
          revision === REVISION
            ? {
                'Ajv standalone': await bytes(`import all from './ajv.cjs'; export default all;`),
                'Zod of SDK v1': await bytes(`export * from '@modelcontextprotocol/sdk/types.js';`),
                'Zod of SDK v2': await bytes(`export * from '@modelcontextprotocol/core';`),
              }
            : {},
      });
    for (const [title, program] of Object.entries(PROGRAMS)) {
      const peers: Record<string, number> = {};
      for (const [name, contents] of Object.entries(PEERS[title] ?? {})) peers[name] = await bytes(contents);
      rows.push({ title, unit: 'bytes', ours: await bytes(program), peers });
    }
    const folder = mkdtempSync(path.join(scratch, 'tools-'));
    const { files } = await prepareTools(folder);
    const entry = (name: string): string => `export * from ${JSON.stringify(pathToFileURL(name).pathname)};`;
    rows.push({
      title: 'validators of six tools',
      unit: 'bytes',
      ours: await bytes(entry(files.ours)),
      peers: { 'Ajv standalone': await bytes(`import all from ${JSON.stringify(files.ajv)}; export default all;`) },
    });
    return rows;
  },
};
