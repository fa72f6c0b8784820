import type { Method, Side } from '../../model/protocol.js';
import { splitWords } from '../../model/naming.js';
import { docComment } from '../../print/doc-comment.js';
import { isReserved, memberName } from '../../print/names.js';

/** What the file and the constant of a handler are called. */
export interface HandlerNames {
  /** `tasks-get`, and `on-roots-list-changed` for a notification. */
  readonly stem: string;
  /** `tasksGet`, and `onRootsListChanged` for a notification. */
  readonly identifier: string;
}

/** Names a handler after its method. */
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

/** What the file of a handler stands on. */
export interface HandlerPlan {
  readonly method: Method;
  readonly identifier: string;
  readonly side: Side;
  /** Whether the types that the project is written in lack the method: only its name among the others is left then. */
  readonly isForeign: boolean;
  /** Folder of the revision whose types it has, seen from the handler. */
  readonly revision: string;
  /** Folder of the runtime, seen from the handler. */
  readonly runtime: string;
  /** Extension of imported files, with its dot. */
  readonly extension: string;
}

/** The author's file of a handler: an object with the method as its key, to be spread among the others. */
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
    ? `throw new RpcError(STANDARD_ERROR_CODES.METHOD_NOT_FOUND, ${JSON.stringify(`${name} is not written yet`)});`
    : '// Not written yet: what is to happen then.';
  return `import type { ${type} } from ${from(`${revision}/${side}`)};
${isRequest ? errors : ''}
${docComment({ text: summary, deprecated }, new Set())}export const ${identifier}${isForeign ? ': object' : ''} = {
${memberName(name)}: () => {
${body}
},
} satisfies ${type};
`;
}
