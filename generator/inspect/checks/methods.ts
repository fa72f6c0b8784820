import { STANDARD_ERROR_CODES } from '../../../generated/runtime/jsonrpc/error-codes.js';
import { STATELESS_ERROR_CODES, type MethodInfo, type Revision } from '../../../generated/runtime/protocol/revision.js';
import { describeFailure, type Validation } from '../../../generated/runtime/validation.js';
import { isObject, ownMember, type JsonObject } from '../../read/json/json.js';
import type { Side } from '../../recording/entry.js';
import { methodInfo, REVISIONS } from '../../revisions.js';
import { requestCapabilities } from '../extensions.js';
import { otherSide, show, type Seen, type SeenCall, type SeenResponse, type SessionCheck } from '../seen.js';
import { declares } from './lifecycle.js';

/** Who sends which method, with which params and results, and which capabilities it needs. */
export class MethodCheck implements SessionCheck {
  see(seen: Seen): void {
    if (seen.revision === undefined) return;
    if (seen.kind === 'result') checkResult(seen, seen.revision);
    else if (seen.kind === 'error') checkError(seen, seen.revision);
    else checkCall(seen, seen.revision);
  }
}

function isSentBy({ direction }: MethodInfo, side: Side): boolean {
  return direction === 'both' || (direction === 'clientToServer') === (side === 'client');
}

function checkCall(seen: SeenCall, revision: Revision): void {
  const { method, kind, from, report } = seen;
  const info = methodInfo(revision, method);
  if (info === undefined) {
    checkUnknown(seen, revision);
    return;
  }
  if (!isSentBy(info, from)) {
    report('wrong-direction', `${method} is sent by the ${otherSide(from)}`, { pointer: '/method' });
    return;
  }
  if (info.kind !== kind) {
    if (kind === 'request') report('notification-with-id', `${method} is a notification`, { pointer: '/id' });
    else report('request-as-notification', `${method} is a request`);
    return;
  }
  checkCapability(seen, info);
  checkRequestExtension(seen, revision);
  const validation = revision.validateParams(method, ownMember(seen.message, 'params'));
  reportFailure(seen, 'invalid-params', '/params', validation);
}

function checkUnknown(seen: SeenCall, revision: Revision): void {
  const { method, kind, from, report } = seen;
  const pointer = '/method';
  if (Object.hasOwn(revision.embedded, method) && from === 'server') {
    report('embedded-method', `${method} belongs into a result in ${revision.version}`, { pointer });
    return;
  }
  if (revision.isStateless && from === 'server' && kind === 'request') {
    report('stateless-server-request', `${method} is a request`, { pointer });
    return;
  }
  const extension = seen.session.extensions.ofMethod(revision, method);
  if (extension !== undefined) {
    report('capability-not-declared', `${method} is from ${extension.id}, which neither side declared`, { pointer });
    return;
  }
  const others = REVISIONS.filter((other) => methodInfo(other, method) !== undefined);
  if (others.length > 0) {
    const names = others.map(({ version }) => version).join(', ');
    report('other-revision', `${method} is in ${names}, not in ${revision.version}`, { pointer });
  } else report('unknown-method', `${show(method)} is not in ${revision.version}`, { pointer });
}

/**
 * Whoever serves a method declares its capability: the receiver of a request, the sender of a notification. Some
 * notifications, such as that of a finished elicitation, belong to a capability of their receiver instead.
 */
function checkCapability(seen: SeenCall, { capabilities }: MethodInfo): void {
  const { session, from, method, kind, report, revision } = seen;
  const server = kind === 'request' ? otherSide(from) : from;
  const isOwn = capabilities.some((name) => name.startsWith(`${server}.`));
  const owner = isOwn ? server : otherSide(server);
  const missing = missingCapability(capabilities, owner, session.capabilities[owner]);
  if (missing === undefined) return;
  const message = `${method} needs the capability ${missing}`;
  if (owner === from) report('undeclared-feature', message, { pointer: '/method' });
  // From 2026-07-28 on, a client may send a request to find out (MCP 2026-07-28, versioning). The methods of an extension
  // need the declarations of both sides.
  else if (revision?.isStateless !== true || session.extensions.ofMethod(revision, method) !== undefined)
    report('capability-not-declared', message, { pointer: '/method' });
}

/** A client declares an extension with each request that uses it (MCP 2026-07-28, extension negotiation). */
function checkRequestExtension(seen: SeenCall, revision: Revision): void {
  const { session, from, method, kind, params, report } = seen;
  if (!revision.isStateless || from !== 'client' || kind !== 'request') return;
  const extension = session.extensions.ofMethod(revision, method);
  if (extension?.isDeclaredByClient !== true) return;
  if (session.extensions.declaredIn(requestCapabilities(params)).includes(extension.id)) return;
  report('capability-not-declared', `${method} needs the capability client.extensions.${extension.id}`, {
    pointer: '/params/_meta',
    by: 'client',
  });
}

/** A result of an extension is only for clients that declared it. */
function checkResultExtension({ request, result, session, report }: SeenResponse, revision: Revision): void {
  if (request === undefined || result === undefined) return;
  const extension = session.extensions.ofResult(revision, request.method, ownMember(result, 'resultType'));
  if (extension === undefined) return;
  const declared = revision.isStateless ? requestCapabilities(request.params) : session.capabilities.client;
  if (declared === undefined || session.extensions.declaredIn(declared).includes(extension.id)) return;
  report(
    'capability-not-declared',
    `the result of ${request.method} needs the capability client.extensions.${extension.id}`,
    {
      pointer: '/result/resultType',
      related: request.frame,
    },
  );
}

/** The path of a capability such as `server.tools.listChanged`; an identifier of an extension may have dots. */
function capabilityPath(name: string): readonly string[] {
  const [, ...path] = name.split('.');
  return path[0] === 'extensions' ? ['extensions', path.slice(1).join('.')] : path;
}

/** The first capability of a side that it did not declare; undefined if all are declared, or it declared nothing yet. */
function missingCapability(names: readonly string[], side: Side, declared: JsonObject | undefined): string | undefined {
  if (declared === undefined) return undefined;
  return names.find((name) => name.startsWith(`${side}.`) && !declares(declared, capabilityPath(name)));
}

function checkResult(seen: SeenResponse, revision: Revision): void {
  const { request, report, result } = seen;
  if (request === undefined) return;
  const { method, from: caller } = request;
  const info = methodInfo(revision, method);
  if (info === undefined) return;
  if (!isSentBy(info, caller)) return;
  checkServedCapability(seen, info);
  checkResultExtension(seen, revision);
  const isTask = isObject(ownMember(request.params, 'task')) && result !== undefined && Object.hasOwn(result, 'task');
  const value = ownMember(seen.message, 'result');
  const validation =
    isTask && revision.validateTaskResult !== undefined
      ? revision.validateTaskResult(method, value)
      : revision.validateResult(method, value);
  reportFailure(seen, 'invalid-result', '/result', validation, request.frame);
  if (revision.isStateless && result !== undefined && !Object.hasOwn(result, 'resultType'))
    report('missing-result-type', `the result of ${method} has no resultType`, {
      pointer: '/result',
      related: request.frame,
    });
}

/** A side that answers a request supports its feature, and must have declared it. */
function checkServedCapability({ request, from, report, session }: SeenResponse, info: MethodInfo): void {
  const missing = missingCapability(info.capabilities, from, session.capabilities[from]);
  if (request === undefined || missing === undefined) return;
  report('undeclared-feature', `${request.method} is answered without the capability ${missing}`, {
    related: request.frame,
  });
}

function checkError(seen: SeenResponse, revision: Revision): void {
  const { error, request, report } = seen;
  const code = isObject(error) ? ownMember(error, 'code') : undefined;
  if (typeof code !== 'number') return;
  // A server of an older revision may refuse `server/discover` with any code (MCP 2026-07-28, stdio).
  const isProbe = request?.method === 'server/discover';
  if (revision.isStateless && seen.from === 'server' && !isProbe && isReservedCode(code))
    report('reserved-error-code', `${code} must not be used in ${revision.version}`, { pointer: '/error/code' });
  // Before the handshake a server may refuse everything with another code.
  if (request === undefined || (!revision.isStateless && seen.session.agreed === undefined)) return;
  const isUnknown = REVISIONS.every((other) => methodInfo(other, request.method) === undefined);
  if (!isUnknown || seen.from !== 'server' || code === STANDARD_ERROR_CODES.METHOD_NOT_FOUND) return;
  // A vendor's method may have wrong params; a missing version is found before the method is looked at.
  if (code === STANDARD_ERROR_CODES.INVALID_PARAMS || DEFINED_CODES.includes(code)) return;
  report('wrong-error-code', `${show(request.method)} is answered with ${code}`, {
    pointer: '/error/code',
    related: request.frame,
  });
}

/** Codes of stateless revisions (MCP 2026-07-28, error codes). */
const DEFINED_CODES: readonly number[] = Object.values(STATELESS_ERROR_CODES);

function isReservedCode(code: number): boolean {
  if (code === -32002 || code === -32042) return true;
  return code <= -32020 && code >= -32099 && !DEFINED_CODES.includes(code);
}

/** Reports why a value is invalid, if it is. */
export function reportFailure(
  { report }: Seen,
  rule:
    | 'invalid-params'
    | 'invalid-result'
    | 'invalid-arguments'
    | 'invalid-structured-content'
    | 'invalid-elicited-content',
  pointer: string,
  validation: Validation<unknown>,
  related?: number,
): void {
  if (validation.success) return;
  const { failure } = validation;
  report(rule, describeFailure({ ...failure, path: pointer + failure.path }), {
    pointer: pointer + failure.path,
    ...(related === undefined ? {} : { related }),
  });
}
