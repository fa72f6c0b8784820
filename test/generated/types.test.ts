import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { REVISIONS } from '../support/revisions.js';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(import.meta.dirname, 'types');
const revisions = REVISIONS.map(({ revision }) => revision);

const config = ts.getParsedCommandLineOfConfigFile(path.join(root, 'tsconfig.json'), undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  },
});

function typeTest(revision: string): string {
  return path.join(folder, `${revision}.ts`);
}

/** Compiles all type tests as the project does, with other texts in the place of some files. */
function compile(texts: ReadonlyMap<string, string>, earlier?: ts.Program): ts.Program {
  // Types of Node are in no question here, and they are half of the work.
  const options = { ...config?.options, types: [] };
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, language, ...rest) => {
    const text = texts.get(path.resolve(file));
    // A file that was read for the earlier program is the same one still.
    const known = earlier?.getSourceFile(file);
    if (text === undefined) return known ?? getSourceFile(file, language, ...rest);
    return ts.createSourceFile(file, text, language, true);
  };
  return ts.createProgram(revisions.map(typeTest), options, host, earlier);
}

/** The errors in a file, each with its line (from 1). */
function errorsIn(program: ts.Program, file: string): readonly string[] {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} was not compiled`);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((diagnostic) => {
    const { line } = source.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
    return `line ${line + 1}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`;
  });
}

/** The `_meta` of `tools/call`, be it in the request itself or in separately named params. */
const META_OF_A_TOOL_CALL = /(export type CallToolRequest(?:Params)? = \{(?:(?!\nexport)[^])*?)\b_meta\b/;

describe('type tests of the generated files', () => {
  let program: ts.Program;
  beforeAll(() => {
    program = compile(new Map());
  });

  test('are compiled for every revision', () => {
    const files = readdirSync(folder).filter((name) => /^\d/.test(name));
    expect(files.sort()).toEqual(revisions.map((revision) => `${revision}.ts`));
    for (const file of files) expect(config?.fileNames).toContain(path.join(folder, file));
  });

  test.each(revisions)('%s: has only expected errors', (revision) => {
    expect(errorsIn(program, typeTest(revision))).toEqual([]);
  });

  test('report unexpected results', () => {
    const planted = compile(
      new Map(
        revisions.map((revision) => [
          typeTest(revision),
          `${readFileSync(typeTest(revision), 'utf8')}
export const wrongMethod: Method = 'no/such/method';
// @ts-expect-error -- but it is right
export const rightMethod: Method = 'tools/call';
`,
        ]),
      ),
      program,
    );
    for (const revision of revisions) {
      const found = errorsIn(planted, typeTest(revision)).filter(
        (error) => !errorsIn(program, typeTest(revision)).includes(error),
      );
      expect(found).toHaveLength(2);
      expect(found[0]).toContain('no/such/method');
      expect(found[1]).toContain('@ts-expect-error');
    }
  });

  test.each([
    ['a method that is any string', 'types', /method: 'tools\/call';/, 'method: string;'],
    ['params of any kind', 'methods', /(export type ParamsOf<[^=]*=)[^;]*;/, '$1 { [key: string]: unknown };'],
    ['handlers of any name', 'methods', /\[M in NotificationMethod<PeerOf<Receiver>>\]/, '[M in NotificationMethod]'],
    ['metadata that is missing from one request', 'types', META_OF_A_TOOL_CALL, '$1_mata'],
    ['results that may hold anything', 'types', /(export type ListToolsResult = \{)/, '$1 [key: string]: unknown;'],
    ['a guard that narrows to nothing', 'guards', /message is MessageOf<M>/, 'boolean'],
  ] as const)('fail for every revision if the generator wrote %s', (_, name, found, instead) => {
    const texts = new Map<string, string>();
    for (const revision of revisions) {
      const file = path.join(root, 'generated', revision, `${name}.ts`);
      const text = readFileSync(file, 'utf8');
      const changed = text.replace(found, instead);
      expect(changed, `${revision}: nothing to change`).not.toBe(text);
      texts.set(file, changed);
    }
    const looser = compile(texts, program);
    for (const revision of revisions) {
      const before = errorsIn(program, typeTest(revision));
      expect(errorsIn(looser, typeTest(revision)).length, revision).toBeGreaterThan(before.length);
    }
  });
});
