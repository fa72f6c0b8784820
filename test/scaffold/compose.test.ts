import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatProjectFile } from '../../generator/output/format.js';
import { readTemplateProject } from '../../generator/read/builtin/template-project.js';
import { composeProject } from '../../generator/scaffold/project/compose.js';
import { applyConditions } from '../../generator/scaffold/project/conditions.js';
import { translateNpmCommands } from '../../generator/scaffold/project/package-manager.js';
import {
  combinationError,
  FEATURES,
  PROJECT_KINDS,
  RUNTIME_NAMES,
  SCHEMA_NOTATIONS,
  parseRuntime,
  type Selection,
} from '../../generator/scaffold/project/selection.js';
import { everythingOf, packages, revisions, missing } from './compose-support.js';

describe.each(PROJECT_KINDS)('%s', (kind) => {
  const template = readTemplateProject(kind);
  const everything = everythingOf(kind);

  test.each(RUNTIME_NAMES)('with --runtime %s the project depends exactly on what its code imports', (runtime) => {
    for (const transports of [['stdio'], ['http'], ['stdio', 'http']] satisfies Selection['transports'][]) {
      const files = composeProject(template, { ...everything, runtime, transports }, packages);
      const imported = new Set<string>();
      for (const [name, text] of files) {
        if (!name.startsWith('src/')) continue;
        for (const [, found = ''] of text.matchAll(/from "((?:@[^/"]+\/)?[^./"][^/"]*)[^"]*"/g)) imported.add(found);
      }
      const expected = [...imported].filter((name) => !name.startsWith('node:'));
      // The binding to Node has the server as a peer, and our client over HTTP reads its streams with a parser.
      if (imported.has('@modelcontextprotocol/node')) expected.push('@modelcontextprotocol/server');
      if (kind === 'client' && runtime === 'none' && transports.includes('http')) expected.push('eventsource-parser');
      const { dependencies = {} } = JSON.parse(files.get('package.json') ?? '') as { dependencies?: object };
      expect([transports, Object.keys(dependencies)]).toEqual([transports, [...new Set(expected)].sort()]);
    }
  });

  test('the files that are written by code are in the template as they would be written', async () => {
    const files = composeProject(template, everything, packages);
    for (const name of ['src/protocol.ts', ...(kind === 'client' ? ['src/transport.ts'] : [])]) {
      expect(template.get(name)).toBe(await formatProjectFile(files.get(name) ?? '', name));
    }
  });

  test.each(['pnpm', 'yarn', 'bun'] as const)('commands are those of %s', (packageManager) => {
    const files = composeProject(template, { ...everything, packageManager }, packages);
    for (const name of ['README.md', '.github/workflows/ci.yml', 'package.json']) {
      expect([
        name,
        /\b(?<!p)npm (?:ci|install|run|test|start)\b|\bbun test\b/.exec(files.get(name) ?? '')?.[0],
      ]).toEqual([name, undefined]);
    }
    expect(files.get('package.json')).toContain(`"prepublishOnly": "${packageManager} run build"`);
  });

  describe('files and workflow are those of the package manager and its version', () => {
    const managers = [
      ['npm', undefined, [], undefined, ['npm ci']],
      ['pnpm', '11.1.0', ['pnpm-workspace.yaml'], undefined, ['pnpm install']],
      ['pnpm', undefined, ['pnpm-workspace.yaml'], undefined, ['pnpm install']],
      ['yarn', '1.22.22', [], 'yarn@1.22.22', ['yarn install --frozen-lockfile']],
      ['yarn', undefined, [], undefined, ['yarn install --frozen-lockfile']],
      ['yarn', '4.9.0', ['.yarnrc.yml'], 'yarn@4.9.0', ['npm i --global corepack && corepack enable', 'yarn install']],
      ['bun', '1.3.0', [], 'bun@1.3.0', ['bun install --frozen-lockfile']],
    ] as const;
    test.each(managers)('%s %s', (packageManager, managerVersion, settings, pinned, installs) => {
      const selection = { ...everything, packageManager, ...(managerVersion === undefined ? {} : { managerVersion }) };
      const files = composeProject(template, selection, packages);
      const known = ['pnpm-workspace.yaml', '.yarnrc.yml'];
      expect(known.filter((name) => files.has(name))).toEqual(settings);
      expect((JSON.parse(files.get('package.json') ?? '') as { packageManager?: string }).packageManager).toBe(pinned);
      const { jobs } = parse(files.get('.github/workflows/ci.yml') ?? '') as {
        jobs: { check: { steps: { run?: string; uses?: string; with?: object }[] } };
      };
      const { steps } = jobs.check;
      const first = steps.findIndex(({ run }) => run?.includes('generate --check'));
      expect(steps.slice(0, first).flatMap(({ run }) => run ?? [])).toEqual(installs);
      const action = steps.find(({ uses }) => /pnpm|bun/.test(uses ?? ''));
      expect([action?.uses?.split('@')[0], action?.with]).toEqual([
        { pnpm: 'pnpm/action-setup', bun: 'oven-sh/setup-bun', npm: undefined, yarn: undefined }[packageManager],
        packageManager === 'pnpm' ? { version: managerVersion === undefined ? 12 : 11 } : undefined,
      ]);
      expect(files.get('.gitignore')?.includes('.yarn/*')).toBe(managerVersion === '4.9.0');
    });
  });
});

test('passes `--` as each package manager requires', () => {
  const command = 'npm run dev -- -- node server.js   # run the sources';
  const given = (packageManager: Selection['packageManager'], managerVersion = '1.0.0'): string =>
    translateNpmCommands({ packageManager, managerVersion }, command).replace(/ +#.*/, '');
  expect(given('npm')).toBe('npm run dev -- -- node server.js');
  expect(given('bun')).toBe('bun run dev -- -- node server.js');
  expect(given('yarn')).toBe('yarn run dev -- -- node server.js');
  expect(given('yarn', '4.0.0')).toBe('yarn run dev -- node server.js');
  expect(given('pnpm')).toBe('pnpm run dev -- node server.js');
});

describe.each(SCHEMA_NOTATIONS)('with --schemas %s', (schemas) => {
  const selection: Selection = {
    kind: 'server',
    packageName: 'demo',
    revisions,
    features: FEATURES.server.map(({ name }) => name),
    transports: ['stdio', 'http'],
    runtime: 'none',
    schemas,
    store: 'memory',
    packageManager: 'npm',
  };
  const files = composeProject(readTemplateProject('server'), selection, packages);
  const libraries = { json: [], zod: ['zod'], valibot: ['@valibot/to-json-schema', 'valibot'], arktype: ['arktype'] };

  test('the project depends on its library', () => {
    const { dependencies = {} } = JSON.parse(files.get('package.json') ?? '') as { dependencies?: object };
    expect(Object.keys(dependencies)).toEqual(libraries[schemas]);
    expect(missing(files)).toEqual([]);
  });

  test('the config has the choice, unless it is the default', () => {
    const config = JSON.parse(files.get('mcpgen.config.json') ?? '') as { schemas?: string };
    expect(config.schemas).toBe(schemas === 'json' ? undefined : schemas);
  });

  test('schemas are in files or next to their tools', () => {
    const isJson = schemas === 'json';
    const names = ['book', 'count', 'greet', 'shout', 'summarize'];
    expect(names.map((name) => files.has(`src/tools/${name}.input.json`))).toEqual(names.map(() => isJson));
    const wraps = [...names.map((name) => `src/tools/${name}.ts`), 'src/prompts/introduce.ts'];
    expect(wraps.map((name) => files.get(name)?.includes('/standard-schema.js"'))).toEqual(wraps.map(() => !isJson));
    expect([...files.keys()].filter((name) => /\.(?:zod|valibot|arktype)\.ts$/.test(name))).toEqual([]);
    expect([...files.values()].join('').includes('/generated/tools/')).toBe(isJson);
  });

  test('the README has the files that the project has', () => {
    const readme = files.get('README.md') ?? '';
    expect(readme.includes('<name>.input.json')).toBe(schemas === 'json');
    expect(readme.includes('inputSchema')).toBe(schemas !== 'json');
  });
});

test('the README explains how to add a tool', () => {
  const selection: Selection = {
    kind: 'server',
    packageName: 'demo',
    revisions,
    features: ['tools'],
    transports: ['stdio'],
    runtime: 'none',
    schemas: 'json',
    store: 'memory',
    packageManager: 'npm',
  };
  const readme = (more: Partial<Selection>): string | undefined =>
    composeProject(readTemplateProject('server'), { ...selection, ...more }, packages).get('README.md');
  expect(readme({})).toContain('`npx mcpgen add tool NAME');
  expect(readme({ packageManager: 'pnpm' })).toContain('`pnpm exec mcpgen add tool NAME');
  expect(readme({ features: [] })).not.toContain('mcpgen add tool');
});

test.each([
  ['server', 'none', 'http', 'whole'],
  ['server', 'sdk', 'http', 'sessions'],
  ['server', 'sdk-v1', 'http', 'sessions'],
  ['server', 'sdk', 'stdio', 'whole'],
  ['server', 'sdk-v1', 'stdio', 'whole'],
  ['client', 'none', 'http', 'whole'],
  ['client', 'sdk', 'http', 'whole'],
  ['client', 'sdk-v1', 'http', 'sessions'],
  ['client', 'sdk-v1', 'stdio', 'whole'],
] as const)('revisions of a %s with --runtime %s over %s: %s', (kind, runtime, transport, reach) => {
  const choice = { kind, runtime, transports: [transport], revisions, store: 'memory' } as const;
  const stateless = { ...choice, revisions: revisions.slice(-1) };
  expect(combinationError(choice)).toBeUndefined();
  expect(combinationError(stateless)?.message).toEqual(
    reach === 'whole' ? undefined : expect.stringContaining('revisions that begin with `initialize`'),
  );
  const selection: Selection = {
    ...choice,
    packageName: 'demo',
    features: [],
    schemas: 'json',
    store: 'memory',
    packageManager: 'npm',
  };
  const readme = (more: Partial<Selection>): string | undefined =>
    composeProject(readTemplateProject(kind), { ...selection, ...more }, packages).get('README.md');
  const limit = 'Over HTTP it supports only the revisions with `initialize`';
  expect(readme({})?.includes(limit)).toBe(reach === 'sessions');
  // Where there are no others, there is nothing to say.
  expect(readme({ revisions: revisions.slice(0, 4) })).not.toContain(limit);
});

test('a runtime of the official SDK may be named with its version', () => {
  expect(['none', 'sdk', 'sdk-v1', 'sdk-v2'].map(parseRuntime)).toEqual(['none', 'sdk', 'sdk-v1', 'sdk']);
});

test('nested markers are removed', () => {
  const text = [
    'a // if: x',
    'b # if: !x',
    '<!-- if: x|y -->',
    'c <!-- if: y -->',
    '// if: z',
    'd',
    '// end',
    'e',
    '<!-- end -->',
    'f // if: x&y',
  ].join('\n');
  expect(applyConditions(text, new Set(['x']))).toBe('a\ne');
  expect(applyConditions(text, new Set(['y']))).toBe('b\nc\ne');
  expect(applyConditions(text, new Set(['x', 'y', 'z']))).toBe('a\nc\nd\ne\nf');
  expect(applyConditions(text, new Set())).toBe('b');
  expect(() => applyConditions('// if: x', new Set())).toThrow(RangeError);
  expect(() => applyConditions('// end', new Set())).toThrow(RangeError);
});
