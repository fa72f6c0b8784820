import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateApps, REVISIONS, root, type Generated } from './apps.js';

let generated: Generated;
beforeAll(async () => {
  generated = await generateApps({ emit: ['client', 'server', 'errors', 'registry'] });
});
afterAll(() => {
  generated.remove();
});

const STRICT = (
  '--noEmit --pretty false --strict --target es2022 --module nodenext --verbatimModuleSyntax --isolatedModules ' +
  '--exactOptionalPropertyTypes --noUncheckedIndexedAccess --noPropertyAccessFromIndexSignature --noImplicitOverride ' +
  '--noUnusedLocals --noUnusedParameters --allowImportingTsExtensions --skipLibCheck --types node'
).split(' ');

/** The official SDK adds undefined to optional members. */
const COMPARED = ['--exactOptionalPropertyTypes', 'false'];

/** What the compiler prints; nothing if it finds no error. */
async function tsc(...options: readonly string[]): Promise<string> {
  const bin = path.join(root, 'node_modules/typescript-7/bin/tsc');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [bin, '--ignoreConfig', ...STRICT, ...options],
      { cwd: generated.out, maxBuffer: 1e8 },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`;
        resolve(error !== null && output === '' ? error.message : output);
      },
    );
  });
}

test('the output compiles under the strictest flags', async () => {
  expect(await tsc('ui/index.ts', ...REVISIONS.map((revision) => `${revision}/index.ts`))).toBe('');
});

/** The package has all CSS variables as required members that may be undefined, which JSON does not have. */
const STYLES = 'contains McpUiStyles';

/** The types that differ from those of the package, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  McpUiStyles: STYLES,
  McpUiHostStyles: STYLES,
  McpUiHostContext: STYLES,
  McpUiHostContextChangedNotification: STYLES,
  McpUiInitializeResult: STYLES,
  McpUiToolResultNotification: 'the official SDK allows any structuredContent, the revision 2025-11-25 only objects',
};

/** The names of types of the package and of one generated file. */
function sharedTypes(file: string): readonly string[] {
  const declarations = path.join(root, 'node_modules/@modelcontextprotocol/ext-apps/dist/src/spec.types.d.ts');
  const names = (text: string): readonly string[] =>
    [...text.matchAll(/^export (?:type|interface) (McpUi\w+)/gm)].map(([, name]) => name ?? '');
  const own = new Set(names(readFileSync(path.join(generated.out, file), 'utf8')));
  return names(readFileSync(declarations, 'utf8')).filter((name) => own.has(name));
}

function comparison(folder: string, names: readonly string[]): string {
  return `import type * as Ours from "./${folder}/types.ts";
import type * as Theirs from "@modelcontextprotocol/ext-apps/app-bridge";
type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "theirs is wider") : "theirs is narrower";
${names.map((name) => `export const ${name}: Both<Ours.${name}, Theirs.${name}> = true;`).join('\n')}
`;
}

test('all types of view and host are mutually assignable with those of the package', async () => {
  const names = sharedTypes('ui/types.ts').filter((name) => !Object.hasOwn(EXCEPTIONS, name));
  expect(names.length + Object.keys(EXCEPTIONS).length).toBe(35);
  expect(await tsc(...COMPARED, generated.write('same-view.ts', comparison('ui', names)))).toBe('');
  // A comparison that finds nothing proves nothing if it would not find a difference.
  const fault = `${comparison('ui', [])}export const fault: Both<Ours.McpUiTheme, Theirs.McpUiDisplayMode> = true;\n`;
  expect(await tsc(generated.write('fault.ts', fault))).toContain('error TS2322');
});

test.each(REVISIONS)('all types that the extension adds to %s are those of the package', async (revision) => {
  const names = sharedTypes(`${revision}/types.ts`);
  expect(names).toHaveLength(6);
  expect(await tsc(...COMPARED, generated.write(`same-${revision}.ts`, comparison(revision, names)))).toBe('');
});

test.each(REVISIONS)('_meta.ui of tools and resources is typed in %s', async (revision) => {
  const program = (
    visibility: string,
    border: string,
  ): string => `import type { Tool, Resource } from "./${revision}/types.ts";
export const tool: Tool = { name: "a", inputSchema: { type: "object" }, _meta: { ui: { resourceUri: "ui://a", visibility: ["${visibility}"] }, "com.example/x": 1 } };
export const resource: Resource = { name: "a", uri: "ui://a", _meta: { ui: { prefersBorder: ${border} } } };
`;
  expect(await tsc(generated.write(`right-${revision}.ts`, program('app', 'true')))).toBe('');
  const wrong = await tsc(generated.write(`wrong-${revision}.ts`, program('user', '"yes"')));
  expect(wrong.match(/error TS/g)).toHaveLength(2);
});
