import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { formatAuthorFile } from '../../output/format.js';
import { isUrl } from '../../read/fetch.js';
import type { Matchers } from '../../replay/matchers.js';
import { renderTest } from '../../replay/test-file.js';
import type { Script } from '../../replay/script.js';
import { displayUrl } from '../../text.js';
import type { ReplayAction } from './options.js';

/** Where a project has its generated code. */
const DEFAULT_GENERATED = 'src/generated';

/**
 * Writes the test of a recording. Returns what it wrote, for the user.
 *
 * @throws {@link McpgenError} if the test exists, or the generated client does not.
 */
export async function writeTest(
  file: string,
  script: Script,
  { folder, generated = DEFAULT_GENERATED, server, command }: Extract<ReplayAction, { kind: 'test' }>,
  matchers: Matchers,
): Promise<string> {
  const { revision } = script;
  if (revision === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(revision)) {
    throw new McpgenError('does not say which revision is spoken', {
      place: file,
      remedy: 'Record from the beginning: initialize, or the first request, names the revision.',
    });
  }
  const client = path.join(generated, revision, 'client');
  if (![`${client}.ts`, `${client}.js`].some((name) => existsSync(name))) {
    throw new McpgenError(`there is no client of ${revision} in it`, {
      place: generated,
      remedy: `Run mcpgen generate --revision ${revision} --out ${generated}, or pass --generated DIR.`,
    });
  }
  const name = path.basename(file).replace(/(?:\.mcp)?\.(?:ndjson|jsonl|json|log)$/, '');
  const target = path.join(folder, `${name === '' || name === '-' ? 'replay' : name}.test.ts`);
  const relative = path.relative(folder, generated).split(path.sep).join('/');
  const { text, calls, skipped } = renderTest(script, {
    source: path.basename(file),
    server: isUrl(server) ? { url: displayUrl(server) } : { command },
    revision,
    generated: relative.startsWith('.') ? relative : `./${relative}`,
    matchers,
  });
  const formatted = await formatAuthorFile(text, path.resolve(target));
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(target, formatted, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new McpgenError(code === 'EEXIST' ? 'exists already' : `cannot be written (${code ?? 'unknown'})`, {
      place: target,
      remedy: code === 'EEXIST' ? 'Delete it, or rename the recording.' : 'Choose another folder with --as-test.',
      cause: error,
    });
  }
  const rest = skipped === 0 ? '' : `, ${skipped} without a response are left out`;
  return `wrote ${target}: ${calls} ${calls === 1 ? 'call' : 'calls'}${rest}`;
}
