import type { RuntimeModule } from '../print/source-file.js';

/** What can be asked for with `--emit`. */
export const EMITTABLE = [
  'types',
  'methods',
  'messages',
  'guards',
  'validators',
  'errors',
  'revision',
  'client',
  'server',
  'registry',
  'stdio',
  'http-server',
  'http-node',
  'http-client',
  'stubs',
  'zod',
  'aliases',
] as const;

/** A part of the output that can be asked for. */
export type Emittable = (typeof EMITTABLE)[number];

/** Parts that are shared files only: no revision has a file of theirs. */
export const SHARED_ONLY = ['registry', 'stdio', 'http-server', 'http-node', 'http-client'] as const;
/** One of those. */
export type SharedOnly = (typeof SHARED_ONLY)[number];

/** Whether a part is shared files only. */
export function isSharedOnly(part: Emittable): part is SharedOnly {
  return (SHARED_ONLY as readonly Emittable[]).includes(part);
}

/** What is written if nothing is asked for: all but what not everybody uses, needs a package, or is the user's. */
export const DEFAULT_PARTS: readonly Emittable[] = EMITTABLE.filter(
  (part) => !isSharedOnly(part) && part !== 'stubs' && part !== 'zod' && part !== 'aliases',
);

/** What each part imports from. */
const NEEDS: Readonly<Record<Emittable, readonly Emittable[]>> = {
  types: [],
  methods: ['types'],
  messages: ['types', 'methods'],
  guards: ['types', 'methods', 'messages'],
  validators: ['types', 'methods', 'messages', 'guards'],
  errors: [],
  revision: ['types', 'methods', 'messages', 'guards', 'validators'],
  client: ['types', 'methods', 'messages', 'guards', 'validators', 'revision'],
  server: ['types', 'methods', 'messages', 'guards', 'validators', 'revision'],
  registry: [],
  stdio: [],
  'http-server': [],
  'http-node': [],
  'http-client': [],
  stubs: ['types', 'methods', 'messages', 'guards', 'validators', 'revision', 'server'],
  zod: ['types'],
  aliases: ['types'],
};

/** The shared files that each part imports from. */
const RUNTIME: Readonly<Partial<Record<Emittable, readonly RuntimeModule[]>>> = {
  validators: ['runtime/validation'],
  revision: ['runtime/protocol/revision'],
  client: ['runtime/index'],
  server: ['runtime/index'],
  registry: ['runtime/registry'],
  stdio: ['runtime/stdio-client', 'runtime/stdio-server'],
  'http-server': ['runtime/http-server'],
  'http-node': ['runtime/http-server', 'runtime/http-node'],
  'http-client': ['runtime/http-client'],
};

/** The shared files that the parts asked for need. */
export function runtimeOf(parts: readonly Emittable[]): readonly RuntimeModule[] {
  return [...new Set(withNeeds(parts).flatMap((part) => RUNTIME[part] ?? []))];
}

/** The parts asked for, with those that they need, in one fixed order. */
export function withNeeds(parts: readonly Emittable[]): readonly Emittable[] {
  const wanted = new Set(parts.flatMap((part) => [part, ...NEEDS[part]]));
  return EMITTABLE.filter((part) => wanted.has(part));
}
