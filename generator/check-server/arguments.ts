/** Arguments for tools: valid ones by the schema, and ones that the schema surely does not allow. */
import { compileSchema } from '../../generated/runtime/json-schema.js';
import { parseTool } from '../model/tools.js';
import { exampleOf } from '../model/types/example.js';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import { NO_DOCS } from '../read/builtin/docs.js';
import { parseTools } from '../read/tools.js';

/** Valid arguments of a tool; undefined if none could be generated. */
export function validArguments(tool: JsonObject): JsonObject | undefined {
  const schema = ownMember(tool, 'inputSchema');
  if (!isObject(schema)) return undefined;
  const isValid = (value: JsonValue | undefined): value is JsonObject =>
    value !== undefined && isObject(value) && compileSchema(schema)(value).success;
  if (isValid({})) return {};
  for (const candidate of [fromDefaults(schema), fromModel(tool)]) if (isValid(candidate)) return candidate;
  return undefined;
}

/** Required members from `default`, `examples`, `enum` or `const`. */
function fromDefaults(schema: JsonObject): JsonObject | undefined {
  const properties = ownMember(schema, 'properties');
  if (!isObject(properties)) return undefined;
  const values: Record<string, JsonValue> = {};
  for (const name of requiredOf(schema)) {
    const member = ownMember(properties, name);
    if (!isObject(member)) return undefined;
    const examples = ownMember(member, 'examples');
    const options = ownMember(member, 'enum');
    const value =
      ownMember(member, 'default') ??
      ownMember(member, 'const') ??
      (Array.isArray(examples) ? (examples as readonly JsonValue[])[0] : undefined) ??
      (Array.isArray(options) ? (options as readonly JsonValue[])[0] : undefined);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function fromModel(tool: JsonObject): JsonObject | undefined {
  try {
    const [source] = parseTools([{ ...tool, outputSchema: undefined } as unknown as JsonValue], 'tools');
    if (source === undefined) return undefined;
    const model = parseTool(source, NO_DOCS);
    const input = model.definitions.find(({ name }) => name === 'Input');
    const value = input === undefined ? undefined : exampleOf(model, input.type);
    return isObject(value) ? value : undefined;
  } catch {
    // A schema that cannot be read has its own findings.
    return undefined;
  }
}

/** Arguments that a schema does not allow, each with what is wrong. */
export interface InvalidArguments {
  readonly what: string;
  readonly value: JsonObject;
}

/**
 * Arguments that the schema of a tool does not allow, however a server may convert values: without a required member,
 * and with an object where the schema allows only another type.
 */
export function invalidArguments(tool: JsonObject): readonly InvalidArguments[] {
  const schema = ownMember(tool, 'inputSchema');
  const valid = validArguments(tool);
  if (!isObject(schema) || valid === undefined) return [];
  const properties = ownMember(schema, 'properties');
  if (!isObject(properties)) return [];
  const candidates: InvalidArguments[] = [];
  const [required] = requiredOf(schema);
  if (required !== undefined) {
    const rest = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== required));
    candidates.push({ what: `without the required ${JSON.stringify(required)}`, value: rest });
  }
  for (const [name, member] of Object.entries(properties)) {
    const type = isObject(member) ? ownMember(member, 'type') : undefined;
    if (typeof type !== 'string' || type === 'object') continue;
    const value = { ...valid, [name]: { mcpgen: 'not a valid value' } };
    candidates.push({ what: `with an object for ${JSON.stringify(name)}, a ${type}`, value });
    break;
  }
  const validate = compileSchema(schema);
  return candidates.filter(({ value }) => !validate(value).success);
}

function requiredOf(schema: JsonObject): readonly string[] {
  const required = ownMember(schema, 'required');
  if (!Array.isArray(required)) return [];
  return (required as readonly JsonValue[]).filter((name): name is string => typeof name === 'string');
}
