import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, type Options } from 'prettier';
import { expect } from 'vitest';
import { builtinRevisions, EMITTABLE, loadProtocol, renderAll } from '../../generator/index.js';
import { emit } from '../../generator/emit/index.js';
import { temporaryFolder } from './cli.js';

/** Expects the files of all revisions, which are formatted piece by piece, to be what Prettier makes of each as a whole. */
export async function expectWholeFileFormat(config: Options): Promise<void> {
  // A folder for each, since Prettier remembers a config by its place.
  const out = temporaryFolder();
  writeFileSync(path.join(out, '.prettierrc'), JSON.stringify(config));
  const revisions = builtinRevisions().map(({ revision }) => revision);
  const { files } = await renderAll({ out, revisions, emit: EMITTABLE });
  const protocols = await Promise.all(revisions.map((revision) => loadProtocol({ revision })));
  const unformatted = protocols.flatMap((protocol) =>
    emit(protocol, EMITTABLE, 'js').map((file) => ({
      path: `${protocol.revision}/${file.name}.ts`,
      text: file.print({ header: '', importExtension: 'js' }).join('\n\n'),
    })),
  );
  expect(unformatted).toHaveLength(files.filter((file) => !file.path.startsWith('runtime/')).length);
  for (const { path: name, text } of unformatted) {
    const ours = files.find((file) => file.path === name)?.contents ?? '';
    const whole = await format(text, { ...config, parser: 'typescript', filepath: name });
    // Above it stands our header.
    expect(ours.slice(-whole.length), name).toBe(whole);
  }
  // A user's `prettier --check` finds nothing either.
  for (const { path: name, contents } of files) {
    expect(await format(contents, { ...config, parser: 'typescript', filepath: name }), name).toBe(contents);
  }
}
