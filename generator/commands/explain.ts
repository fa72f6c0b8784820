import { McpgenError } from '../errors.js';
import { builtinCatalogs, builtinRevisions, requireRevision } from '../read/builtin/revisions.js';
import { exampleMessage, exampleOf } from '../model/types/example.js';
import { methodHistories, type MethodHistory } from '../model/catalog/history.js';
import { loadProtocol } from '../model/load.js';
import { findDefinition, type Definition, type FormerName, type Method, type Protocol } from '../model/protocol.js';
import { memberOf } from '../model/catalog/derive.js';
import { createEmitContext } from '../emit/context.js';
import { printDefinition } from '../print/type.js';
import { stdoutColors, printToStderr, printLine, printJson } from '../terminal.js';
import { closestMatch } from '../text.js';
import { methodJson } from './methods.js';
import { booleanOption, stringOption, type RawOptions } from './shared/options.js';

/** The options of `mcpgen explain`. */
interface ExplainOptions {
  readonly revision: string | undefined;
  readonly json: boolean;
}

export function parseExplainOptions(raw: RawOptions): ExplainOptions {
  return { revision: stringOption(raw, 'revision'), json: booleanOption(raw, 'json') };
}

/** `mcpgen explain`: prints one method or definition, with its members, docs and an example. Returns the exit code. */
export async function explainCommand(requestedName: string, options: ExplainOptions): Promise<number> {
  const { revision: wanted, json } = options;
  if (wanted !== undefined) requireRevision(wanted);
  const revisions = builtinRevisions().map((item) => item.revision);
  const protocols = await Promise.all(
    (wanted === undefined ? revisions : [wanted]).map((revision) => loadProtocol({ revision })),
  );
  const isThere = protocols.some((protocol) => findMethodOrDefinition(protocol, requestedName) !== undefined);
  const former = isThere ? undefined : formerNameOf(protocols, requestedName);
  const name = former?.after ?? requestedName;
  if (former !== undefined && !json) printToStderr(`${requestedName} is called ${name} since ${former.revision}`);
  const having = protocols.filter((protocol) => findMethodOrDefinition(protocol, name) !== undefined);
  const protocol = having.at(-1);
  const found = protocol === undefined ? undefined : findMethodOrDefinition(protocol, name);
  if (protocol === undefined || found === undefined) throw await unknownNameError(name, protocols, wanted);
  const inRevisions = wanted === undefined ? having.map((item) => item.revision) : await revisionsWith(name);
  if ('kind' in found) await explainMethod(protocol, found, json);
  else await explainDefinition(protocol, found, inRevisions, json);
  return 0;
}

/** The current name of a definition that was renamed. */
function formerNameOf(protocols: readonly Protocol[], name: string): FormerName | undefined {
  return protocols.flatMap(({ formerNames }) => formerNames).find(({ before }) => before === name);
}

function findMethodOrDefinition(protocol: Protocol, name: string): Method | Definition | undefined {
  return protocol.methods.find((method) => method.name === name) ?? findDefinition(protocol, name);
}

async function loadAllProtocols(): Promise<readonly Protocol[]> {
  return Promise.all(builtinRevisions().map(({ revision }) => loadProtocol({ revision })));
}

async function revisionsWith(name: string): Promise<readonly string[]> {
  return (await loadAllProtocols())
    .filter((protocol) => findMethodOrDefinition(protocol, name) !== undefined)
    .map((protocol) => protocol.revision);
}

function methodHistory(method: string): MethodHistory | undefined {
  return methodHistories(builtinCatalogs()).find((item) => item.method === method);
}

async function unknownNameError(
  name: string,
  protocols: readonly Protocol[],
  wanted: string | undefined,
): Promise<McpgenError> {
  const names = protocols.flatMap((protocol) => [
    ...protocol.methods.map((method) => method.name),
    ...protocol.definitions.map((definition) => definition.name),
  ]);
  const near = closestMatch(name, [...new Set(names)]);
  const history = methodHistory(name);
  const lived = history === undefined ? undefined : [...history.rows.keys()].join(', ');
  const later = (await loadAllProtocols())
    .flatMap(({ formerNames }) => formerNames)
    .find(({ after }) => after === name);
  const earlier = names.find((other) => other === later?.before);
  const where = wanted === undefined ? 'in any built-in revision' : `of revision ${wanted}`;
  return new McpgenError(`${JSON.stringify(name)} is neither a method nor a definition ${where}`, {
    remedy:
      earlier !== undefined
        ? `It is called ${earlier} there, and ${name} since ${later?.revision ?? ''}.`
        : lived !== undefined
          ? `It exists in ${lived}: pass one of these as --revision.`
          : near === undefined
            ? '`mcpgen methods` lists the methods.'
            : `Did you mean ${near}?`,
  });
}

async function explainMethod(protocol: Protocol, method: Method, json: boolean): Promise<void> {
  const history = methodHistory(method.name);
  const names = [...new Set([method.message, method.params ?? '', ...method.results, method.taskResult ?? ''])];
  const definitions = names.flatMap((name) => findDefinition(protocol, name) ?? []);
  const message = exampleMessage(protocol, method);
  if (json) {
    printJson({
      revision: protocol.revision,
      ...(history === undefined ? method : methodJson(method, history)),
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
  printField(
    'sent by',
    {
      clientToServer: 'the client',
      serverToClient: 'the server',
      both: 'either side',
      embedded: 'nobody: it is embedded in results',
    }[method.direction],
  );
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
  inRevisions: readonly string[],
  json: boolean,
): Promise<void> {
  const value = exampleOf(protocol, definition.type, definition.name);
  const former = protocol.formerNames.filter(({ after }) => after === definition.name).map(({ before }) => before);
  const later = formerNameOf(await loadAllProtocols(), definition.name);
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
