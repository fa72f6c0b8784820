import { methodsFrom, type Method } from '../model/protocol.js';
import type { SourceFile } from '../print/source-file.js';
import type { EmitContext } from './context.js';

/** The input that a server may request from a client while it handles a request: with separate requests, or inside a result. */
export function inputMethods({ protocol }: EmitContext): readonly Method[] {
  const requested = [
    ...methodsFrom(protocol, 'server', 'request'),
    ...protocol.methods.filter(({ direction }) => direction === 'embedded'),
  ];
  return requested.filter(({ direction, capabilities }) => direction !== 'both' && capabilities.length > 0);
}

/** Adds the types of a request for input and of its response to a file, and returns their names. */
export function inputTypes(
  file: SourceFile,
  context: EmitContext,
): { readonly requests: string; readonly answers: string } {
  const methods = inputMethods(context);
  if (methods.length === 0) return { requests: 'never', answers: 'never' };
  const embedded = context.embedded.length > 0;
  const readonlyJson = file.importType('runtime/server/elicitation', 'ReadonlyJson');
  const names = methods.map(({ name }) => JSON.stringify(name)).join(' | ');
  const params = embedded
    ? `${file.importType('methods', 'EmbeddedRequestMap')}[M]["params"]`
    : `${file.importType('methods', 'ParamsOf')}<M>`;
  const isOptional = embedded ? `undefined extends EmbeddedRequestMap[M]["params"]` : `undefined extends ParamsOf<M>`;
  const answer = embedded
    ? `${file.importType('methods', 'EmbeddedResultMap')}[M]`
    : `${file.importType('methods', 'ResultOf')}<M>`;
  file.declare('type', 'InputMethod', {
    doc: '/** Methods with which a server requests input from a client. */',
    code: ` = ${names};`,
  });
  file.declare('type', 'InputRequestOf', {
    doc: '/** A request for input. */',
    code: `<M extends InputMethod = InputMethod> = M extends InputMethod
  ? ${isOptional} ? { readonly method: M; readonly params?: ${readonlyJson}<${params}> } : { readonly method: M; readonly params: ${readonlyJson}<${params}> }
  : never;`,
  });
  file.declare('type', 'InputAnswerOf', {
    doc: '/** The response to a request for input. */',
    code: `<M extends InputMethod> = ${answer};`,
  });
  const form = context.protocol.traits.roles?.form;
  const answerTo = methods.some(({ name }) => name === form)
    ? `Requests[Key] extends { readonly method: "${form}"; readonly params: infer Params }
    ? ${file.importType('runtime/server/elicitation', 'ElicitAnswer')}<Params, InputAnswerOf<"${form}">>
    : InputAnswerOf<Requests[Key]["method"]>`
    : 'InputAnswerOf<Requests[Key]["method"]>';
  file.declare('type', 'InputAnswersOf', {
    doc: '/** The responses to requests for input, under the same keys. The content of a form is typed by its `requestedSchema`. */',
    code: `<Requests extends Readonly<Record<string, InputRequestOf>>> = {
  -readonly [Key in keyof Requests]: ${answerTo};
};`,
  });
  return { requests: 'InputRequestOf', answers: 'InputAnswersOf' };
}
