import { McpgenError } from '../errors.js';
import type { Method, Protocol } from '../model/protocol.js';
import { docComment } from '../print/doc-comment.js';
import { memberName } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { closestMatch } from '../text.js';
import type { EmitContext } from './context.js';
import { servedMethods, stubbedMethods } from './handled.js';

/**
 * `handlers.ts`: handlers for the user to implement. Undefined if no handler is needed.
 *
 * @param wanted - The methods to handle; by default all that clients send and the runtime does not answer itself.
 */
export function emitStubs({ protocol }: EmitContext, wanted?: readonly string[]): SourceFile | undefined {
  const methods =
    wanted === undefined
      ? stubbedMethods(protocol)
      : servedMethods(protocol).filter(({ name }) => wanted.includes(name));
  if (methods.length === 0) return undefined;
  const file = new SourceFile('handlers', { belongsToUser: true });
  file.declare('const', 'handlers', {
    doc: docComment(
      {
        text: 'Handlers of requests from clients. This file is yours: mcpgen created it once and never overwrites it.',
        more: ['Pass them to `createServer({ info, handlers })` of `server.ts`.'],
      },
      new Set(),
    ),
    code: `: ${file.importType('server', 'ServerHandlers')} = {\n${methods.map(printStub).join('\n')}};`,
  });
  file.declareLocal('function', 'notImplemented', {
    code: `(method: string): ${file.importValue('runtime/jsonrpc/error-codes', 'RpcError')} {
  return new RpcError(${file.importValue('runtime/jsonrpc/error-codes', 'STANDARD_ERROR_CODES')}.METHOD_NOT_FOUND, \`\${method} is not implemented\`, { method });
}`,
  });
  return file;
}

function printStub({ name, summary, deprecated }: Method): string {
  return `${docComment({ text: summary, deprecated }, new Set())}${memberName(name)}: (_params, _context) => {
  throw notImplemented(${JSON.stringify(name)});
},
`;
}

/**
 * Rejects methods that no server handles.
 *
 * @param protocols - All revisions that are generated; a method need not be in every one.
 * @throws {@link McpgenError} that suggests a method, or says what handles it.
 */
export function refuseMethodsWithoutStub(protocols: readonly Protocol[], wanted: readonly string[]): void {
  const served = new Set(protocols.flatMap((protocol) => servedMethods(protocol).map(({ name }) => name)));
  const all = protocols.flatMap(({ methods }) => methods);
  for (const name of wanted) {
    if (served.has(name)) continue;
    const known = all.find((method) => method.name === name);
    const near = closestMatch(name, [...served]);
    throw known === undefined
      ? new McpgenError(`there is no method ${JSON.stringify(name)}`, {
          place: '--methods',
          remedy: near === undefined ? `There are ${[...served].sort().join(', ')}.` : `Did you mean ${near}?`,
        })
      : new McpgenError(`a server has no handler for ${name}: ${noStubReason(known)}`, {
          place: '--methods',
          remedy:
            'Leave it out; `mcpgen methods --direction clientToServer --kind request` lists the requests of clients.',
        });
  }
}

function noStubReason({ direction, kind }: Method): string {
  if (direction === 'serverToClient') return 'servers send it';
  if (direction === 'embedded') return 'servers send it inside a result';
  if (kind === 'notification') return 'it is a notification, which has no response';
  return 'the runtime answers it as part of the lifecycle';
}
