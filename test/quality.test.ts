import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_FILES } from './support/project-files.js';

/** The files that a file imports by relative paths, types and dynamic imports included. */
function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
    path.posix.join(path.posix.dirname(file), match[1] ?? '').replace(/\.js$/, '.ts'),
  );
}

/** The cycles that a depth-first search closes, each as the files along it. */
function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const trail: string[] = [];
  const visit = (file: string): void => {
    const start = trail.indexOf(file);
    if (start !== -1) cycles.push([...trail.slice(start), file].join(' -> '));
    if (start !== -1 || finished.has(file)) return;
    trail.push(file);
    imports.get(file)?.forEach(visit);
    trail.pop();
    finished.add(file);
  };
  [...imports.keys()].forEach(visit);
  return cycles;
}

describe('layers', () => {
  /** The other parts that each part of the generator may import from. */
  const allowed: Readonly<Record<string, readonly string[]>> = {
    read: ['errors', 'paths', 'text'],
    model: ['errors', 'read', 'text'],
    // Types only, of what is printed.
    print: ['errors', 'read', 'model', 'text', 'recording', 'inspect', 'check-server'],
    emit: ['errors', 'read', 'model', 'print', 'text'],
    output: ['errors', 'paths', 'print', 'text'],
    'render-options': ['errors', 'emit', 'plugin', 'print'],
    // Types only, except what plugins call.
    plugin: ['read', 'model', 'print'],
    // What ships is written as a user would write it.
    plugins: ['plugin'],
    'plugin-host': ['errors', 'read', 'model', 'print', 'output', 'plugin', 'plugins', 'text'],
    'command-line': ['emit', 'model', 'print', 'read', 'render-options', 'text', 'paths'],
    render: [
      'errors',
      'read',
      'model',
      'emit',
      'print',
      'output',
      'plugin',
      'plugin-host',
      'text',
      'render-options',
      'command-line',
    ],
    generate: ['errors', 'read', 'model', 'emit', 'output', 'text', 'render', 'render-options'],
    // Rules and bounds of the conversations that vectors contain. `..` is generated/: files are validated by their schema.
    vectors: ['errors', 'read', 'model', 'inspect', 'recording', 'text', '..'],
    'generate-vectors': ['errors', 'read', 'model', 'output', 'generate', 'vectors'],
    // What the package exports, and nothing else.
    index: [
      'errors',
      'read',
      'model',
      'emit',
      'print',
      'output',
      'plugin',
      'drift',
      'generate',
      'generate-vectors',
      'vectors',
      'render',
      'render-options',
    ],
    // `..` is generated/: what a project is given must be what the runtime accepts, so its own parser says.
    scaffold: ['errors', 'model', 'print', 'read', 'text', '..'],
    drift: ['compiler-host', 'errors', 'paths', 'read', 'model', 'print', 'text', 'vectors'],
    // `..` is generated/: the revisions as values.
    revisions: ['..'],
    // `..` is generated/: our own client over our own output.
    connect: ['errors', 'read', 'revisions', 'text', '..'],
    // `..` is generated/: conversations are read by the revisions and their validators.
    recording: ['errors', 'read', 'revisions', 'text', '..'],
    // `model` adds the extensions that a conversation declares to a revision.
    inspect: ['errors', 'read', 'model', 'revisions', 'text', 'recording', '..'],
    record: ['errors', 'read', 'text', 'recording', 'inspect'],
    // `..` is generated/: transports, and what classifies messages.
    replay: ['errors', 'read', 'revisions', 'print', 'text', 'recording', '..'],
    'check-server': ['errors', 'read', 'revisions', 'text', 'recording', 'inspect', 'connect', 'model', '..'],
    commands: [
      'check-server',
      'compiler-host',
      'errors',
      'read',
      'model',
      'emit',
      'print',
      'output',
      'plugin-host',
      'scaffold',
      'drift',
      'connect',
      'replay',
      'revisions',
      'vectors',
      'recording',
      'inspect',
      'record',
      // Without everything else that the interface exports.
      'generate',
      'index',
      'command-line',
      'paths',
      'terminal',
      'text',
    ],
    cli: ['errors', 'read', 'emit', 'scaffold', 'commands', 'cli', 'terminal', 'text'],
    terminal: ['errors', 'text'],
    'compiler-host': [],
    paths: [],
    text: [],
    errors: ['text'],
  };
  const sources = PROJECT_FILES.filter((name) => name.startsWith('generator/') && name.endsWith('.ts'));
  const partOf = (file: string): string => path.relative('generator', file).split('/')[0]?.replace(/\.ts$/, '') ?? '';

  test.each(sources)('%s imports in one direction only', (file) => {
    const own = partOf(file);
    const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
      partOf(path.join(path.dirname(file), match[1] ?? '').replace(/\.js$/, '.ts')),
    );
    expect(allowed[own]).toBeDefined();
    expect(imports.filter((part) => part !== own && !allowed[own]?.includes(part))).toEqual([]);
  });

  test.each(['generator/', 'templates/runtime/'])('no files of %s import each other in a cycle', (folder) => {
    const files = PROJECT_FILES.filter((name) => name.startsWith(folder) && name.endsWith('.ts') && existsSync(name));
    const imports = new Map(files.map((file) => [file, importsOf(file).filter((target) => files.includes(target))]));
    expect(files.length).toBeGreaterThan(20);
    expect(cyclesIn(imports)).toEqual([]);
  });

  test('a cycle of imports is reported with its files', () => {
    const imports = { a: ['b'], b: ['c', 'd'], c: ['b'], d: [], e: ['a', 'f'], f: ['f'] };
    expect(cyclesIn(new Map(Object.entries(imports)))).toEqual(['b -> c -> b', 'f -> f']);
  });

  // A host waits for its server, and each command pays for what it loads.
  test.each(['generator/cli/program.ts', 'generator/commands/record/command.ts'])(
    '%s loads neither the reader of schemas nor a package that is slow to load',
    (start) => {
      const loaded = new Set<string>();
      const packages = new Set<string>();
      const visit = (file: string): void => {
        if (loaded.has(file) || !existsSync(file)) return;
        loaded.add(file);
        // Without imports of types, and those on demand.
        for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(
          /^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm,
        ))
          if (target.startsWith('.')) visit(path.posix.join(path.posix.dirname(file), target).replace(/\.js$/, '.ts'));
          else if (!target.startsWith('node:')) packages.add(target);
      };
      visit(start);
      expect(
        [...loaded].filter((file) => /^generator\/(?:index|render|model\/load|emit\/index)\.ts$/.test(file)),
      ).toEqual([]);
      expect([...packages].filter((name) => !['commander', 'picocolors'].includes(name))).toEqual([]);
      expect(loaded.size).toBeGreaterThan(10);
    },
  );

  test('model, printers and emitters are pure', () => {
    for (const file of sources.filter(
      (name) => /^generator\/(?:emit|print|model)\//.test(name) && !name.endsWith('/load.ts'),
    )) {
      const text = readFileSync(file, 'utf8');
      expect([file, /'node:|Date\.|new Date|Math\.random|process\./.exec(text)?.[0]]).toEqual([file, undefined]);
      // Nor through what reads for them: types may come from there, values may not.
      const reading = /^import (?!type )[^;]*'(?:\.\.\/)+read\/(?:builtin\/(?!renames)[\w-]+|files)\.js'/m.exec(
        text,
      )?.[0];
      expect([file, reading]).toEqual([file, undefined]);
    }
  });
});

test('each case that a test names is in test/cases', () => {
  const known = new Set(
    PROJECT_FILES.filter((name) => /^test\/cases\/.*\.jsonl$/.test(name)).flatMap((name) =>
      [...readFileSync(name, 'utf8').matchAll(/"id": ?"(case-\d+)"/g)].map((match) => match[1]),
    ),
  );
  expect(known.size).toBeGreaterThan(100);
  for (const file of PROJECT_FILES.filter((name) => /^test\/.*\.ts$/.test(name))) {
    const named = readFileSync(file, 'utf8').match(/case-\d{3}/g) ?? [];
    expect([file, named.filter((id) => !known.has(id))]).toEqual([file, []]);
  }
});

describe('texts', () => {
  test('the lock file names no address to download from', () => {
    expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(
      /"resolved"|https?:\/\/(?!(?:github\.com|opencollective\.com|tidelift\.com|paulmillr\.com|www\.patreon\.com|eslint\.org|dotenvx\.com|feross\.org|ko-fi\.com)[/"])[^"]*registry/,
    );
  });

  test("no file names a place on somebody's machine", () => {
    const pattern = new RegExp(['/wo', 'rk/'].join('') + '|/ho' + 'me/|/Us' + 'ers/|/ro' + 'ot/', 'u');
    const found = PROJECT_FILES.filter((name) => !name.endsWith('package-lock.json')).filter((name) =>
      pattern.test(readFileSync(name, 'utf8')),
    );
    expect(found).toEqual([]);
  });
});
