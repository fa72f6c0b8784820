import { builtinErrata, requireRevision } from '../read/builtin.js';
import type { ErratumChange } from '../read/errata.js';
import { colour, say, sayJson } from '../terminal.js';
import { flag, text } from './options.js';

/** `mcpgen errata`: what is corrected in the official schemas, where, and why. Returns the exit code. */
export function errataCommand(flags: Record<string, unknown>): number {
  const revision = text(flags, 'revision');
  if (revision !== undefined) requireRevision(revision);
  const errata = builtinErrata()
    .map((erratum) => ({
      ...erratum,
      changes: erratum.changes.filter((change) => revision === undefined || change.revision === revision),
    }))
    .filter((erratum) => erratum.changes.length > 0);
  if (flag(flags, 'json')) {
    sayJson(errata);
    return 0;
  }
  for (const erratum of errata) {
    const status =
      erratum.status === 'open' ? colour.yellow('open') : colour.green('fixed in the current official file');
    say(`${colour.bold(erratum.id)} (${status})`);
    say(`  ${erratum.summary}`);
    say(`  Source: ${erratum.source}`);
    for (const change of erratum.changes) for (const line of lines(change)) say(`  ${line}`);
    say();
  }
  const open = errata.filter((erratum) => erratum.status === 'open').length;
  const which = revision === undefined ? '' : ` of revision ${revision}`;
  // Those that are fixed upstream change nothing in a current file, so `generate` does not count them.
  const still = open === errata.length ? '' : `, ${open} of them open`;
  say(`${errata.length} ${errata.length === 1 ? 'erratum' : 'errata'}${which}${still}`);
  return 0;
}

function lines(change: ErratumChange): readonly string[] {
  const old = change.old === undefined ? 'nothing' : JSON.stringify(change.old);
  const [first = '', ...rest] = change.at;
  const what = colour.dim(`${old} -> ${JSON.stringify(change.new)}`);
  if (rest.length === 0) return [`${change.revision}  ${first}  ${what}`];
  return [`${change.revision}  ${change.at.length} places  ${what}`, ...change.at.map((at) => `            ${at}`)];
}
