import { requireExtension } from '../read/builtin/extensions.js';
import { builtinErrata, requireRevision } from '../read/builtin/revisions.js';
import type { ErratumChange } from '../read/errata.js';
import { stdoutColors, printLine, printJson } from '../terminal.js';
import { booleanOption, stringOption, stringsOption, type RawOptions } from './shared/options.js';

/** The options of `mcpgen errata`. */
interface ErrataOptions {
  /** Identifiers of built-in extensions whose schemas are corrected too. */
  readonly extensions: readonly string[];
  readonly revision: string | undefined;
  readonly json: boolean;
}

export function parseErrataOptions(raw: RawOptions): ErrataOptions {
  return {
    extensions: stringsOption(raw, 'extension') ?? [],
    revision: stringOption(raw, 'revision'),
    json: booleanOption(raw, 'json'),
  };
}

/** `mcpgen errata`: lists what is corrected in the official schemas, where, and why. Returns the exit code. */
export function errataCommand({ extensions, revision, json }: ErrataOptions): number {
  if (revision !== undefined) requireRevision(revision);
  for (const id of extensions) requireExtension(id);
  const errata = [undefined, ...extensions]
    .flatMap((extension) => builtinErrata(extension))
    .map((erratum) => ({
      ...erratum,
      changes: erratum.changes.filter((change) => revision === undefined || change.revision === revision),
    }))
    .filter((erratum) => erratum.changes.length > 0);
  if (json) {
    printJson(errata);
    return 0;
  }
  for (const erratum of errata) {
    const status =
      erratum.status === 'open'
        ? stdoutColors.yellow('open')
        : stdoutColors.green('fixed in the current official file');
    printLine(`${stdoutColors.bold(erratum.id)} (${status})`);
    printLine(`  ${erratum.summary}`);
    printLine(`  Source: ${erratum.source}`);
    for (const change of erratum.changes) for (const line of formatChange(change)) printLine(`  ${line}`);
    printLine();
  }
  const open = errata.filter((erratum) => erratum.status === 'open').length;
  const which = revision === undefined ? '' : ` of revision ${revision}`;
  // Errata that are fixed upstream do not change a current file, so `generate` does not count them.
  const still = open === errata.length ? '' : `, ${open} of them open`;
  printLine(`${errata.length} ${errata.length === 1 ? 'erratum' : 'errata'}${which}${still}`);
  return 0;
}

function formatChange(change: ErratumChange): readonly string[] {
  const oldValue = change.old === undefined ? 'nothing' : JSON.stringify(change.old);
  const [first = '', ...rest] = change.at;
  const where = change.extension === undefined ? change.revision : `${change.revision} with ${change.extension}`;
  const what = stdoutColors.dim(`${oldValue} -> ${JSON.stringify(change.new)}`);
  if (rest.length === 0) return [`${where}  ${first}  ${what}`];
  return [
    `${where}  ${change.at.length} places  ${what}`,
    ...change.at.map((changedPointer) => `            ${changedPointer}`),
  ];
}
