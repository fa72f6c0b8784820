import { McpgenError } from './errors.js';
import { DEFAULT_PARTS } from './emit/parts.js';
import type { Emittable } from './emit/parts.js';
import type { NamedPlugin, Plugin } from './plugin.js';
import type { ImportExtension, Target } from './print/source-file.js';

/** How to render the files of a protocol. */
export interface RenderOptions {
  /** The requested parts; their dependencies are added. All but `pipe`, `registry`, `stdio`, those of HTTP and OAuth, `json-schema`, those of tasks, `stubs`, `zod` and `aliases` by default, and with `stubs` alone. */
  readonly emit?: readonly Emittable[];
  /** The methods that `stubs` writes handlers for; all that need one by default. */
  readonly methods?: readonly string[];
  /** Extension of imported files; `js` by default. */
  readonly importExtension?: ImportExtension;
  /**
   * `js` writes `.js` with `.d.ts` files instead of `.ts`, so that a project's compiler does not check generated code;
   * `ts` by default.
   */
  readonly target?: Target;
  /**
   * Whether files begin with `// @ts-nocheck`, so that a project's compiler uses their types without checking the files
   * themselves; false by default.
   */
  readonly tsNocheck?: boolean;
  /** Plugins that write more files for each revision; those with a name are in the headers of generated files. */
  readonly plugins?: readonly (Plugin | NamedPlugin)[];
}

/** The requested parts. Stubs need all the others, and adding them to a folder must not remove any. */
export function partsToEmit({ emit: asked = DEFAULT_PARTS }: RenderOptions): readonly Emittable[] {
  return asked.length > 0 && asked.every((part) => part === 'stubs') ? [...DEFAULT_PARTS, 'stubs'] : asked;
}

/** The names of the plugins that have one. */
export function pluginNames({ plugins = [] }: RenderOptions): readonly string[] {
  return plugins.flatMap((plugin) => ('plugin' in plugin ? [plugin.name] : []));
}

/**
 * Rejects JavaScript that would import TypeScript.
 *
 * @throws {@link McpgenError} if the options contradict each other.
 */
export function refuseTarget({ target, importExtension }: Pick<RenderOptions, 'target' | 'importExtension'>): void {
  if (target !== 'js' || importExtension !== 'ts') return;
  throw new McpgenError('JavaScript cannot import from files that end with .ts', {
    place: '--import-extension',
    remedy: 'With --target js, use js, or none for a bundler.',
  });
}

/** Rejects a call from JavaScript without an output folder, with a clearer error than Node's. */
export function requireFolder(out: unknown): asserts out is string {
  if (typeof out === 'string' && out !== '') return;
  throw new McpgenError('no output folder given', {
    place: 'out',
    remedy: "Pass one, as in { out: 'src/generated' }; `render` only reads its Prettier config.",
  });
}
