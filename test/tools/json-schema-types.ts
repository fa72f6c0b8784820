/**
 * Types of the JSON Schema Test Suite's schemas: instances are compiled as literals.
 */
import { compile } from 'json-schema-to-typescript';
import ts from 'typescript';
import { pascalCase } from '../../generator/model/naming.js';
import { printDefinition } from '../../generator/print/type.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import type { SuiteTool } from './json-schema-suite.js';

/** An instance as a statement, with the verdict of the suite. */
export interface Statement {
  readonly title: string;
  readonly valid: boolean;
  readonly text: string;
}

/**
 * The titles of instances that do not compile, and errors in the declarations.
 *
 * @param folder - Where imported packages are found.
 */
export function notCompiling(
  declarations: string,
  statements: readonly Statement[],
  folder = '',
): { readonly failed: ReadonlySet<string>; readonly elsewhere: readonly string[] } {
  const text = `${declarations}\n//STATEMENTS\n${statements.map((statement) => statement.text).join('\n')}\n`;
  const options: ts.CompilerOptions = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [] };
  const host = ts.createCompilerHost(options);
  const file = ts.createSourceFile(`${folder}/suite.ts`, text, ts.ScriptTarget.ES2022);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...more) => (name === file.fileName ? file : getSourceFile(name, ...more));
  const program = ts.createProgram([file.fileName], options, host);
  const start = text.slice(0, text.indexOf('//STATEMENTS')).split('\n').length;
  const failed = new Set<string>();
  const elsewhere: string[] = [];
  for (const diagnostic of program.getSemanticDiagnostics(file).concat(program.getSyntacticDiagnostics(file))) {
    const { line } = file.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
    const statement = statements[line - start];
    if (statement === undefined) elsewhere.push(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
    else failed.add(statement.title);
  }
  return { failed, elsewhere };
}

/** A value in TypeScript; `__proto__` is an ordinary member. */
function literal(value: JsonValue): string {
  return JSON.stringify(value).replaceAll('"__proto__":', '["__proto__"]:');
}

export function statementsOf(
  tools: readonly SuiteTool[],
  typeOf: (tool: SuiteTool, index: number) => string,
): Statement[] {
  return tools.flatMap((tool, index) =>
    tool.tests.map(({ description, data, valid }, position) => ({
      title: `${tool.name}: ${description}`,
      valid,
      text: `export const v${index}_${position}: ${typeOf(tool, index)} = { v: ${literal(data)} };`,
    })),
  );
}

export function declarationsOf(tools: readonly SuiteTool[]): string {
  return tools
    .flatMap(({ tool: { model, prefix } }) => {
      const name = (key: string): string => prefix + pascalCase(key);
      return model.definitions.map((definition) => printDefinition(definition, { name, linkable: new Set() }));
    })
    .join('\n');
}

/** The type that json-schema-to-typescript makes of a schema; what it cannot read is unknown. */
export async function namespaceOf(schema: JsonValue, index: number): Promise<string> {
  const type = `export type Case${index} = { v?: Case${index}Schema.V };`;
  try {
    const text = await compile(structuredClone(schema) as object, 'V', {
      bannerComment: '',
      format: false,
      $refOptions: { resolve: { http: false, file: false } },
    });
    const isDeclared = /export (?:interface|type) V\b/.test(text);
    return `namespace Case${index}Schema { ${text} ${isDeclared ? '' : 'export type V = unknown;'} }\n${type}`;
  } catch {
    return `namespace Case${index}Schema { export type V = unknown; }\n${type}`;
  }
}

export function shares(
  statements: readonly Statement[],
  failed: ReadonlySet<string>,
): { sound: string; precise: string } {
  const [valid, invalid] = [true, false].map((verdict) => statements.filter((one) => one.valid === verdict));
  const count = (list: readonly Statement[] = [], compiles: boolean): string => {
    const found = list.filter(({ title }) => !failed.has(title) === compiles).length;
    return `${found} of ${list.length} (${((100 * found) / list.length).toFixed(1)} %)`;
  };
  return { sound: count(valid, true), precise: count(invalid, false) };
}
