import { declareDefinition } from '../print/type.js';
import { SourceFile } from '../print/source-file.js';
import type { EmitContext } from './context.js';

/** `types.ts`: every definition of the schema once, under its own name. */
export function emitTypes({ protocol, printer }: EmitContext): SourceFile {
  const file = new SourceFile('types');
  for (const definition of protocol.definitions) file.add(declareDefinition(definition, printer));
  return file;
}
