/**
 * Validators of whole messages, and of params and results by their method.
 */
import type { SourceFile } from '../../print/source-file.js';
import { sideName, type EmitContext } from '../context.js';
import type { GuardWriter } from './guard-writer.js';
import { cleanDocText } from '../../print/doc-comment.js';
import { literalKey } from '../../print/names.js';
import { pinnedResultType } from '../../model/types/result-type.js';
import { findDefinition, methodsFrom, peerOf, SIDES } from '../../model/protocol.js';
import type { Method, Side } from '../../model/protocol.js';
import { memberOf } from '../../model/catalog/derive.js';

const KINDS = ['request', 'notification'] as const;

/** The constant with the guards of what a side sends: its requests or notifications, or its results. */
function guardsOf(side: Side, of: (typeof KINDS)[number] | 'result' | 'taskResult'): string {
  return `${side.toUpperCase()}_${of === 'taskResult' ? 'TASK_RESULT' : of.toUpperCase()}_GUARDS`;
}

/** An expression for the guard of a method in the first of several constants that has one. */
function lookUp(constants: readonly string[], method = 'method'): string {
  return constants.map((name) => `${name}.get(${method})`).join(' ?? ');
}

/** Validators by method: of params, results and whole messages. */
export function emitDispatchers(file: SourceFile, context: EmitContext, writer: GuardWriter): void {
  const method = file.importType('methods', 'Method');
  const requestMethod = file.importType('methods', 'RequestMethod');
  const classify = file.importValue('guards', 'classify');
  const { protocol } = context;
  const hasRoles = protocol.traits.roles !== undefined;
  const tasks = protocol.methods.filter(({ taskResult }) => taskResult !== undefined);
  /** Declares guards by method. Not a `switch`: it compares the method with one name after another. */
  const declareGuards = (name: string, rows: readonly Method[], guardOf: (row: Method) => string): void => {
    const entries = rows.map((row) => `[${JSON.stringify(row.name)}, ${guardOf(row)}],\n`);
    file.declareLocal('const', name, {
      code: `: ReadonlyMap<string, check.Check> = /* @__PURE__ */ new Map<string, check.Check>([\n${entries.join('')}]);`,
    });
  };
  /** Declares a function that checks a value by the guard of a method. One for each use: calls of few guards are faster. */
  const declareDispatcher = (name: string, guards: readonly string[]): void => {
    file.declareLocal('function', name, {
      code: `(method: string, value: unknown): boolean {
  const guard = ${lookUp(guards)};
  return guard === undefined ? check.mismatch("a method of this revision", method) : guard(value);
}`,
    });
  };
  /** Declares the guards of what each side sends, and a function that finds the one of a method. */
  const declareResults = (
    of: 'result' | 'taskResult',
    name: string,
    rowsOf: (sender: Side) => readonly Method[],
    guardOf: (row: Method) => string,
  ): void => {
    // A side sends the results of the other side's requests.
    for (const side of SIDES) declareGuards(guardsOf(side, of), rowsOf(peerOf(side)), guardOf);
    declareDispatcher(
      name,
      SIDES.map((side) => guardsOf(side, of)),
    );
  };

  file.declare('function', 'validateParams', {
    doc: '/** Validates the params of a method; `undefined` means a message without params. */',
    code: `<M extends ${method}>(
  method: M,
  params: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('methods', 'ParamsOf')}<M>> {
  // The params are checked as part of a message, but pointers start at the params.
  return check.validateWith((value) => isMessageOf(method, { jsonrpc: "2.0", id: 0, method, params: value }), params, options);
}`,
  });
  for (const side of SIDES)
    for (const kind of KINDS)
      declareGuards(guardsOf(side, kind), methodsFrom(protocol, side, kind), (row) => writer.guardOf(row.message));
  declareDispatcher(
    'isMessageOf',
    SIDES.flatMap((side) => KINDS.map((kind) => guardsOf(side, kind))),
  );

  const { envelope, inputRequired } = context.protocol.traits;
  const anyResult = envelope?.result ?? '';
  const hasResultType =
    inputRequired !== undefined &&
    memberOf(findDefinition(context.protocol, anyResult)?.type, inputRequired.member) !== undefined;
  const note = hasResultType
    ? `\n * The kind of result determines its type: one that requires input never counts as complete, and one without\n * \`${cleanDocText(inputRequired.member, new Set())}\`, as older servers send it, is complete.`
    : '';
  file.declare('function', 'validateResult', {
    doc: `/**
 * Validates the result of a request by the request's method.${note}
 */`,
    code: `<M extends ${requestMethod}>(
  method: M,
  result: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('methods', 'ResultOf')}<M>> {
  return check.validateWith((value) => isResultOf(method, value), result, options);
}`,
  });
  const resultCheck = (row: Method): string => {
    const [complete = anyResult, ...others] = row.results;
    if (!hasResultType) return writer.guardOf(complete);
    const asking = others.includes(inputRequired.result) ? `, ${writer.guardOf(inputRequired.result)}` : '';
    const kinds = others.flatMap((name) => {
      if (name === inputRequired.result) return [];
      const kind = pinnedResultType(context.protocol, name);
      return kind === undefined ? [] : [`${literalKey(kind)}: ${writer.guardOf(name)}`];
    });
    const further = kinds.length === 0 ? '' : `${asking === '' ? ', undefined' : ''}, { ${kinds.join(', ')} }`;
    return `(value) => check.resultOf(value, ${writer.guardOf(complete)}${asking}${further})`;
  };
  declareResults('result', 'isResultOf', (sender) => methodsFrom(protocol, sender, 'request'), resultCheck);
  if (tasks.length > 0) {
    file.declare('function', 'validateTaskResponse', {
      doc: '/** Validates a complete response to a request whose params ask for a task. */',
      code: `<M extends keyof ${file.importType('methods', 'TaskResultMap')}>(
  method: M,
  response: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('messages', 'ResultResponse')}<TaskResultMap[M]> | ${file.importType('messages', 'ErrorResponse')}> {
  return check.validateWith((value) => isResponseWith(isTaskResultOf, method, value), response, options);
}`,
    });
    file.declare('function', 'validateTaskResult', {
      doc: '/** Validates the immediate result of a request whose params ask for a task. */',
      code: `<M extends keyof ${file.importType('methods', 'TaskResultMap')}>(
  method: M,
  result: unknown,
  options?: check.ValidateOptions,
): check.Validation<TaskResultMap[M]> {
  return check.validateWith((value) => isTaskResultOf(method, value), result, options);
}`,
    });
    declareResults(
      'taskResult',
      'isTaskResultOf',
      (sender) => methodsFrom(protocol, sender, 'request').filter((row) => tasks.includes(row)),
      (row) => writer.guardOf(row.taskResult ?? ''),
    );
  }
  if (hasRoles)
    for (const side of SIDES) {
      const Side = sideName(context, side);
      declareDispatcher(
        `is${Side}MessageOf`,
        KINDS.map((kind) => guardsOf(side, kind)),
      );
      file.declare('function', `validate${Side}Params`, {
        doc: `/** As {@link validateParams}, for the methods that the ${side} sends. */`,
        code: `(method: string, params: unknown): check.Validation<unknown> {
  return check.validateWith((value) => is${Side}MessageOf(method, { jsonrpc: "2.0", id: 0, method, params: value }), params);
}`,
      });
      const results = ['result', ...(tasks.length > 0 ? ['taskResult'] : [])] as ('result' | 'taskResult')[];
      for (const of of results) {
        const Of = of === 'result' ? 'Result' : 'TaskResult';
        declareDispatcher(`is${Side}${Of}Of`, [guardsOf(side, of)]);
        file.declare('function', `validate${Side}${Of}`, {
          doc: `/** As {@link validate${Of}}, for the results that the ${side} sends. */`,
          code: `(method: string, result: unknown, options?: check.ValidateOptions): check.Validation<unknown> {
  return check.validateWith((value) => is${Side}${Of}Of(method, value), result, options);
}`,
        });
      }
    }

  file.declare('function', 'validateResponse', {
    doc: `/** Validates a complete response to a request, including the envelope, by the request's method. */`,
    code: `<M extends ${requestMethod}>(
  method: M,
  response: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('messages', 'ResultResponse')}<ResultOf<M>> | ${file.importType('messages', 'ErrorResponse')}> {
  return check.validateWith((value) => isResponseWith(isResultOf, method, value), response, options);
}`,
  });
  file.declareLocal('function', 'isResponseWith', {
    code: `(isResult: (method: string, result: unknown) => boolean, method: string, value: unknown): boolean {
  if (${file.importValue('guards', 'isResultResponse')}(value)) return isResult(method, value.result);
  return ${file.importValue('guards', 'isErrorResponse')}(value) || mismatchedKind("a response", value);
}`,
  });
  file.declareLocal('function', 'mismatchedKind', {
    code: `(expected: string, value: unknown): false {
  const classified = ${classify}(value);
  return check.mismatch(\`\${expected} (\${classified.kind === "invalid" ? classified.reason : classified.kind})\`, value);
}`,
  });
  for (const kind of KINDS) {
    const Kind = kind === 'request' ? 'Request' : 'Notification';
    const types = SIDES.map((side) => file.importType('messages', `${sideName(context, side)}${Kind}Message`)).join(
      ' | ',
    );
    const guard = `is${Kind}Message`;
    file.declare('const', `validate${Kind}Message`, {
      doc: `/** Validates a complete ${kind} of either side, including the envelope, by its method. */`,
      code: `: check.Validator<${types}> = /* @__PURE__ */ check.validator(${guard});`,
    });
    file.declare('function', guard, {
      doc: `/** Whether a value is a complete ${kind} of either side, including the envelope. */`,
      code: `(value: unknown): value is ${types} {
  if (!${file.importValue('guards', `is${Kind}`)}(value)) return mismatchedKind("a ${kind}", value);
  const guard = ${lookUp(
    SIDES.map((side) => guardsOf(side, kind)),
    'value.method',
  )};
  return guard === undefined ? check.mismatch("the method of a ${kind}", value.method) : guard(value);
}`,
    });
  }
}
