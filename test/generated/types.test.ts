import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileFiles, type CompilerOptions } from '../support/compiler.js';
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

/** The `_meta` of `tools/call`, be it in the request itself or in separately named params. */
const META_OF_A_TOOL_CALL = /(export type CallToolRequest(?:Params)? = \{(?:(?!\nexport)[^])*?)\b_meta\b/;

/** What the generator might have got wrong: the file of a revision, what it has, and what would be there instead. */
const FAULTS = [
  ['a method that is any string', 'types', /method: 'tools\/call';/, 'method: string;'],
  ['params of any kind', 'methods', /(export type ParamsOf<[^=]*=)[^;]*;/, '$1 { [key: string]: unknown };'],
  ['handlers of any name', 'methods', /\[M in NotificationMethod<PeerOf<Receiver>>\]/, '[M in NotificationMethod]'],
  ['metadata that is missing from one request', 'types', META_OF_A_TOOL_CALL, '$1_mata'],
  ['results that may hold anything', 'types', /(export type ListToolsResult = \{)/, '$1 [key: string]: unknown;'],
  ['a guard that narrows to nothing', 'guards', /message is MessageOf<M>/, 'boolean'],
] as const;

/** Type tests with an unexpected result each way. */
const PLANTED = `
export const wrongMethod: Method = 'no/such/method';
// @ts-expect-error -- but it is right
export const rightMethod: Method = 'tools/call';
`;

/**
 * Writes a project with the type tests and what they test, with other texts in the place of some files. All share the
 * runtime, by its declarations: its code is compiled by the build.
 */
function writeProject(project: string, texts: ReadonlyMap<string, string>): readonly string[] {
  mkdirSync(path.join(project, 'generated'), { recursive: true });
  symlinkSync(path.join(root, 'dist/generated/runtime'), path.join(project, 'generated/runtime'));
  for (const revision of revisions)
    cpSync(path.join(root, 'generated', revision), path.join(project, 'generated', revision), { recursive: true });
  cpSync(folder, path.join(project, 'test/generated/types'), { recursive: true });
  for (const [file, text] of texts) writeFileSync(path.join(project, path.relative(root, file)), text);
  return revisions.map((revision) => path.join(project, path.relative(root, typeTest(revision))));
}

describe('type tests of the generated files', () => {
  let scratch = '';
  /** The errors in each type test, by its project and revision, each without its place. */
  const errors = new Map<string, string[]>();
  const errorsIn = (project: string, revision: string): readonly string[] => errors.get(`${project} ${revision}`) ?? [];

  // One compilation for all projects: the standard library and the runtime are the same in each.
  beforeAll(async () => {
    const texts = path.join(root, 'node_modules/.cache/mcpgen-tests');
    mkdirSync(texts, { recursive: true });
    scratch = mkdtempSync(path.join(texts, 'types-'));
    const planted = new Map(
      revisions.map((revision) => [typeTest(revision), readFileSync(typeTest(revision), 'utf8') + PLANTED]),
    );
    const faulty = FAULTS.map(([, name, found, instead], index) => {
      const changes = revisions.map((revision) => {
        const file = path.join(root, 'generated', revision, `${name}.ts`);
        const text = readFileSync(file, 'utf8');
        const changed = text.replace(found, instead);
        expect(changed, `${revision}: nothing to change`).not.toBe(text);
        return [file, changed] as const;
      });
      return [`fault-${index}`, new Map(changes)] as const;
    });
    const projects = [['unchanged', new Map<string, string>()], ['planted', planted], ...faulty] as const;
    const files = projects.flatMap(([name, changes]) => writeProject(path.join(scratch, name), changes));
    const lines = await compileFiles(scratch, files, {
      ...(config?.raw as { readonly compilerOptions: CompilerOptions }).compilerOptions,
      // Types of Node are in no question here, and they are half of the work.
      types: '',
    });
    for (const line of lines) {
      const [, project, revision, error] = /^([\w-]+)\/test\/generated\/types\/([\d-]+)\.ts(\(.*)$/.exec(line) ?? [];
      if (project === undefined || revision === undefined || error === undefined) continue;
      const key = `${project} ${revision}`;
      const found = errors.get(key) ?? [];
      errors.set(key, found);
      found.push(error);
    }
  });
  afterAll(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  test('are compiled for every revision', () => {
    const files = readdirSync(folder).filter((name) => /^\d/.test(name));
    expect(files.sort()).toEqual(revisions.map((revision) => `${revision}.ts`));
    for (const file of files) expect(config?.fileNames).toContain(path.join(folder, file));
  });

  test.each(revisions)('%s: has only expected errors', (revision) => {
    expect(errorsIn('unchanged', revision)).toEqual([]);
  });

  test('report unexpected results', () => {
    for (const revision of revisions) {
      const found = errorsIn('planted', revision);
      expect(found).toHaveLength(2);
      expect(found[0]).toContain('no/such/method');
      expect(found[1]).toContain('@ts-expect-error');
    }
  });

  test.each(FAULTS.map(([title], index) => [title, index] as const))(
    'fail for every revision if the generator wrote %s',
    (_, index) => {
      for (const revision of revisions) {
        const before = errorsIn('unchanged', revision);
        expect(errorsIn(`fault-${index}`, revision).length, revision).toBeGreaterThan(before.length);
      }
    },
  );
});
