import { optionFlag } from '../../command-line.js';
import {
  booleanOption,
  choiceOption,
  listOption,
  negatableOption,
  pathsOption,
  refuseBothOptions,
  stringOption,
  stringsOption,
  type RawOptions,
} from '../shared/options.js';
import { IMPORT_EXTENSIONS, TARGETS, parseConfigOptions, type CommandLine } from '../shared/settings.js';

/** The options of `mcpgen generate`. */
export interface GenerateCommandLine extends CommandLine {
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly watch: boolean;
  readonly json: boolean;
}

export function parseGenerateOptions(raw: RawOptions): GenerateCommandLine {
  const options: GenerateCommandLine = {
    ...parseConfigOptions(raw),
    out: stringOption(raw, 'out'),
    revisions: stringsOption(raw, 'revision'),
    schema: stringOption(raw, 'schema'),
    catalog: stringOption(raw, 'catalog'),
    emit: listOption(raw, 'emit'),
    methods: listOption(raw, 'methods'),
    importExtension: choiceOption(raw, 'importExtension', IMPORT_EXTENSIONS),
    target: choiceOption(raw, 'target', TARGETS),
    tsNocheck: booleanOption(raw, 'tsNocheck'),
    errata: negatableOption(raw, 'errata'),
    strict: booleanOption(raw, 'strict'),
    trustPatterns: booleanOption(raw, 'trustPatterns'),
    additionalSchemas: pathsOption(raw, 'additionalSchema'),
    nullable: booleanOption(raw, 'nullable'),
    extensions: stringsOption(raw, 'extension'),
    extend: pathsOption(raw, 'extend'),
    plugins: pathsOption(raw, 'plugin'),
    check: booleanOption(raw, 'check'),
    dryRun: booleanOption(raw, 'dryRun'),
    watch: booleanOption(raw, 'watch'),
    json: booleanOption(raw, 'json'),
  };
  for (const name of ['check', 'dryRun'] as const) {
    refuseBothOptions(options, 'watch', name, `Omit one of them; ${optionFlag(name)} writes nothing.`);
  }
  refuseBothOptions(options, 'check', 'dryRun', 'Both write nothing; --check sets the exit code.');
  return options;
}
