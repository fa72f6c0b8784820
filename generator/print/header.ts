import type { Protocol, Source } from '../model/protocol.js';
import { HIDDEN_CHARACTERS } from '../text.js';

/**
 * The header of a protocol's files below the first line: their sources and the command to regenerate them. It has no
 * date and no version of the tool, so that the same input produces the same bytes.
 *
 * @param command - The command that regenerates the files.
 * @param plugin - The plugin that wrote the file.
 */
export function protocolHeader(protocol: Protocol, command: string, plugin?: string): string {
  const lines = protocolHeaderLines(protocol, command, plugin).map((line) => `// ${line}`);
  return `${[...lines, '/* eslint-disable */'].join('\n')}\n`;
}

/** The lines of the header of a protocol's files, without comment marks. */
export function protocolHeaderLines(protocol: Protocol, command: string, plugin?: string): readonly string[] {
  const { name, revision, source, extensions, errata, isDraft } = protocol;
  return [
    `${singleLine(name)}, revision ${singleLine(revision)}${isDraft ? ' (a draft: it may still change)' : ''}`,
    `Schema: ${sourceText(source)}`,
    ...extensions.map(
      (extension) =>
        `Extension: ${singleLine(extension.id)}${extension.isDraft ? ' (a draft)' : ''}, ${sourceText(extension.source)}`,
    ),
    `Errata: ${errata.length === 0 ? 'none' : errata.map((erratum) => erratum.id).join(', ')}`,
    ...(plugin === undefined ? [] : [`Plugin: ${singleLine(plugin)}`]),
    `Regenerate: ${singleLine(command)}`,
  ];
}

/**
 * The header of a file that all revisions share, below the first line.
 *
 * @param name - Its path below the output folder, without extension.
 */
export function runtimeHeader(name: string): string {
  const lines = [
    `// Shared by all revisions: ${name}`,
    '// Regenerate: run the command that the other files name',
    '/* eslint-disable */',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The header of the files of tools, below the first line.
 *
 * @param what - The tool and its sources; undefined for the index.
 * @param command - The command that regenerates them.
 */
export function toolHeader(
  what: { readonly name: string; readonly places: readonly string[] } | undefined,
  command: string,
): string {
  const lines = [
    ...(what === undefined
      ? []
      : [`// Tool: ${singleLine(what.name)}`, `// Schema: ${singleLine(what.places.join(', '))}`]),
    `// Regenerate: ${singleLine(command)}`,
    '/* eslint-disable */',
  ];
  return `${lines.join('\n')}\n`;
}

function sourceText({ file, sha256, builtin }: Source): string {
  return `${singleLine(file)}, sha256${builtin ? ' of the official file' : ''} ${sha256}`;
}

/** Escapes text for use in a line comment. */
function singleLine(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, '?').slice(0, 300);
}
