import { declareDefinition } from '../print/type.js';
import { SourceFile } from '../print/source-file.js';
import type { EmitContext } from './context.js';

/** `types.ts`: a type for every definition of the schema, under its own name. */
export function emitTypes({ protocol, printer }: EmitContext): SourceFile {
  const file = new SourceFile('types');
  for (const definition of protocol.definitions) file.add(declareDefinition(definition, printer));
  return file;
}
