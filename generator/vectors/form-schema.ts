/** The JSON Schema of the form of vectors. */
import path from 'node:path';
import { packageFile, readTextFile } from '../read/files.js';

/** Its name, in the package and next to each index. */
export const FORM_SCHEMA = 'vectors.schema.json';

/** Its text. */
export function readFormSchema(): string {
  return readTextFile(path.join(path.dirname(packageFile()), 'schema', FORM_SCHEMA));
}
