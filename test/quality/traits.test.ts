import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { builtinCatalogs, builtinRevisions, builtinSchema } from '../../generator/read/builtin/revisions.js';

const root = path.resolve(import.meta.dirname, '../..');

/** The pipeline from a schema to files, without the reports of commands about MCP itself. */
const PIPELINE = ['read', 'model', 'emit', 'print', 'output', 'plugin-host', 'plugins'].map(
  (name) => `generator/${name}`,
);
/** The files that connect the folders of the pipeline. */
const STEPS = ['generate', 'render', 'render-options', 'command-line', 'plugin', 'errors', 'paths', 'text'];
const REPORTS = /^generator\/print\/(?:check-server|diff|findings|inspect)\//;

/** Files about tools, which only MCP has. */
const TOOLS = /^generator\/(?:emit\/tools\/|model\/(?:diff\/)?tools\.ts)/;

/**
 * Strings that are names of MCP, but no knowledge of it.
 *
 * - `Request`, `Notification` and `Result` are words of JSON-RPC, parts of the names of types.
 * - `JSONRPCMessage` is the definition by which batches are recognized when a catalog is derived.
 * - `resultType` is in the list of members that often distinguish variants, next to `type` and `kind`.
 */
const EXCEPTIONS: ReadonlySet<string> = new Set(['JSONRPCMessage', 'Notification', 'Request', 'Result', 'resultType']);

/** Names of MCP: its methods, definitions, and the members that only its rules know. */
function namesOfMcp(): ReadonlySet<string> {
  const names = builtinRevisions().flatMap(({ revision }) => Object.keys(builtinSchema(revision)['$defs'] as object));
  const methods = builtinCatalogs().flatMap((catalog) => catalog.methods.map(({ method }) => method));
  const members = ['_meta', 'progressToken', 'inputResponses', 'requestState', 'resultType', 'nextCursor', 'ttlMs'];
  return new Set([...names, ...methods, ...members, 'cacheScope', 'input_required', 'inputRequests']);
}

/** The string literals of a file, with the constant texts of templates. */
function stringsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const folders = PIPELINE.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/'))),
).filter((file) => !REPORTS.test(file) && !TOOLS.test(file));
const files = [...folders, ...STEPS.map((name) => `generator/${name}.ts`)];

test('the pipeline from a schema to files has no name of MCP in its code', () => {
  const names = namesOfMcp();
  const found = files.flatMap((file) =>
    stringsOf(file)
      .filter((text) => (names.has(text) && !EXCEPTIONS.has(text)) || /\bMCP\b|Model Context|mcp\b/.test(text))
      .map((text) => `${file}: ${JSON.stringify(text.slice(0, 80))}`),
  );
  expect(found).toEqual([]);
  // A list that is empty because nothing is read would prove nothing.
  expect(names.size).toBeGreaterThan(200);
  expect(files.length).toBeGreaterThan(120);
});

test('every exception is needed', () => {
  const used = new Set(files.flatMap(stringsOf));
  expect([...EXCEPTIONS].filter((name) => !used.has(name))).toEqual([]);
});
