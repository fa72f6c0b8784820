import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acpPackage, ACP_REVISIONS, generateAcp, type AcpRevision } from './acp.js';

const root = path.resolve(import.meta.dirname, '../..');

let generated: Awaited<ReturnType<typeof generateAcp>>;
beforeAll(async () => {
  generated = await generateAcp({ emit: ['client', 'server', 'errors', 'stdio'] });
});
afterAll(() => {
  generated.remove();
});

const STRICT = (
  '--noEmit --pretty false --strict --target es2022 --module nodenext --verbatimModuleSyntax --isolatedModules ' +
  '--exactOptionalPropertyTypes --noUncheckedIndexedAccess --noPropertyAccessFromIndexSignature --noImplicitOverride ' +
  '--noUnusedLocals --noUnusedParameters --allowImportingTsExtensions --skipLibCheck'
).split(' ');

/** What a compiler prints; nothing if it finds no error. */
async function tsc(compiler: string, args: readonly string[]): Promise<string> {
  const bin = path.join(root, 'node_modules', compiler, 'bin/tsc');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      // TypeScript 7 refuses files on the command line next to a tsconfig.json, which is that of the repository here.
      [bin, ...STRICT, ...(compiler === 'typescript-7' ? ['--ignoreConfig'] : []), ...args],
      { cwd: generated.out, maxBuffer: 1e8 },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`;
        resolve(error !== null && output === '' ? error.message : output);
      },
    );
  });
}

const indexes = ACP_REVISIONS.flatMap((revision) => [`${revision}/index.ts`]);

test('the output compiles under the strictest flags, in TypeScript 5.4 and 7', async () => {
  const found = await Promise.all([
    tsc('typescript-5.4', indexes),
    tsc('typescript-7', ['--erasableSyntaxOnly', ...indexes]),
  ]);
  expect(found).toEqual(['', '']);
});

test('the output imports nothing of MCP', () => {
  const index = readFileSync(path.join(generated.out, 'v1/index.ts'), 'utf8');
  expect(index.match(/from ["'](.*)["']/g)).toHaveLength(9);
  for (const file of ['client', 'agent', 'revision', 'methods', 'messages', 'guards', 'errors']) {
    // The command in the header has the names of parts.
    const text = readFileSync(path.join(generated.out, 'v1', `${file}.ts`), 'utf8').replaceAll(/^\/\/.*/gm, '');
    expect(text).not.toMatch(/\bMCP\b|Model Context|runtime\/(?:server|client|protocol)/);
    // The schema of ACP itself describes a standard error with the word.
    expect(text.replace('Invalid JSON was received by the server.', '')).not.toMatch(/\bserver\b/);
  }
});

/**
 * Version 2 marks variants that the package does not know with a private symbol, which no value can have outside the
 * package. The comparison is with the same declarations without that mark.
 */
const BRAND = /= T & \{\s*readonly \[unknownVariant\]: true;\s*\};/;

const DEFINITIONS: Readonly<Record<AcpRevision, number>> = { v1: 178, v2: 197 };

test.each(ACP_REVISIONS)('all types of %s are mutually assignable with those of the package', async (revision) => {
  const declarations = readFileSync(path.join(acpPackage, 'dist', revision, 'schema/types.gen.d.ts'), 'utf8');
  mkdirSync(path.join(generated.out, 'theirs'), { recursive: true });
  generated.write(`theirs/${revision}.d.ts`, declarations.replace(BRAND, '= T;'));
  const theirs = new Set([...declarations.matchAll(/^export type (\w+)/gm)].map(([, name]) => name ?? ''));
  const types = readFileSync(path.join(generated.out, revision, 'types.ts'), 'utf8');
  const names = [...types.matchAll(/^export type (\w+)/gm)]
    .map(([, name]) => name ?? '')
    .filter((name) => theirs.has(name));
  expect(names).toHaveLength(DEFINITIONS[revision]);
  // The one type without a definition is the mark itself.
  expect([...theirs].filter((name) => !names.includes(name))).toEqual(revision === 'v1' ? [] : ['UnknownVariant']);
  const check = (suffix: string, extra = ''): string =>
    generated.write(
      `same-${revision}${suffix}.ts`,
      `import type * as Ours from "./${revision}/types.ts";
import type * as Theirs from "./theirs/${revision}.js";
type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "theirs is wider") : "theirs is narrower";
${names.map((name) => `export const ${name}: Both<Ours.${name}, Theirs.${name}> = true;`).join('\n')}
${extra}`,
    );
  expect(await tsc('typescript-7', [check('')])).toBe('');
  // A comparison that finds nothing proves nothing if it would not find a difference.
  const fault = check('-fault', 'export const fault: Both<Ours.SessionId, Theirs.InitializeRequest> = true;\n');
  expect(await tsc('typescript-7', [fault])).toContain('error TS2322');
});

test('handlers, params and results are typed', async () => {
  const program = (handler: string, call: string): string => `import { createAgent } from "./v1/agent.ts";
import { createClient } from "./v1/client.ts";
import { memoryPair } from "./runtime/peer.ts";
const agent = createAgent({ handlers: { "session/new": () => (${handler}) } });
const client = createClient({ handlers: {}, notifications: { "session/update": ({ update }) => { update.sessionUpdate satisfies string; } } });
const [one, other] = memoryPair();
await agent.connect(one);
const connection = await client.connect(other);
const { sessionId } = await connection.newSession(${call});
sessionId satisfies string;
`;
  const right = generated.write('right.ts', program('{ sessionId: "s1" }', '{ cwd: "/", mcpServers: [] }'));
  expect(await tsc('typescript-7', [right])).toBe('');
  const wrong = generated.write('wrong.ts', program('{ session: "s1" }', '{ cwd: 1, mcpServers: [] }'));
  expect((await tsc('typescript-7', [wrong])).match(/error TS2322/g)).toHaveLength(2);
});
