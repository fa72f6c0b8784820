import { execFileSync } from 'node:child_process';

/** All files that are part of the project, by path from its root. */
export const PROJECT_FILES: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((name) => name !== '');
