/**
 * Validators of whole messages, and of params and results by their method.
 */
import type { SourceFile } from '../../print/source-file.js';
import { sideName, type EmitContext } from '../context.js';
import type { GuardWriter } from './guard-writer.js';
import { cleanDocText } from '../../print/doc-comment.js';
import { literalKey } from '../../print/names.js';
import { pinnedResultType } from '../../model/types/result-type.js';
import { findDefinition, SIDES } from '../../model/protocol.js';
import type { Method } from '../../model/protocol.js';
import { memberOf } from '../../model/catalog/derive.js';

/** Validators by method: of params, results and whole messages. */
export function emitDispatchers(file: SourceFile, context: EmitContext, writer: GuardWriter): void {
  const method = file.importType('methods', 'Method');
  const requestMethod = file.importType('methods', 'RequestMethod');
  const classify = file.importValue('guards', 'classify');
  const wire = context.methods.map((named) => named.method);
  const requests = wire.filter((item) => item.kind === 'request');
  const switchOn = (rows: readonly (readonly [Method, string])[], otherwise: string): string => {
    const cases = new Map<string, string[]>();
    for (const [row, expression] of rows) {
      cases.set(expression, [...(cases.get(expression) ?? []), `case ${JSON.stringify(row.name)}:\n`]);
    }
    const branches = [...cases].map(([expression, labels]) => `${labels.join('')}return ${expression};\n`);
    return `switch (method) {\n${branches.join('')}default:\nreturn ${otherwise};\n}\n`;
  };
  const unknown = 'check.mismatch("a method of this revision", method)';

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
  file.declareLocal('function', 'isMessageOf', {
    code: `(method: string, value: unknown): boolean {\n${switchOn(
      wire.map((row) => [row, `${writer.guardOf(row.message)}(value)`] as const),
      'check.mismatch("a method of this revision", method)',
    )}}`,
  });

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
    if (!hasResultType) return `${writer.guardOf(complete)}(value)`;
    const asking = others.includes(inputRequired.result) ? `, ${writer.guardOf(inputRequired.result)}` : '';
    const kinds = others.flatMap((name) => {
      if (name === inputRequired.result) return [];
      const kind = pinnedResultType(context.protocol, name);
      return kind === undefined ? [] : [`${literalKey(kind)}: ${writer.guardOf(name)}`];
    });
    const further = kinds.length === 0 ? '' : `${asking === '' ? ', undefined' : ''}, { ${kinds.join(', ')} }`;
    return `check.resultOf(value, ${writer.guardOf(complete)}${asking}${further})`;
  };
  file.declareLocal('function', 'isResultOf', {
    code: `(method: string, value: unknown): boolean {\n${switchOn(
      requests.map((row) => [row, resultCheck(row)] as const),
      unknown,
    )}}`,
  });

  const tasks = requests.filter((row) => row.taskResult !== undefined);
  if (tasks.length > 0) {
    file.declare('function', 'validateTaskResponse', {
      doc: '/** Validates a complete response to a request whose params ask for a task. */',
      code: `<M extends keyof ${file.importType('methods', 'TaskResultMap')}>(
  method: M,
  response: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('messages', 'ResultResponse')}<TaskResultMap[M]> | ${file.importType('messages', 'ErrorResponse')}> {
  return check.validateWith((value) => isResponseWith((result) => isTaskResultOf(method, result), value), response, options);
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
    file.declareLocal('function', 'isTaskResultOf', {
      code: `(method: string, value: unknown): boolean {\n${switchOn(
        tasks.map((row) => [row, `${writer.guardOf(row.taskResult ?? '')}(value)`] as const),
        unknown,
      )}}`,
    });
  }

  file.declare('function', 'validateResponse', {
    doc: `/** Validates a complete response to a request, including the envelope, by the request's method. */`,
    code: `<M extends ${requestMethod}>(
  method: M,
  response: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('messages', 'ResultResponse')}<ResultOf<M>> | ${file.importType('messages', 'ErrorResponse')}> {
  return check.validateWith((value) => isResponseWith((result) => isResultOf(method, result), value), response, options);
}`,
  });
  file.declareLocal('function', 'isResponseWith', {
    code: `(isResult: check.Check, value: unknown): boolean {
  const classified = ${classify}(value);
  if (classified.kind === "result") return isResult(classified.message.result);
  return classified.kind === "error" || check.mismatch(\`a response (\${classified.kind === "invalid" ? classified.reason : classified.kind})\`, value);
}`,
  });
  for (const kind of ['request', 'notification'] as const) {
    const Kind = kind === 'request' ? 'Request' : 'Notification';
    const types = SIDES.map((side) => file.importType('messages', `${sideName(context, side)}${Kind}Message`)).join(
      ' | ',
    );
    const isSent = SIDES.map(
      (side) => `${file.importValue('guards', `is${sideName(context, side)}${Kind}`)}(message)`,
    ).join(' || ');
    const guard = `is${Kind}Message`;
    file.declare('const', `validate${Kind}Message`, {
      doc: `/** Validates a complete ${kind} of either side, including the envelope, by its method. */`,
      code: `: check.Validator<${types}> = /* @__PURE__ */ check.validator(${guard});`,
    });
    file.declare('function', guard, {
      doc: `/** Whether a value is a complete ${kind} of either side, including the envelope. */`,
      code: `(value: unknown): value is ${types} {
  const classified = ${classify}(value);
  if (classified.kind !== "${kind}") {
    return check.mismatch(\`a ${kind} (\${classified.kind === "invalid" ? classified.reason : classified.kind})\`, value);
  }
  const { message } = classified;
  const { method } = message;
  return ${isSent}
    ? isMessageOf(method, value)
    : check.mismatch("the method of a ${kind}", method);
}`,
    });
  }
}
