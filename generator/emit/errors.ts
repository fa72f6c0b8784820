import { docComment } from '../print/doc-comment.js';
import { literalKey } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { ownTypeName, type EmitContext } from './context.js';

/** `errors.ts`: the error codes that the revision defines. */
export function emitErrors(context: EmitContext): SourceFile {
  const { protocol, printer } = context;
  const file = new SourceFile('errors');
  const rows = protocol.errors.map((error) => {
    const pinned = error.definition === undefined ? [] : [`Type: \`${printer.name(error.definition)}\`.`];
    return { ...error, doc: docComment({ text: [error.summary, ...pinned].join(' ') }, printer.linkable) };
  });
  file.declare('const', 'ERROR_CODES', {
    doc: docComment({ text: `Error codes that revision ${protocol.revision} defines, by name.` }, printer.linkable),
    code: [' = {\n', ...rows.map((row) => `${row.doc}${literalKey(row.name)}: ${row.code},\n`), '} as const;'].join(''),
  });
  file.declare('type', 'ErrorName', {
    doc: '/** Name of an error code. */',
    code: ' = keyof typeof ERROR_CODES;',
  });
  // A schema may define the type of error codes itself, with codes that the protocol does not define.
  file.declare('type', ownTypeName(context, 'ErrorCode', 'KnownErrorCode'), {
    doc: '/** An error code that the revision defines. */',
    code: ' = (typeof ERROR_CODES)[ErrorName];',
  });
  file.declare('function', 'errorName', {
    doc: '/** The name of an error code, or undefined if the revision does not define it. */',
    code: [
      '(code: number): ErrorName | undefined {\n',
      '  switch (code) {\n',
      ...rows.map((row) => `    case ${row.code}: return ${JSON.stringify(row.name)};\n`),
      '    default: return undefined;\n',
      '  }\n',
      '}',
    ].join(''),
  });
  return file;
}
