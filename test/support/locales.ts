import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { SHARED_PARTS } from '../../generator/emit/parts.js';
import { CLI, readFiles, temporaryFolder } from './cli.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Expects the command line to write the committed files in any locale and time zone. */
export function expectSameBytes(locale: string, timeZone: string): void {
  const cwd = temporaryFolder();
  copyFileSync(path.join(ROOT, '.prettierrc'), path.join(cwd, '.prettierrc'));
  const name = `${locale.replace('-', '_')}.UTF-8`;
  const env = { ...process.env, LC_ALL: name, LANG: name, TZ: timeZone };
  const facts = '[Intl.DateTimeFormat().resolvedOptions().locale, Intl.DateTimeFormat().resolvedOptions().timeZone]';
  const surroundings = execFileSync(process.execPath, ['-p', `${facts}.join()`], { env, encoding: 'utf8' });
  expect(surroundings.trim()).toBe(`${locale},${timeZone}`);
  const args = [
    'generate',
    '--emit',
    ['default', ...SHARED_PARTS.filter((part) => part !== 'pipe')].join(','),
    '--out',
    'made/here',
  ];
  const run = spawnSync(process.execPath, [CLI, ...args], { cwd, env, encoding: 'utf8' });
  expect(run.status, run.stderr).toBe(0);
  expect(readFiles(path.join(cwd, 'made/here'))).toEqual(readFiles(path.join(ROOT, 'generated')));
}
