import { docComment } from '../print/doc-comment.js';
import { literalKey } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import type { EmitContext } from './context.js';

/** `errors.ts`: the error codes to which the revision gives a meaning. */
export function emitErrors({ protocol, printer }: EmitContext): SourceFile {
  const file = new SourceFile('errors');
  const rows = protocol.errors.map((error) => {
    const pinned = error.definition === undefined ? [] : [`Type: \`${printer.name(error.definition)}\`.`];
    return { ...error, doc: docComment({ text: [error.summary, ...pinned].join(' ') }, printer.linkable) };
  });
  file.add(
    docComment({ text: `Error codes that revision ${protocol.revision} gives a meaning, by name.` }, printer.linkable),
    'export const ERROR_CODES = {\n',
    ...rows.map((row) => `${row.doc}${literalKey(row.name)}: ${row.code},\n`),
    '} as const;\n',
  );
  file.add('/** Name of an error code. */\n', 'export type ErrorName = keyof typeof ERROR_CODES;\n');
  file.add(
    '/** An error code to which the revision gives a meaning. */\n',
    'export type ErrorCode = (typeof ERROR_CODES)[ErrorName];\n',
  );
  file.add(
    '/** The name of an error code, or undefined if the revision gives it no meaning. */\n',
    'export function errorName(code: number): ErrorName | undefined {\n',
    '  switch (code) {\n',
    ...rows.map((row) => `    case ${row.code}: return ${JSON.stringify(row.name)};\n`),
    '    default: return undefined;\n',
    '  }\n',
    '}\n',
  );
  return file;
}
