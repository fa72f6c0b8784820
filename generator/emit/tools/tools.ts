import { findRejection } from '../../model/types/accepts.js';
import { pascalCase, splitWords } from '../../model/naming.js';
import type { Definition, TypeNode } from '../../model/protocol.js';
import { SchemaDefaults } from '../../model/types/defaults.js';
import type { ToolModel } from '../../model/tools.js';
import type { JsonValue } from '../../read/json/json.js';
import type { ToolSource } from '../../read/tools.js';
import { docComment } from '../../print/doc-comment.js';
import {
  exported,
  fileExtension,
  local,
  SourceFile,
  type Declaration,
  type ImportExtension,
  type RuntimeModule,
  type ToolModule,
} from '../../print/source-file.js';
import { declareDefinition, printType, type TypePrinter } from '../../print/type.js';
import { printValue } from '../../print/value.js';
import { declareAssertion, GuardWriter, checkName, declareValidator } from '../validators.js';

/** The shared files that the files of tools import from. */
export function toolRuntime(tools: readonly ToolSummary[]): readonly RuntimeModule[] {
  if (tools.length === 0) return [];
  return ['runtime/validation', ...(tools.some(isCallable) ? (['runtime/client/tool-calls'] as const) : [])];
}

/** Whether a tool is called by a client; an author's own tools are served instead. */
function isCallable({ source }: ToolSummary): boolean {
  return !source.isOwn;
}

/** A tool with its names in TypeScript and on disk. */
export interface NamedTool {
  readonly model: ToolModel;
  /** Its file in `tools/`, without extension. */
  readonly stem: string;
  /** The prefix of its types. */
  readonly prefix: string;
  /** Its method in a client, and the prefix of its constants. */
  readonly camel: string;
}

/** The part of a tool that the shared files need, so that thousands of tools need not be kept in full. */
export interface ToolSummary extends Omit<NamedTool, 'model'> {
  readonly source: ToolSource;
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  /** Whether it can be called without arguments. */
  readonly isOptional: boolean;
}

/** The data of a tool that the client and the index need. */
export function summarizeTool({ model, ...names }: NamedTool): ToolSummary {
  const has = (key: string): boolean => model.definitions.some(({ name }) => name === key);
  return {
    ...names,
    source: model.source,
    hasInput: has('Input'),
    hasOutput: has('Output'),
    isOptional: acceptsEmptyInput(model),
  };
}

/** Maximum length of a tool's name in a name here. */
const MAX_STEM_LENGTH = 60;

/** File names with another meaning here or for an operating system. */
const RESERVED_STEMS = /^(?:index|client|con|prn|aux|nul|com\d|lpt\d)$/i;

/** Assigns TypeScript names to tools in order; see {@link ToolNamer}. */
export function nameTools(models: readonly ToolModel[]): readonly NamedTool[] {
  const namer = new ToolNamer();
  return models.map((model) => namer.name(model));
}

/**
 * Names tools in TypeScript. If two would have the same name, a number is added, in the order of their names: a
 * foreign server may use any names.
 */
export class ToolNamer {
  readonly #stems = new Set<string>();
  readonly #names = new Set<string>();

  name(model: ToolModel): NamedTool {
    const stem = availableName(toolStem(model.source.name), '-', (name) => !this.#stems.has(name.toLowerCase()));
    this.#stems.add(stem.toLowerCase());
    const wanted = toolPrefix(model.source.name);
    const prefix = availableName(wanted, '', (name) =>
      toolExports(name, model).every((item) => !this.#names.has(item)),
    );
    for (const name of toolExports(prefix, model)) this.#names.add(name);
    return { model, stem, prefix, camel: camelCase(prefix) };
  }
}

function toolStem(name: string): string {
  if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return RESERVED_STEMS.test(name) ? `${name}-tool` : name;
  const words = splitWords(name).flatMap((word) => word.match(/[A-Za-z0-9]+/g) ?? []);
  const stem = words.join('-').slice(0, MAX_STEM_LENGTH).replace(/-$/, '');
  return stem === '' || RESERVED_STEMS.test(stem) ? `${stem}${stem === '' ? '' : '-'}tool` : stem;
}

function toolPrefix(name: string): string {
  const made = truncateStem(pascalCase(name)) || 'Tool';
  // A client with a method `then` would be treated as a promise.
  return camelCase(made) === 'then' ? `${made}Tool` : made;
}

function availableName(wanted: string, separator: string, isFree: (name: string) => boolean): string {
  let name = wanted;
  for (let number = 2; !isFree(name); number += 1) name = `${wanted}${separator}${number}`;
  return name;
}

function truncateStem(name: string): string {
  return Array.from(name).slice(0, MAX_STEM_LENGTH).join('');
}

/** `GetWeather` to `getWeather`, `HTTPGet` to `httpGet`. */
function camelCase(name: string): string {
  const capitals = /^\p{Lu}+(?=\p{Lu}\p{Ll}|$)|^\p{Lu}/u.exec(name)?.[0] ?? '';
  return capitals.toLowerCase() + name.slice(capitals.length);
}

/** All names that a tool's file would export. */
function toolExports(prefix: string, { definitions }: ToolModel): readonly string[] {
  return [
    `${camelCase(prefix)}Input`,
    `${camelCase(prefix)}Output`,
    ...definitions.flatMap(({ name }) => {
      const type = prefix + pascalCase(name);
      return [
        type,
        `${type}WithDefaults`,
        ...(['is', 'validate', 'assert'] as const).map((verb) => checkName(verb, type)),
      ];
    }),
  ];
}

/** `tools/client.ts` with a method for each called tool, and `tools/index.ts`. */
export function emitToolIndex(
  tools: readonly ToolSummary[],
  importExtension: ImportExtension,
): readonly SourceFile<ToolModule>[] {
  const index = new SourceFile<ToolModule>('tools/index');
  const extension = fileExtension(importExtension);
  // Without any tool it is still a module.
  if (tools.length === 0) index.add('export {};\n');
  const called = tools.filter(isCallable);
  const stems = [...tools.map(({ stem }) => stem), ...(called.length === 0 ? [] : ['client'])];
  if (stems.length > 0) index.add(...stems.map((stem) => `export * from "./${stem}${extension}";\n`));
  return [...(called.length === 0 ? [] : [emitToolClient(called)]), index];
}

/** `tools/client.ts`: a method for each tool, typed and validated. */
function emitToolClient(tools: readonly ToolSummary[]): SourceFile<ToolModule> {
  const file = new SourceFile<ToolModule>('tools/client');
  const client = file.importType('runtime/client/tool-calls', 'ToolClient');
  file.reexport('runtime/client/tool-calls', {
    values: ['ToolArgumentsError', 'ToolOutputError'],
    types: ['ToolCallOptions', 'ToolClient', 'ToolResult'],
  });
  const methods = tools.map((tool) => printToolMethod(file, tool));
  file.declare('type', 'Tools', {
    doc: '/** The tools of a server, each as a method. */',
    code: `<Options, Result extends object> = {
${methods.map(({ signature }) => signature).join('\n')}
};`,
  });
  file.declare('function', 'tools', {
    doc: `/**
 * The tools of the server that a client is connected to, each as a method. Arguments are validated before they are sent,
 * and structured content when it arrives; a result with \`isError\` is returned unchanged.
 *
 * @throws Each method: ToolArgumentsError before anything is sent; ToolOutputError; any error of the client.
 */`,
    code: `<Options, Result extends object>(client: ${client}<Options, Result>): Tools<Options, Result> {
  return {
${methods.map(({ body }) => body).join('\n')}
  };
}`,
  });
  return file;
}

function printToolMethod(file: SourceFile<ToolModule>, tool: ToolSummary): { signature: string; body: string } {
  const { source, stem, prefix, camel, hasInput, hasOutput, isOptional } = tool;
  const module: ToolModule = `tools/${stem}`;
  const input = hasInput ? file.importType(module, `${prefix}Input`) : 'Record<string, unknown>';
  const check = hasInput ? file.importValue(module, checkName('validate', `${prefix}Input`)) : 'undefined';
  const name = JSON.stringify(source.name);
  const doc = docComment(
    { text: source.description?.slice(0, 2000) ?? `The tool \`${source.name.slice(0, MAX_STEM_LENGTH)}\`.` },
    new Set(),
  );
  const signature = (result: string): string =>
    `${doc}readonly ${camel}: (args${isOptional ? '?' : ''}: ${input}, options?: ${file.importType('runtime/client/tool-calls', 'ToolCallOptions')}<Options>) => Promise<${result}>;`;
  // Not a default of the parameter: `{}` is not assignable to an optional member named `constructor`.
  const given = `args${isOptional ? ' ?? {}' : ''}`;
  if (!hasOutput) {
    const call = file.importValue('runtime/client/tool-calls', 'callTool');
    return {
      signature: signature('Result'),
      body: `${camel}: (args, options) => ${call}(client, ${name}, ${given}, ${check}, options),`,
    };
  }
  const output = file.importType(module, `${prefix}Output`);
  const call = file.importValue('runtime/client/tool-calls', 'callStructuredTool');
  const checkOutput = file.importValue(module, checkName('validate', output));
  return {
    signature: signature(`${file.importType('runtime/client/tool-calls', 'ToolResult')}<Result, ${output}>`),
    body: `${camel}: (args, options) => ${call}(client, ${name}, ${given}, ${check}, ${checkOutput}, options),`,
  };
}

/** Whether a tool can be called without arguments. */
function acceptsEmptyInput(model: ToolModel): boolean {
  const types = new Map(model.definitions.map(({ name, type }) => [name, type]));
  const input = types.get('Input');
  return input === undefined || findRejection(types, input, {}) === undefined;
}

/** `tools/<name>.ts`: the types of a tool's arguments and structured content, with guards and validators. */
export function emitTool({ model, stem, prefix, camel }: NamedTool): SourceFile<ToolModule> {
  const { source, definitions } = model;
  const file = new SourceFile<ToolModule>(`tools/${stem}`);
  if (definitions.length === 0) {
    file.add('export {};\n');
    return file;
  }
  file.importNamespace('runtime/validation', 'check');
  const names = new Map(definitions.map(({ name }) => [name, prefix + pascalCase(name)]));
  const printer = { name: (key: string) => names.get(key) ?? key, linkable: new Set(names.values()) };
  const writer = new GuardWriter({ protocol: model, printer }, ['check', ...toolExports(prefix, model)]);
  for (const definition of definitions) file.add(declareDefinition(withToolDocs(definition, source), printer));
  const guards = definitions.map(({ name, type }) => writer.declareGuard(name, type));
  for (const declaration of [...writer.inline, ...guards]) file.add(declaration);
  // A part of a schema gets only a type and a guard.
  const whole = [...names].filter(([key]) => isWholeSchema(key)).map(([, name]) => name);
  for (const declaration of [
    ...whole.map((name) => declareValidator(name)),
    ...whole.map((name) => declareAssertion(name)),
  ])
    file.add(declaration);
  if (source.isOwn) {
    if (source.input !== undefined) {
      const completed = declareDefaults(file, definitions, names, printer);
      file.add(declareTypedSchema(`${camel}Input`, `${prefix}Input`, source.input, completed));
    }
    if (source.output !== undefined) file.add(declareTypedSchema(`${camel}Output`, `${prefix}Output`, source.output));
  }
  return file;
}

/** Whether a definition is a schema of the tool itself, not one that it references. */
function isWholeSchema(key: string): boolean {
  return !key.includes(' ');
}

function withToolDocs(definition: Definition, { name, description }: ToolSource): Definition {
  if (!isWholeSchema(definition.name)) return definition;
  const what = definition.name === 'Input' ? 'Arguments' : 'Structured content';
  const texts = [`${what} of the tool \`${name.slice(0, MAX_STEM_LENGTH)}\`.`, definition.doc ?? '', description ?? ''];
  return {
    ...definition,
    doc: texts
      .filter((text) => text !== '')
      .map((text) => text.slice(0, 2000))
      .join('\n\n'),
  };
}

/**
 * The types and functions that apply the defaults of a tool's arguments. Returns the type of complete arguments;
 * undefined if the schema has no defaults.
 */
function declareDefaults(
  file: SourceFile<ToolModule>,
  definitions: readonly Definition[],
  names: ReadonlyMap<string, string>,
  printer: TypePrinter,
): { readonly type: string; readonly fill: string } | undefined {
  const ofInput = definitions.filter(({ name }) => name === 'Input' || name.startsWith('Input '));
  const defaults = new SchemaDefaults(ofInput);
  const completed = ofInput.filter(({ type }) => defaults.applyTo(type));
  if (!completed.some(({ name }) => name === 'Input')) return undefined;
  const taken = new Set(names.values());
  const types = new Map(
    completed.map(({ name }) => {
      const wanted = `${printer.name(name)}WithDefaults`;
      const type = availableName(wanted, '', (item) => !taken.has(item));
      taken.add(type);
      return [name, type];
    }),
  );
  const fillName = (name: string): string => `fill${types.get(name) ?? name}`;
  const completePrinter = { ...printer, name: (key: string) => types.get(key) ?? printer.name(key) };
  for (const { name, type } of completed) {
    const code = printType(
      defaults.complete(type, (key) => key),
      completePrinter,
    );
    const doc = docComment(
      { text: `{@link ${printer.name(name)}} with its defaults: what a tool with \`applyDefaults\` receives.` },
      new Set(names.values()),
    );
    file.add(exported('type', types.get(name) ?? name, { doc, code: ` = ${code};` }));
  }
  for (const { name, type } of completed) {
    const code = printFill(type, defaults, fillName) ?? '';
    file.add(local('const', fillName(name), { code: `: check.Fill = ${code};` }));
  }
  return { type: types.get('Input') ?? '', fill: fillName('Input') };
}

/** A function that fills in values of a type, as an expression; undefined if the type has no defaults. */
function printFill(type: TypeNode, defaults: SchemaDefaults, fillName: (name: string) => string): string | undefined {
  if (!defaults.applyTo(type)) return undefined;
  switch (type.kind) {
    case 'object': {
      const members = type.members.flatMap((member) => {
        const value = defaults.of(member);
        const fill = printFill(member.type, defaults, fillName);
        if (value === undefined && fill === undefined) return [];
        const makeDefault = value === undefined ? 'undefined' : `() => (${printValue(value)})`;
        return [
          `[${[JSON.stringify(member.name), makeDefault, fill].filter((item) => item !== undefined).join(', ')}]`,
        ];
      });
      return `check.memberDefaults([${members.join(', ')}])`;
    }
    case 'array':
      return `check.itemDefaults(${printFill(type.items, defaults, fillName) ?? ''})`;
    case 'intersection':
      return `check.allDefaults(${type.parts.flatMap((part) => printFill(part, defaults, fillName) ?? []).join(', ')})`;
    case 'ref':
      // Called later, since definitions can refer to each other.
      return `(value) => ${fillName(type.name)}(value)`;
    default:
      return undefined;
  }
}

/** A schema with its validator, for a tool's definition. */
function declareTypedSchema(
  name: string,
  type: string,
  schema: JsonValue,
  completed?: { readonly type: string; readonly fill: string },
): Declaration {
  const doc = docComment(
    { text: `The schema of {@link ${type}}, for the model, with its validator.` },
    new Set([type]),
  );
  const code = `: {
  readonly schema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly validate: check.Validator<${type}>;${completed === undefined ? '' : `\n  readonly validateWithDefaults: (value: unknown) => check.Validation<${completed.type}>;`}
} = {
  schema: ${printValue(schema)},
  validate: ${checkName('validate', type)},${completed === undefined ? '' : `\n  validateWithDefaults: check.validatorWithDefaults(${completed.fill}, ${checkName('validate', type)}),`}
};`;
  return exported('const', name, { doc, code });
}
