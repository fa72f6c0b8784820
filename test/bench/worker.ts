/** Measurements that run in a separate process: `node worker.mjs NAME ARGUMENTS`. Prints a number for each column. */
import process from 'node:process';
import { measureReader } from './codec-worker.js';
import { measureRegistry, measureSessions } from './growth-worker.js';
import { measurePair, type Medium } from './pairs.js';
import { measureChecks } from './validators-worker.js';

const [name = '', text = '{}'] = process.argv.slice(2);
const args = JSON.parse(text) as Record<string, string>;
const of = (key: string): string => args[key] ?? '';

const MEASUREMENTS: Readonly<Record<string, () => Promise<readonly number[]> | readonly number[]>> = {
  calls: () => measurePair(of('name'), of('medium') as Medium, of('script')),
  checks: () => measureChecks(of('name'), of('scratch')),
  reader: () => measureReader(of('name')),
  sessions: () => measureSessions(Number(args['size'])),
  registry: () => measureRegistry(Number(args['size'])),
};

const measure = MEASUREMENTS[name];
if (measure === undefined) throw new Error(`nothing is called ${name}`);
process.stdout.write(`\n${JSON.stringify(await measure())}`, () => process.exit());
