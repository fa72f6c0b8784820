import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILE = path.join(ROOT, 'generated/hover.ts');

/** Where the hover text of members is read: between the braces after each marker. */
const SOURCE = `import { createServer, type ServerContext } from './2025-11-25/server.js';
import { definePrompt, defineResource, defineResourceTemplate, defineTool, toolHandlers } from './runtime/registry.js';

export const tool = defineTool({
  name: 'x',
  title: 'X',
  description: '',
  annotations: { title: '', readOnlyHint: true, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: undefined as never,
  output: undefined as never,
  applyDefaults: false,
  run: (_args, context) => {
    const { id, method, revision, client, signal, state, extra, progress, log, notify, requireInput } = context;
    const { info, capabilities } = client;
    const { elicitation, sampling, roots, tasks, extensions, experimental } = capabilities;
    return { content: [], isError: false, structuredContent: {} };
  },
});
export const typed = defineTool({
  name: 'y',
  run: (_args, context: ServerContext) => {
    const { id, method, revision, client, signal, state, extra, progress, log, notify, requireInput, request } = context;
    const { sampling, elicitation, roots } = context;
    return '';
  },
});
export const resource = defineResource({ uri: 'x:1', size: 1, name: 'x', title: '', description: '', mimeType: '', annotations: { audience: [], priority: 1, lastModified: '' }, read: () => '' });
export const template = defineResourceTemplate({ uriTemplate: 'x:{id}', name: 'x', title: '', description: '', mimeType: '', complete: {}, list: () => [], read: () => '' });
export const prompt = definePrompt({ name: 'p', title: '', description: '', arguments: [{ name: 'a', title: '', description: '', required: true }], complete: {}, render: () => '' });
export const server = createServer({ info: { name: 'x', version: '1' }, instructions: '', capabilities: {}, handlers: toolHandlers([tool]), notifications: {}, validateParams: true, strictLifecycle: true, requestState: {}, maxSubscribedResources: 1, onEvent: () => undefined, exposeErrors: false, timeout: 1, maxConcurrentRequests: 1, revisions: [] });
server.notify('notifications/tools/list_changed');
`;

/** Names whose hover text is that of the protocol's own types, or of the example. */
const NOT_OURS = new Set(['version', '_args']);

function languageService(): ts.LanguageService {
  return ts.createLanguageService({
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === FILE ? SOURCE : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      types: [],
    }),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (name) => name === FILE || ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
  });
}

interface Named {
  readonly name: string;
  readonly line: number;
  readonly text: string;
}

/** The hover text of each property and each destructured member in the source. */
function hoverTexts(): readonly Named[] {
  const service = languageService();
  const source = service.getProgram()?.getSourceFile(FILE);
  if (source === undefined) throw new Error('the source was not read');
  const found: Named[] = [];
  const visit = (node: ts.Node): void => {
    const name =
      ts.isPropertyAssignment(node) || ts.isBindingElement(node)
        ? node.name
        : ts.isPropertyAccessExpression(node)
          ? node.name
          : undefined;
    // The compiler infers the type of prompt arguments from the literal, and so knows no text for its members.
    const isInferred = name !== undefined && ts.isArrayLiteralExpression(node.parent.parent);
    if (name !== undefined && ts.isIdentifier(name) && !NOT_OURS.has(name.text) && !isInferred) {
      const at = name.getStart(source);
      const line = source.getLineAndCharacterOfPosition(at).line + 1;
      const text = ts.displayPartsToString(service.getQuickInfoAtPosition(FILE, at)?.documentation);
      found.push({ name: name.text, line, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const ALL = hoverTexts();

describe('the hover text', () => {
  test.each(ALL.map(({ name, line, text }) => [name, line, text] as const))(
    'of %s in line %i',
    (_name, _line, text) => {
      expect(text).toMatch(/\w+ .*\w/);
    },
  );

  test('of requireInput describes both kinds of revision', () => {
    const texts = ALL.filter(({ name }) => name === 'requireInput').map(({ text }) => text);
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      expect(text).toContain('each request is sent to the client, and the call');
      expect(text).toContain('the first call ends the handler');
      expect(text).toContain('Do not catch what it throws');
    }
  });
});
