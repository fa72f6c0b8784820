import type { RuntimeModule } from '../print/source-file.js';

/** The parts that `--emit` can request. */
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
  'pipe',
  'registry',
  'stdio',
  'http-server',
  'http-node',
  'http-redis',
  'http-client',
  'oauth-client',
  'oauth-node',
  'json-schema',
  'tasks',
  'tasks-sqlite',
  'tasks-redis',
  'stubs',
  'zod',
  'aliases',
] as const;

/** A part of the output that can be requested. */
export type Emittable = (typeof EMITTABLE)[number];

/** Parts that consist of shared files only, without a file for each revision; `pipe` depends on such files. */
export const SHARED_PARTS = [
  'pipe',
  'registry',
  'stdio',
  'http-server',
  'http-node',
  'http-redis',
  'http-client',
  'oauth-client',
  'oauth-node',
  'json-schema',
  'tasks',
  'tasks-sqlite',
  'tasks-redis',
] as const;
/** A part of shared files only. */
export type SharedPart = (typeof SHARED_PARTS)[number];

/** Whether a part consists of shared files only. */
export function isSharedPart(part: Emittable): part is SharedPart {
  return (SHARED_PARTS as readonly Emittable[]).includes(part);
}

/** The default parts: those that need no package, that users do not edit, and that most users need. */
export const DEFAULT_PARTS: readonly Emittable[] = EMITTABLE.filter(
  (part) => !isSharedPart(part) && part !== 'stubs' && part !== 'zod' && part !== 'aliases',
);

/** What each part imports from. */
const PART_DEPENDENCIES: Readonly<Record<Emittable, readonly Emittable[]>> = {
  types: [],
  methods: ['types'],
  messages: ['types', 'methods'],
  guards: ['types', 'methods', 'messages'],
  validators: ['types', 'methods', 'messages', 'guards'],
  errors: [],
  revision: ['types', 'methods', 'messages', 'guards', 'validators'],
  client: ['types', 'methods', 'messages', 'guards', 'validators', 'revision'],
  server: ['types', 'methods', 'messages', 'guards', 'validators', 'revision'],
  pipe: ['types', 'methods', 'messages', 'guards', 'validators', 'revision'],
  registry: [],
  stdio: [],
  'http-server': [],
  'http-node': [],
  'http-redis': [],
  'http-client': [],
  // These two import the package oauth4webapi, at least its types.
  'oauth-client': [],
  'oauth-node': [],
  'json-schema': [],
  tasks: ['registry'],
  'tasks-sqlite': ['registry', 'tasks'],
  'tasks-redis': ['registry', 'tasks'],
  stubs: ['types', 'methods', 'messages', 'guards', 'validators', 'revision', 'server'],
  zod: ['types'],
  aliases: ['types'],
};

/** The shared files that each part imports from. */
const RUNTIME_MODULES: Readonly<Partial<Record<Emittable, readonly RuntimeModule[]>>> = {
  validators: ['runtime/validation'],
  revision: ['runtime/protocol/revision'],
  client: ['runtime/index', 'runtime/subscribe'],
  server: ['runtime/index'],
  pipe: ['runtime/index'],
  registry: ['runtime/registry', 'runtime/standard-schema'],
  stdio: ['runtime/stdio-client', 'runtime/stdio-server'],
  'http-server': ['runtime/http-server', 'runtime/cluster-check'],
  'http-node': ['runtime/http-server', 'runtime/http-node'],
  'http-redis': ['runtime/http-server', 'runtime/cluster-check', 'runtime/http-redis'],
  'http-client': ['runtime/http-client'],
  'oauth-client': ['runtime/http-client', 'runtime/oauth-client'],
  'oauth-node': ['runtime/http-client', 'runtime/oauth-client', 'runtime/oauth-node'],
  'json-schema': ['runtime/json-schema'],
  tasks: ['runtime/tasks', 'runtime/task-client', 'runtime/task-store-check'],
  'tasks-sqlite': ['runtime/tasks-sqlite'],
  'tasks-redis': ['runtime/tasks-redis'],
};

/** Parts over the client and server of the runtime, which a protocol of plain JSON-RPC does not have. */
export const PARTS_OF_ROLES: readonly Emittable[] = [
  'pipe',
  'registry',
  'http-server',
  'http-node',
  'http-redis',
  'http-client',
  'oauth-client',
  'oauth-node',
  'stubs',
];

/** The shared files of parts that differ for a protocol of plain JSON-RPC. */
const PEER_MODULES: Readonly<Partial<Record<Emittable, readonly RuntimeModule[]>>> = {
  revision: ['runtime/peer'],
  client: ['runtime/peer'],
  server: ['runtime/peer'],
};

/**
 * The shared files that the requested parts need.
 *
 * @param hasRoles - Whether the client and server of the runtime implement the protocol.
 */
export function runtimeModulesFor(parts: readonly Emittable[], hasRoles = true): readonly RuntimeModule[] {
  const modulesOf = (part: Emittable): readonly RuntimeModule[] =>
    (hasRoles ? undefined : PEER_MODULES[part]) ?? RUNTIME_MODULES[part] ?? [];
  return [...new Set(withDependencies(parts).flatMap(modulesOf))];
}

/** The requested parts with their dependencies, in one fixed order. */
export function withDependencies(parts: readonly Emittable[]): readonly Emittable[] {
  const wanted = new Set(parts.flatMap((part) => [part, ...PART_DEPENDENCIES[part]]));
  return EMITTABLE.filter((part) => wanted.has(part));
}
