import { findRejection } from '../../model/types/accepts.js';
import { exampleOf } from '../../model/types/example.js';
import type { ToolModel } from '../../model/tools.js';
import { isObject, type JsonValue } from '../../read/json/json.js';
import { printValue } from '../../print/value.js';
import type { NamedTool } from './tools.js';

/** An example call of a tool. */
export interface ToolExample {
  /** The name of the tool on the server. */
  readonly name: string;
  /** Its method in the client. */
  readonly method: string;
  /** Its arguments, as an expression; undefined if it needs none. */
  readonly args: string | undefined;
  /** Structured content that it may return, as an expression; undefined if it returns none. */
  readonly output: string | undefined;
  /** Whether the arguments and the structured content match the schemas. */
  readonly isValid: boolean;
}

/**
 * An example call of the most suitable tool: if possible, one that changes nothing and has arguments and structured
 * content whose schemas allow invented values.
 *
 * @param tools - At least one.
 */
export function bestToolExample(tools: readonly NamedTool[]): ToolExample {
  const ranked = tools
    .map((tool) => ({ tool, example: toolExample(tool) }))
    .map(({ tool, example }) => ({ example, rank: rankExample(tool.model, example) }))
    .sort((a, b) => b.rank - a.rank);
  const [best] = ranked;
  if (best === undefined) throw new RangeError('there is no tool');
  return best.example;
}

function rankExample({ source }: ToolModel, { isValid, args, output }: ToolExample): number {
  return (
    (isValid ? 8 : 0) +
    (source.isReadOnly === true ? 4 : 0) +
    (output === undefined ? 0 : 2) +
    (args === undefined ? 0 : 1)
  );
}

function toolExample({ model, camel }: NamedTool): ToolExample {
  const args = exampleValue(model, 'Input');
  const output = exampleValue(model, 'Output');
  const needsNone =
    args === undefined || (isObject(args.value) && Object.keys(args.value).length === 0 && args.isValid);
  return {
    name: model.source.name,
    method: camel,
    args: needsNone ? undefined : printExpression(args.value),
    output: output === undefined ? undefined : printExpression(output.value),
    isValid: args?.isValid !== false && output?.isValid !== false,
  };
}

function exampleValue(model: ToolModel, key: string): { value: JsonValue | undefined; isValid: boolean } | undefined {
  const definition = model.definitions.find(({ name }) => name === key);
  if (definition === undefined) return undefined;
  const value = exampleOf(model, definition.type);
  const types = new Map(model.definitions.map(({ name, type }) => [name, type]));
  return {
    value,
    isValid: value !== undefined && isObject(value) && findRejection(types, definition.type, value) === undefined,
  };
}

/** A value as an expression; if none could be invented, a placeholder that compiles. */
function printExpression(value: JsonValue | undefined): string {
  return value === undefined ? '{} as never' : printValue(value);
}
