import { printValue } from '../../print/value.js';
import type { JsonValue } from '../../read/json/json.js';
import { capitalizeFirst } from '../../text.js';
import type { SchemaNotation } from '../project/selection.js';
import { exampleAddress, isTemplate } from './resource-address.js';

/** What `add` can add to a project. */
export const ADDABLE = ['tool', 'resource', 'prompt'] as const;
export type Addable = (typeof ADDABLE)[number];

/** An addition, with its names. */
export interface Addition {
  readonly kind: Addable;
  /** Its name for clients. */
  readonly name: string;
  /** The export of its file. */
  readonly identifier: string;
  /** The URI of a resource. */
  readonly uri: string;
  /** For a tool with schemas: the path of the generated file from `src/tools`. */
  readonly module?: string;
  /** The schema of a tool's arguments. */
  readonly input?: AdditionSchema;
  /** The schema of a tool's structured content. */
  readonly output?: AdditionSchema;
  readonly description?: string;
  /** How the project writes schemas. */
  readonly schemas: SchemaNotation;
  /** The path of the generated code from `src/<kind>s`. */
  readonly generated: string;
  /** Extension of imported files, including the dot. */
  readonly extension: string;
}

/** How a library writes an object: its import, an object to fill in, and an example of a member. */
interface InlineSchema {
  readonly imports: string;
  readonly empty: string;
  readonly member: string;
}

const INLINE_SCHEMAS: Readonly<Record<Exclude<SchemaNotation, 'json'>, InlineSchema>> = {
  zod: { imports: 'import { z } from "zod";\n', empty: 'z.object({})', member: 'city: z.string()' },
  arktype: { imports: 'import { type } from "arktype";\n', empty: 'type({})', member: 'city: "string"' },
  valibot: {
    imports: 'import { toStandardJsonSchema } from "@valibot/to-json-schema";\nimport * as v from "valibot";\n',
    empty: 'toStandardJsonSchema(v.object({}))',
    member: 'city: v.string()',
  },
};

/** The names that the files of additions import. */
export const IMPORTED_NAMES: ReadonlySet<string> = new Set([
  'ToolError',
  'argumentsSchema',
  'definePrompt',
  'defineResource',
  'defineResourceTemplate',
  'defineTool',
  'inputSchema',
  'toStandardJsonSchema',
  'type',
  'v',
  'z',
]);

/** The schema that a new tool or prompt has in its own file; undefined if it has none. */
function inlineSchema({ kind, input, schemas }: Addition): InlineSchema | undefined {
  const isInline = kind === 'prompt' || (kind === 'tool' && input === undefined);
  return isInline && schemas !== 'json' ? INLINE_SCHEMAS[schemas] : undefined;
}

/** A schema of a tool: the export of the generated file, and a value that the schema allows, if one was found. */
export interface AdditionSchema {
  readonly identifier: string;
  readonly example: JsonValue | undefined;
}

/** The file of an addition, in the style of the project that `mcpgen init server` writes. */
export function additionHandlerFile(addition: Addition): string {
  const { kind, name, identifier, generated, extension, input, output, uri } = addition;
  const registry = `${generated}/runtime/registry${extension}`;
  const title = titleFromName(name);
  const inline = inlineSchema(addition);
  const wrapper = kind === 'tool' ? 'inputSchema' : 'argumentsSchema';
  const wrapperImport =
    inline === undefined
      ? ''
      : `import { ${wrapper} } from ${JSON.stringify(`${generated}/runtime/standard-schema${extension}`)};\n`;
  const inlineField =
    inline === undefined
      ? ''
      : `// Fill in its arguments, such as \`${inline.member}\`.
${kind === 'tool' ? 'input' : 'arguments'}: ${wrapper}(${inline.empty}),
`;
  const registryFields = `name: ${JSON.stringify(name)},\ntitle: ${JSON.stringify(title)},\n`;
  const description = JSON.stringify(addition.description ?? `${title}.`);
  switch (kind) {
    case 'tool': {
      const schemas = [input, output].flatMap((schema) => (schema === undefined ? [] : [schema.identifier]));
      const throws = output !== undefined && output.example === undefined;
      const generatedImport =
        schemas.length === 0
          ? ''
          : `import { ${schemas.join(', ')} } from ${JSON.stringify(`${addition.module ?? ''}${extension}`)};\n`;
      return `${inline?.imports ?? ''}import { defineTool${throws ? ', ToolError' : ''} } from ${JSON.stringify(registry)};
${wrapperImport}${generatedImport}
export const ${identifier} = defineTool({
${registryFields}// What it does and when to use it, for the model.
description: ${description},
${input === undefined ? inlineField : `input: ${input.identifier},\n`}${output === undefined ? '' : `output: ${output.identifier},\n`}${toolRun(addition)},
});
`;
    }
    case 'resource': {
      const hasVariables = isTemplate(uri);
      const define = hasVariables ? 'defineResourceTemplate' : 'defineResource';
      return `import { ${define} } from ${JSON.stringify(registry)};

export const ${identifier} = ${define}({
${hasVariables ? 'uriTemplate' : 'uri'}: ${JSON.stringify(uri)},
${registryFields}description: ${description},
mimeType: "text/plain",
read: (${hasVariables ? 'variables' : ''}) => ${
        hasVariables
          ? `\`${name} is not implemented; variables: \${JSON.stringify(variables)}\``
          : `"${name} is not implemented."`
      },
});
`;
    }
    case 'prompt':
      return `${inline?.imports ?? ''}import { definePrompt } from ${JSON.stringify(registry)};
${wrapperImport}
export const ${identifier} = definePrompt({
${registryFields}description: ${description},
${inline === undefined ? 'arguments: [],\n' : inlineField}render: () => "${name} is not implemented.",
});
`;
  }
}

/** The function of a new tool. It has to compile, and to return what its schema says. */
function toolRun(addition: Addition): string {
  const { name, input, output } = addition;
  const placeholder = `${name} is not implemented`;
  if (output?.example !== undefined) {
    return `// An example: ${placeholder}.\nrun: () => ({ structuredContent: ${printValue(output.example)} })`;
  }
  if (output !== undefined) return `run: () => { throw new ToolError("${placeholder}."); }`;
  if (input === undefined && inlineSchema(addition) === undefined) return `run: () => "${placeholder}."`;
  return `run: (args) => \`${placeholder}; arguments: \${JSON.stringify(args)}\``;
}

/** The test of an addition: it is listed, and responds. */
export function additionTestFile({ kind, name, uri, input, output, extension }: Addition): string {
  const start = `import { expect, test } from "vitest";
import { connect } from ${JSON.stringify(`../support${extension}`)};

`;
  const text = `expect.stringContaining("${name}") as string`;
  switch (kind) {
    case 'tool': {
      if ([input, output].some((schema) => schema !== undefined && schema.example === undefined)) {
        return `${start}test("${name} is listed", async () => {
const client = await connect();
const { tools } = await client.listTools();
expect(tools.map((tool) => tool.name)).toContain("${name}");
});
`;
      }
      const args = input?.example === undefined ? '' : `, arguments: ${printValue(input.example)}`;
      return `${start}test("${name} answers", async () => {
const client = await connect();
const result = await client.callTool({ name: "${name}"${args} });
expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
});
`;
    }
    case 'resource': {
      return `${start}test("${name} can be read", async () => {
const client = await connect();
const { contents } = await client.readResource({ uri: ${JSON.stringify(exampleAddress(uri))} });
expect(contents).toMatchObject([{ text: ${text} }]);
});
`;
    }
    case 'prompt':
      return `${start}test("${name} can be had", async () => {
const client = await connect();
const { messages } = await client.getPrompt({ name: "${name}" });
expect(messages).toMatchObject([{ role: "user", content: { type: "text", text: ${text} } }]);
});
`;
  }
}

/** `get-weather` and `getWeather` to `Get weather`. */
function titleFromName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => (/^[A-Z0-9]+$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return capitalizeFirst(words);
}
