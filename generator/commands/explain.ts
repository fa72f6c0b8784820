import { McpgenError } from '../errors.js';
import {
  builtinExtensionProtocol,
  builtinExtensions,
  builtinExtensionSchema,
  requireExtensionCatalog,
} from '../read/builtin/extensions.js';
import { isObject, ownMember } from '../read/json/json.js';
import { exampleMessage, exampleOf } from '../model/types/example.js';
import { methodHistories, type MethodHistory } from '../model/catalog/history.js';
import {
  findDefinition,
  sideWords,
  type Definition,
  type FormerName,
  type Method,
  type Protocol,
} from '../model/protocol.js';
import { memberOf } from '../model/catalog/derive.js';
import { createEmitContext } from '../emit/context.js';
import { printDefinition } from '../print/type.js';
import { stdoutColors, printToStderr, printLine, printJson } from '../terminal.js';
import { closestMatch } from '../text.js';
import { methodJson } from './methods.js';
import { parseExtensionOptions, type ExtensionOptions } from './shared/extensions.js';
import { historyOf, loadForLookup } from './shared/lookup.js';
import { booleanOption, stringOption, type RawOptions } from './shared/options.js';

/** The options of `mcpgen explain`. */
interface ExplainOptions extends ExtensionOptions {
  readonly revision: string | undefined;
  readonly json: boolean;
}

export function parseExplainOptions(raw: RawOptions): ExplainOptions {
  return { ...parseExtensionOptions(raw), revision: stringOption(raw, 'revision'), json: booleanOption(raw, 'json') };
}

/** `mcpgen explain`: prints one method or definition, with its members, docs and an example. Returns the exit code. */
export async function explainCommand(requestedName: string, options: ExplainOptions): Promise<number> {
  const { revision: wanted, json } = options;
  const lookup = await loadForLookup(wanted, options);
  const protocols = lookup.shown;
  const isThere = protocols.some((protocol) => findMethodOrDefinition(protocol, requestedName) !== undefined);
  const former = isThere ? undefined : formerNameOf(protocols, requestedName);
  const name = former?.after ?? requestedName;
  if (former !== undefined && !json) printToStderr(`${requestedName} is called ${name} since ${former.revision}`);
  const having = protocols.filter((protocol) => findMethodOrDefinition(protocol, name) !== undefined);
  // A revision comes first: what else has the name is explained with --revision.
  const protocol = having.filter(({ partOf }) => partOf === undefined).at(-1) ?? having.at(-1);
  const found = protocol === undefined ? undefined : findMethodOrDefinition(protocol, name);
  if (protocol === undefined || found === undefined) throw unknownNameError(name, protocols, lookup.revisions, wanted);
  const everything = historyOf(protocol, lookup.revisions);
  if ('kind' in found) await explainMethod(protocol, found, everything, json);
  else await explainDefinition(protocol, found, everything, json);
  const other = having.find((one) => one !== protocol && one.partOf !== undefined);
  if (other !== undefined && !json) printToStderr(`${other.name} has ${name} too: pass --revision ${other.revision}`);
  return 0;
}

/** The current name of a definition that was renamed. */
function formerNameOf(protocols: readonly Protocol[], name: string): FormerName | undefined {
  return protocols.flatMap(({ formerNames }) => formerNames).find(({ before }) => before === name);
}

function findMethodOrDefinition(protocol: Protocol, name: string): Method | Definition | undefined {
  return protocol.methods.find((method) => method.name === name) ?? findDefinition(protocol, name);
}

function methodHistory(method: string, protocols: readonly Protocol[]): MethodHistory | undefined {
  return methodHistories(protocols).find((item) => item.method === method);
}

function unknownNameError(
  name: string,
  protocols: readonly Protocol[],
  everything: readonly Protocol[],
  wanted: string | undefined,
): McpgenError {
  const names = protocols.flatMap((protocol) => [
    ...protocol.methods.map((method) => method.name),
    ...protocol.definitions.map((definition) => definition.name),
  ]);
  const near = closestMatch(name, [...new Set(names)]);
  const history = methodHistory(name, everything);
  const lived = history === undefined ? undefined : [...history.rows.keys()].join(', ');
  const later = everything.flatMap(({ formerNames }) => formerNames).find(({ after }) => after === name);
  const extension = builtinExtensions().find(({ extension: id }) => isInExtension(id, name))?.extension;
  const earlier = names.find((other) => other === later?.before);
  const where = wanted === undefined ? 'in any built-in revision' : `of revision ${wanted}`;
  return new McpgenError(`${JSON.stringify(name)} is neither a method nor a definition ${where}`, {
    remedy:
      earlier !== undefined
        ? `It is called ${earlier} there, and ${name} since ${later?.revision ?? ''}.`
        : extension !== undefined
          ? `It is in an extension: pass --extension ${extension}.`
          : lived !== undefined
            ? `It exists in ${lived}: pass one of these as --revision.`
            : near === undefined
              ? '`mcpgen methods` lists the methods.'
              : `Did you mean ${near}?`,
  });
}

/** Whether a built-in extension has a method or a definition. */
function isInExtension(id: string, name: string): boolean {
  const { methods = [] } = requireExtensionCatalog(id);
  const definitions = ownMember(builtinExtensionSchema(id), '$defs');
  const protocol = builtinExtensionProtocol(id);
  return (
    methods.some(({ method }) => method === name) ||
    (isObject(definitions) && Object.hasOwn(definitions, name)) ||
    // Names are strings of these files, and no other string of them is such a name.
    [protocol?.catalog, protocol?.schema].some((file) => file?.contents.includes(JSON.stringify(name)) === true)
  );
}

async function explainMethod(
  protocol: Protocol,
  method: Method,
  everything: readonly Protocol[],
  json: boolean,
): Promise<void> {
  // The method of an extension may have the name of another one in a revision.
  const history = methodHistory(
    method.name,
    everything.map((one) => ({
      ...one,
      methods: one.methods.filter(({ extension }) => extension === method.extension),
    })),
  );
  const names = [...new Set([method.message, method.params ?? '', ...method.results, method.taskResult ?? ''])];
  const definitions = names.flatMap((name) => findDefinition(protocol, name) ?? []);
  const message = exampleMessage(protocol, method);
  if (json) {
    printJson({
      revision: protocol.revision,
      ...(history === undefined ? method : methodJson(protocol, method, history)),
      definitions,
      example: message,
    });
    return;
  }
  printLine(`${stdoutColors.bold(method.name)}  ${stdoutColors.dim(`revision ${protocol.revision}`)}`);
  printLine(`  ${method.summary}`);
  if (method.deprecated !== undefined) printLine(`  ${stdoutColors.yellow('Deprecated')}: ${method.deprecated}`);
  printLine();
  printField('kind', method.kind);
  const words = sideWords(protocol);
  printField(
    'sent by',
    {
      clientToServer: `the ${words.client}`,
      serverToClient: `the ${words.server}`,
      both: 'either side',
      embedded: 'nobody: it is embedded in results',
    }[method.direction],
  );
  if (method.extension !== undefined) printField('extension', method.extension);
  printField('needs', describeCapabilities(method));
  if (method.kind === 'request') printField('answer', method.results.join(' | '));
  if (method.taskResult !== undefined) printField('as a task', method.taskResult);
  if (history !== undefined) printField('since', describeHistory(history));
  printLine(`\n${await renderTypescript(protocol, definitions)}`);
  printLine(`${stdoutColors.dim('// example')}\n${JSON.stringify(message, undefined, 2)}`);
}

async function explainDefinition(
  protocol: Protocol,
  definition: Definition,
  everything: readonly Protocol[],
  json: boolean,
): Promise<void> {
  const value = exampleOf(protocol, definition.type, definition.name);
  const former = protocol.formerNames.filter(({ after }) => after === definition.name).map(({ before }) => before);
  const later = formerNameOf(everything, definition.name);
  const inRevisions = everything
    .filter((other) => findMethodOrDefinition(other, definition.name) !== undefined)
    .map(({ revision }) => revision);
  if (json) {
    printJson({
      revision: protocol.revision,
      revisions: inRevisions,
      ...(former.length === 0 ? {} : { formerNames: former }),
      ...(later === undefined ? {} : { renamed: { to: later.after, in: later.revision } }),
      usedBy: methodsUsing(protocol, definition.name),
      ...definition,
      example: value,
    });
    return;
  }
  printLine(`${stdoutColors.bold(definition.name)}  ${stdoutColors.dim(`revision ${protocol.revision}`)}`);
  printField('in', inRevisions.join(', '));
  if (definition.extension !== undefined) printField('extension', definition.extension);
  if (former.length > 0) printField('formerly', former.join(', '));
  if (later !== undefined) printField('renamed', `${later.after} since ${later.revision}`);
  const users = methodsUsing(protocol, definition.name);
  if (users.length > 0) printField('used by', users.join(', '));
  printLine(`\n${await renderTypescript(protocol, [definition])}`);
  printLine(`${stdoutColors.dim('// example')}\n${JSON.stringify(value, undefined, 2)}`);
}

/** The required capability, and who must declare it if both sides send the method. */
function describeCapabilities({ capabilities, kind }: Method): string {
  const [first = 'no capability', second] = capabilities;
  if (second === undefined) return first;
  // A request needs the receiver's, a notification the sender's.
  const verb = kind === 'request' ? 'sent to' : 'sent by';
  return capabilities.map((path) => `${path} when ${verb} the ${path.split('.')[0] ?? ''}`).join(', ');
}

/** Methods that use a definition as their message, params or result. */
function methodsUsing(protocol: Protocol, name: string): readonly string[] {
  return protocol.methods
    .filter((method) => [method.message, method.params, method.taskResult, ...method.results].includes(name))
    .map((method) => method.name);
}

async function renderTypescript(protocol: Protocol, definitions: readonly Definition[]): Promise<string> {
  const { format } = await import('prettier');
  const { printer } = createEmitContext(protocol);
  // A message whose params are a definition adds nothing to them.
  const shown = definitions.filter(
    (definition) => !(definitions.length > 1 && memberOf(definition.type, 'params')?.type.kind === 'ref'),
  );
  const columns = availableColumns();
  const code = shown.map((definition) => printDefinition(definition, { ...printer, columns })).join('\n');
  return format(code, { parser: 'typescript', singleQuote: true, printWidth: columns });
}

/** The terminal's width within readable limits; a constant when piped. */
function availableColumns(): number {
  return process.stdout.isTTY ? Math.min(Math.max(process.stdout.columns, 40), 100) : 80;
}

function printField(name: string, value: string): void {
  printLine(`  ${stdoutColors.dim(name.padEnd(10))}${value}`);
}

function describeHistory(history: MethodHistory): string {
  const parts = [
    history.since,
    ...(history.embeddedSince === undefined ? [] : [`inside results since ${history.embeddedSince}`]),
    ...(history.gone === undefined ? [] : [`gone in ${history.gone}`]),
  ];
  return parts.join(', ');
}
