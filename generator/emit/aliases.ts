import type { FormerName } from '../model/protocol.js';
import { docComment } from '../print/doc-comment.js';
import { exported, SourceFile, type Declaration } from '../print/source-file.js';
import type { EmitContext } from './context.js';
import type { Emittable } from './parts.js';
import { checkName } from './validators.js';

/**
 * `aliases.ts`: the names that definitions had in earlier revisions, deprecated, for code that still uses them. Undefined
 * if nothing was renamed.
 *
 * @param parts - All emitted parts: guards, validators and Zod schemas have old names only if they are emitted.
 */
export function emitAliases(context: EmitContext, parts: readonly Emittable[]): SourceFile | undefined {
  const taken = new Set(context.names.values());
  const former = context.protocol.formerNames.filter(({ before }) => !taken.has(before));
  if (former.length === 0) return undefined;
  const file = new SourceFile('aliases');
  for (const name of former) file.add(...printAliases(file, context, parts, name));
  return file;
}

function printAliases(
  file: SourceFile,
  { printer, messageGuards }: EmitContext,
  parts: readonly Emittable[],
  { before, after, revision }: FormerName,
): readonly Declaration[] {
  const currentName = printer.name(after);
  const doc = (name: string): string =>
    docComment({ deprecated: `Since ${revision} it is called {@link ${name}}.` }, new Set([name]));
  const value = (from: 'validators' | 'zod', formerName: string, name: string): Declaration =>
    // TypeScript requires an explicit type for an assertion function.
    exported('const', formerName, { doc: doc(name), code: `: typeof ${file.importValue(from, name)} = ${name};` });
  return [
    exported('type', before, { doc: doc(currentName), code: ` = ${file.importType('types', currentName)};` }),
    ...(parts.includes('validators')
      ? (['is', 'validate', 'assert'] as const).map((verb) =>
          value('validators', checkName(verb, before, messageGuards), checkName(verb, currentName, messageGuards)),
        )
      : []),
    ...(parts.includes('zod') ? [value('zod', `${before}Schema`, `${currentName}Schema`)] : []),
  ];
}
