import { describe, expect, test } from 'vitest';
import { readTemplateProject } from '../../generator/read/builtin/template-project.js';
import { composeProject, projectPath } from '../../generator/scaffold/project/compose.js';
import { FEATURES, PROJECT_KINDS, RUNTIME_NAMES, type Selection } from '../../generator/scaffold/project/selection.js';
import { everythingOf, packages, missing } from './compose-support.js';

/** A server whose tools a client knows. */
const LISTED: Selection['listed'] = {
  target: ['node', 'server.js'],
  toolList: '{ "tools": [] }\n',
  example: { name: 'add', method: 'add', args: '{ a: 1 }', output: '{ sum: 1 }', isValid: true },
};

function subsets<T>(items: readonly T[]): readonly (readonly T[])[] {
  return items.reduce<readonly (readonly T[])[]>((all, item) => [...all, ...all.map((one) => [...one, item])], [[]]);
}

/** Parts of a file that {@link partsOf} finds. */
interface FileParts {
  readonly unreplaced: string | undefined;
  readonly targets: readonly string[];
}

const parts = new Map<string, FileParts>();

/** What of a template is left in a file, and the files that it imports; many selections have the same file. */
function partsOf(name: string, text: string): FileParts {
  const key = `${name}\n${text}`;
  const known = parts.get(key);
  if (known !== undefined) return known;
  const unreplaced = /\bif: |example-(?:server|client|service)|\bend -->/.exec(text)?.[0];
  const targets = [...text.matchAll(/from "(\.[^"]+)"/g)]
    .map(([, imported = '']) => imported)
    .filter((imported) => !imported.includes('/generated/'))
    .map((imported) => new URL(imported.replace(/\.js$/, '.ts'), `file:///${name}`).pathname.slice(1));
  const found = { unreplaced, targets };
  parts.set(key, found);
  return found;
}

describe.each(PROJECT_KINDS)('%s', (kind) => {
  const template = readTemplateProject(kind);
  const everything = everythingOf(kind);

  test('every selection has resolvable imports', () => {
    const used = new Set<string>();
    const faults: unknown[] = [];
    const transports: Selection['transports'][] = [['stdio'], ['http'], ['stdio', 'http']];
    for (const runtime of RUNTIME_NAMES) {
      // What is written for a feature does not depend on the runtime.
      for (const features of runtime === 'none' ? subsets(everything.features) : [[], everything.features]) {
        for (const transport of transports) {
          // What is written for a store does not depend on the features.
          const hasStores = kind === 'server' && runtime === 'none' && transport.includes('http');
          const store = hasStores && features.length === 1 ? 'redis' : 'memory';
          const selection: Selection = { ...everything, features, runtime, transports: transport, store };
          const all = [
            ...composeProject(template, selection, packages),
            ...(kind === 'client' ? composeProject(template, { ...selection, listed: LISTED }, packages) : []),
          ];
          const files = new Map(all);
          const where = [features, runtime, transport];
          for (const [name, text] of all) {
            used.add(name);
            const { unreplaced, targets } = partsOf(name, text);
            if (unreplaced !== undefined) faults.push([name, ...where, unreplaced]);
            for (const target of targets) if (!files.has(target)) faults.push([name, ...where, target]);
          }
          // A feature asks for the same packages whatever comes with it.
          if (features.length > 1 && features.length < FEATURES[kind].length) continue;
          expect([features, runtime, transport, missing(files)]).toEqual([features, runtime, transport, []]);
        }
      }
    }
    expect(faults).toEqual([]);
    // No file of the template is for nothing.
    const targets = [...template.keys()].map(projectPath);
    expect(targets.filter((name) => !used.has(name))).toEqual([]);
  });
});
