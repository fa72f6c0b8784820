import { McpgenError } from './errors.js';
import { DEFAULT_PARTS } from './emit/parts.js';
import type { Emittable } from './emit/parts.js';
import type { ImportExtension } from './print/source-file.js';

/** How the files of a protocol are made. */
export interface RenderOptions {
  /** The parts wanted; what they need comes along. All but `registry`, `stdio`, the three of HTTP, `stubs`, `zod` and `aliases` by default, and with `stubs` alone. */
  readonly emit?: readonly Emittable[];
  /** The methods that `stubs` makes handlers of; all that need one by default. */
  readonly methods?: readonly string[];
  /** Extension of imported files; `js` by default. */
  readonly importExtension?: ImportExtension;
}

/** The parts asked for. Stubs stand on all the rest, and whoever adds them to a folder wants none of that removed. */
export function partsToEmit({ emit: asked = DEFAULT_PARTS }: RenderOptions): readonly Emittable[] {
  return asked.length > 0 && asked.every((part) => part === 'stubs') ? [...DEFAULT_PARTS, 'stubs'] : asked;
}

/** Refuses a call from JavaScript that names no output folder, before Node does in words of its own. */
export function requireFolder(out: unknown): asserts out is string {
  if (typeof out === 'string' && out !== '') return;
  throw new McpgenError('no output folder given', {
    place: 'out',
    remedy: "Pass one, as in { out: 'src/generated' }; `render` only reads its Prettier config.",
  });
}
