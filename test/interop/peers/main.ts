import { pathToFileURL } from 'node:url';

/** Whether a module is the program that runs. */
export function isMain(url: string): boolean {
  return process.argv[1] !== undefined && pathToFileURL(process.argv[1]).href === url;
}

/** The revisions that the command line names, or all of these. */
export function revisionsFromArguments(all: readonly string[]): readonly string[] {
  const named = process.argv.slice(2);
  return named.length === 0 ? all : named;
}
