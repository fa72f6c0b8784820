/**
 * The plugin `mcpgen/plugins/markdown`: a reference of each revision for people, `reference.md`.
 */
import {
  definePlugin,
  sideWords,
  type Definition,
  type Member,
  type Method,
  type PluginTools,
  type Protocol,
  type TypeNode,
} from '../plugin.js';

/** The directions of methods, in the protocol's words for its sides. */
function directionsOf(protocol: Protocol): Readonly<Record<Method['direction'], string>> {
  const { client, server } = sideWords(protocol);
  return {
    clientToServer: `${client} to ${server}`,
    serverToClient: `${server} to ${client}`,
    both: 'both ways',
    embedded: 'inside results',
  };
}

const LIFECYCLES: Readonly<Record<NonNullable<Protocol['lifecycle']>, string>> = {
  stateful: 'A connection begins with a handshake.',
  stateless: 'Each request is self-contained.',
};

export default definePlugin(1, (protocol, tools) => [
  { path: 'reference.md', text: new Reference(protocol, tools).print() },
]);

/** Prints a protocol. Headings are known before their links, so that each link has the anchor that GitHub makes. */
class Reference {
  readonly #protocol: Protocol;
  readonly #tools: PluginTools;
  readonly #directions: Readonly<Record<Method['direction'], string>>;
  readonly #anchors = new Map<string, string>();
  readonly #taken = new Map<string, number>();

  constructor(protocol: Protocol, tools: PluginTools) {
    this.#protocol = protocol;
    this.#tools = tools;
    this.#directions = directionsOf(protocol);
    const { name, revision, methods, definitions } = protocol;
    // In the order of the page: GitHub numbers equal headings.
    for (const heading of [`${name} ${revision}`, 'Methods']) this.#reserve(heading);
    for (const method of methods) this.#anchors.set(`method ${method.name}`, this.#reserve(method.name));
    for (const heading of ['Errors', 'Definitions']) this.#reserve(heading);
    for (const definition of definitions) this.#anchors.set(`type ${definition.name}`, this.#reserve(definition.name));
  }

  print(): string {
    const { name, revision, isDraft, lifecycle, methods, definitions, errors, extensions } = this.#protocol;
    const sessions = lifecycle === undefined ? '' : ` ${LIFECYCLES[lifecycle]}`;
    const added = extensions.map(({ id, summary }) => `- Extension ${code(id)}: ${inline(summary)}`);
    return [
      `# ${text(name)} ${text(revision)}`,
      `${isDraft ? 'A draft, which may still change. ' : ''}${methods.length} methods, ${definitions.length} definitions.${sessions}`,
      added.join('\n'),
      '## Methods',
      table(
        ['method', 'kind', 'direction', 'what it does'],
        methods.map((method) => [
          this.#link('method', method.name),
          method.kind,
          this.#directions[method.direction],
          `${method.deprecated === undefined ? '' : '**Deprecated.** '}${inline(method.summary)}`,
        ]),
      ),
      ...methods.map((method) => this.#method(method)),
      '## Errors',
      table(
        ['code', 'name', 'what it means'],
        [...errors].map(({ code: number, name: error, summary, definition }) => [
          code(String(number)),
          definition === undefined ? code(error) : `${code(error)} (${this.#link('type', definition)})`,
          inline(summary),
        ]),
      ),
      '## Definitions',
      ...definitions.map((definition) => this.#definition(definition)),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  #method(method: Method): string {
    const { name, summary, deprecated, kind, direction, capabilities, results, taskResult, message, extension } =
      method;
    const params = this.#tools.params(method);
    const facts = [
      `- ${kind === 'request' ? 'Request' : 'Notification'}, ${this.#directions[direction]}: ${this.#link('type', message)}`,
      ...(capabilities.length === 0 ? [] : [`- Capability: ${capabilities.map(code).join(', ')}`]),
      ...(extension === undefined ? [] : [`- Extension: ${code(extension)}`]),
      ...(params === undefined
        ? ['- Params: none']
        : [`- Params: ${params.kind === 'ref' ? this.#type(params) : 'below'}`]),
      ...(results.length === 0
        ? []
        : [`- Result: ${results.map((result) => this.#link('type', result)).join(' or ')}`]),
      ...(taskResult === undefined ? [] : [`- Result of a task: ${this.#link('type', taskResult)}`]),
      ...(kind === 'request' ? ['- Errors: any of [the errors](#errors)'] : []),
    ];
    return [
      `### ${text(name)}`,
      inline(summary),
      notice(deprecated),
      facts.join('\n'),
      params === undefined ? '' : this.#members(this.#tools.members(params), 'param'),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  #definition(definition: Definition): string {
    const { name, doc, deprecated, type, extension } = definition;
    const members = this.#tools.members(type);
    const isObject = type.kind === 'object' || type.kind === 'intersection';
    return [
      `### ${text(name)}`,
      doc === undefined
        ? ''
        : doc
            .split(/\n{2,}/)
            .map(inline)
            .join('\n\n'),
      notice(deprecated),
      extension === undefined ? '' : `From the extension ${code(extension)}.`,
      isObject && members.length > 0 ? this.#members(members, 'member') : this.#typeParagraph(type),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  /** The type of a definition without members; a long union has a line for each variant. */
  #typeParagraph(type: TypeNode): string {
    if (type.kind !== 'union' || type.variants.length < 4) return `Type: ${this.#type(type)}`;
    return `One of:\n\n${type.variants.map((variant) => `- ${this.#type(variant)}`).join('\n')}`;
  }

  #members(members: readonly Member[], noun: string): string {
    if (members.length === 0) return '';
    return table(
      [noun, 'type', 'required', 'description'],
      members.map((member) => [
        code(member.name),
        this.#type(member.type).replaceAll(' | ', ' \\| '),
        member.required ? 'yes' : 'no',
        [
          ...(member.deprecated === undefined
            ? []
            : [member.deprecated === true ? '**Deprecated.**' : `**Deprecated:** ${inline(member.deprecated)}`]),
          ...(member.doc === undefined ? [] : [inline(member.doc)]),
          ...(member.defaultValue === undefined ? [] : [`Default: ${code(JSON.stringify(member.defaultValue))}.`]),
        ].join(' '),
      ]),
    );
  }

  /** A type with links to its definitions, in one line. */
  #type(type: TypeNode): string {
    switch (type.kind) {
      case 'ref':
        return this.#link('type', type.name);
      case 'literal':
        return code(JSON.stringify(type.value));
      case 'array': {
        if (type.prefix !== undefined) return `tuple of ${type.prefix.map((item) => this.#type(item)).join(', ')}`;
        const isSeveral = type.items.kind === 'union' || type.items.kind === 'intersection';
        return `array of ${isSeveral ? `(${this.#type(type.items)})` : this.#type(type.items)}`;
      }
      case 'union':
        return type.variants.map((variant) => this.#type(variant)).join(' | ');
      case 'intersection':
        return type.parts.map((part) => this.#type(part)).join(' & ');
      case 'refined':
        return this.#type(type.type);
      case 'object':
        return this.#object(type);
      default:
        return type.kind === 'unknown' ? 'any value' : type.kind === 'never' ? 'no value' : type.kind;
    }
  }

  #object({ members, rest }: Extract<TypeNode, { kind: 'object' }>): string {
    if (members.length > 0) {
      const shown = members.map(
        ({ name, required, type }) => `${code(`${name}${required ? '' : '?'}`)}: ${this.#type(type)}`,
      );
      return `object with ${shown.join(', ')}`;
    }
    return rest === undefined || rest.kind === 'unknown' || rest.kind === 'never'
      ? 'object'
      : `map of ${this.#type(rest)}`;
  }

  #link(kind: 'method' | 'type', name: string): string {
    const anchor = this.#anchors.get(`${kind} ${name}`);
    return anchor === undefined ? code(name) : `[${code(name)}](#${anchor})`;
  }

  /** The anchor of a heading, as GitHub makes it. */
  #reserve(heading: string): string {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#taken.get(plain) ?? 0;
    this.#taken.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  }
}

function notice(deprecated: string | true | undefined): string {
  if (deprecated === undefined) return '';
  return deprecated === true ? '> **Deprecated.**' : `> **Deprecated:** ${inline(deprecated)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A code span, also in a table. */
function code(value: string): string {
  const ticks = '`'.repeat(1 + Math.max(0, ...[...value.matchAll(/`+/g)].map(([run]) => run.length)));
  const pad = ticks.length > 1 ? ' ' : '';
  return `${ticks}${pad}${value.replaceAll('|', '\\|')}${pad}${ticks}`;
}

/** A text as a heading: no markup. */
function text(value: string): string {
  return value.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>#|&]/g, '\\$&');
}

/** A text in one line: code spans stay, and nothing else begins markup or ends a cell. */
function inline(value: string): string {
  return value
    .replaceAll(/\{@link\s+([^\s|}]+)[^}]*\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part.replaceAll('|', '\\|') : part.replaceAll(/[\\*_[\]<>|&]/g, '\\$&')))
    .join('')
    .trim();
}
