import type { Method, Side } from '../../model/protocol.js';
import { splitWords } from '../../model/naming.js';
import { docComment } from '../../print/doc-comment.js';
import { isReserved, memberName } from '../../print/names.js';

/** The names of a handler's file and constant. */
export interface HandlerNames {
  /** `tasks-get`, and `on-roots-list-changed` for a notification. */
  readonly stem: string;
  /** `tasksGet`, and `onRootsListChanged` for a notification. */
  readonly identifier: string;
}

/** Derives the names of a handler from its method. */
export function handlerNames({ name, kind }: Pick<Method, 'name' | 'kind'>): HandlerNames {
  const words = splitWords(kind === 'notification' ? name.replace(/^notifications\//, 'on/') : name);
  const stem = words.join('-').slice(0, 100) || 'handler';
  const camel = words
    .map((word, index) => (index === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1))
    .join('');
  const isUsable = /^[\p{ID_Start}]/u.test(camel) && !isReserved(camel);
  return {
    stem: stem === 'index' ? 'index-one' : stem,
    identifier: isUsable ? camel : `handle${camel.charAt(0).toUpperCase()}${camel.slice(1)}`,
  };
}

/** The context of a handler's file. */
export interface HandlerPlan {
  readonly method: Method;
  readonly identifier: string;
  readonly side: Side;
  /** Whether the types of the project lack the method, so that the handler is untyped. */
  readonly isForeign: boolean;
  /** Path of the folder of the revision whose types it uses, from the handler. */
  readonly revision: string;
  /** Path of the runtime, from the handler. */
  readonly runtime: string;
  /** Extension of imported files, including the dot. */
  readonly extension: string;
}

/** The file of a handler: an object with the method as its key, to be spread into the others. */
export function methodHandlerFile({
  method,
  identifier,
  side,
  isForeign,
  revision,
  runtime,
  extension,
}: HandlerPlan): string {
  const { name, kind, summary, deprecated } = method;
  const type = `${side === 'server' ? 'Server' : 'Client'}${kind === 'notification' ? 'Notification' : ''}Handlers`;
  const from = (file: string): string => JSON.stringify(`${file}${extension}`);
  const isRequest = kind === 'request';
  const errors = `import { RpcError, STANDARD_ERROR_CODES } from ${from(`${runtime}/index`)};\n`;
  const body = isRequest
    ? `throw new RpcError(STANDARD_ERROR_CODES.METHOD_NOT_FOUND, ${JSON.stringify(`${name} is not implemented`)});`
    : '// Not implemented: what is to happen then.';
  return `import type { ${type} } from ${from(`${revision}/${side}`)};
${isRequest ? errors : ''}
${docComment({ text: summary, deprecated }, new Set())}export const ${identifier}${isForeign ? ': object' : ''} = {
${memberName(name)}: () => {
${body}
},
} satisfies ${type};
`;
}
