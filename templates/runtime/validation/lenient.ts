/** Deviations from the protocol that can be tolerated, each by name. */
import type { UnknownObject } from "../jsonrpc/envelope.js";
import type {
  Check,
  Deviation,
  Failure,
  Leniency,
  Repair,
  ValidateOptions,
  Validation,
  Validator,
} from "./types.js";
import { isObject } from "../jsonrpc/envelope.js";
import { explainMismatch } from "./explain.js";
import {
  escapePointerToken,
  getOwnMember,
  pointerTokens,
  removeAtTokens,
  replaceAtTokens,
  valueAtTokens,
} from "./pointer.js";

// Deviations that occur in practice although the protocol does not allow them.

/** Maximum of repairs in one value; a value with more faults is rejected. */
const MAX_REPAIRS = 1000;

/**
 * Tolerates deviations: a value with such a fault is valid, and is returned as a repaired copy with a list of the
 * repairs. The value itself is never changed, and any other fault is still a failure.
 */
export function tolerating(...deviations: readonly Deviation[]): Leniency {
  return <T>(check: Check, value: unknown, first: Failure): Validation<T> => {
    const repairs: Repair[] = [];
    let root = value;
    let failure = first;
    while (repairs.length < MAX_REPAIRS) {
      const repaired = applyDeviations(root, failure, deviations);
      if (repaired === undefined) break;
      root = repaired.value;
      repairs.push(repaired.repair);
      if (check(root)) return { success: true, value: root as T, repairs };
      failure = explainMismatch(check, root);
    }
    return { success: false, failure: first };
  };
}

function applyDeviations(
  root: unknown,
  failure: Failure,
  deviations: readonly Deviation[],
): { readonly value: unknown; readonly repair: Repair } | undefined {
  for (const deviation of deviations) {
    const repaired = deviation.repair(root, failure);
    if (repaired !== undefined)
      return {
        value: repaired.value,
        repair: { deviation: deviation.name, path: failure.path },
      };
  }
  return undefined;
}

/** An optional member with the value null counts as absent. */
export const nullMembers: Deviation = /* @__PURE__ */ defineDeviation(
  "nullMembers",
  (root, failure) =>
    isNullMember(root, failure)
      ? removeAtTokens(root, pointerTokens(failure.path))
      : undefined,
);

/** `nextCursor: null` counts as absent: there is no further page. */
export const nullCursor: Deviation = /* @__PURE__ */ defineDeviation(
  "nullCursor",
  (root, failure) =>
    failure.path.endsWith("/nextCursor") && isNullMember(root, failure)
      ? removeAtTokens(root, pointerTokens(failure.path))
      : undefined,
);

/** A tool result with `structuredContent` but no `content` has no content blocks. */
export const missingContent: Deviation = /* @__PURE__ */ defineDeviation(
  "missingContent",
  (root, failure) => {
    const tokens = pointerTokens(failure.path);
    const parent = valueAtTokens(root, tokens.slice(0, -1));
    if (
      failure.reason !== "missing" ||
      tokens.at(-1) !== "content" ||
      !isObject(parent)
    )
      return undefined;
    return parent["structuredContent"] === undefined
      ? undefined
      : replaceAtTokens(root, tokens, []);
  },
);

/** A content block of a type that this revision does not know is omitted, so that the others are kept. */
export const unknownContent: Deviation = /* @__PURE__ */ defineDeviation(
  "unknownContent",
  (root, failure) => {
    const tokens = pointerTokens(failure.path);
    const [list, index, member] = tokens.slice(-3);
    if (
      member !== "type" ||
      list !== "content" ||
      index === undefined ||
      failure.reason !== "value"
    )
      return undefined;
    return Array.isArray(valueAtTokens(root, tokens.slice(0, -2))) &&
      typeof valueAtTokens(root, tokens) === "string"
      ? removeAtTokens(root, tokens.slice(0, -1))
      : undefined;
  },
);

/** A result without `resultType`, as servers of older revisions send it, is complete. */
export const missingResultType: Deviation = /* @__PURE__ */ defineDeviation(
  "missingResultType",
  (root, failure) => {
    const tokens = pointerTokens(failure.path);
    return failure.reason === "missing" && tokens.at(-1) === "resultType"
      ? replaceAtTokens(root, tokens, "complete")
      : undefined;
  },
);

/** Whether the failure is about an object member that is null; items of a list do not count. */
function isNullMember(root: unknown, { path }: Failure): boolean {
  const tokens = pointerTokens(path);
  return (
    valueAtTokens(root, tokens) === null &&
    isObject(valueAtTokens(root, tokens.slice(0, -1)))
  );
}

function defineDeviation(
  name: string,
  repaired: (root: unknown, failure: Failure) => unknown,
): Deviation {
  return {
    name,
    repair(root, failure) {
      const value = repaired(root, failure);
      return value === undefined ? undefined : { value };
    },
  };
}

/** A list without its invalid items. */
export type LenientList<T> =
  | {
      readonly success: true;
      /** The value itself if all items are valid, otherwise a copy with the valid ones. */
      readonly value: T;
      /** Repairs of the kept items, and of the rest. */
      readonly repairs?: readonly Repair[];
      /** The invalid items: their locations, and what is wrong with them. */
      readonly bad: readonly {
        readonly index: number;
        readonly item: unknown;
        readonly failure: Failure;
      }[];
    }
  | { readonly success: false; readonly failure: Failure };

/**
 * Validates a result that contains a list, such as the tools of `tools/list`, and keeps the valid items if others are
 * invalid. A fault outside of the items is still a failure.
 */
export function lenientList<T>(
  validate: Validator<T>,
  value: unknown,
  options?: ValidateOptions,
): LenientList<T> {
  const outcome = validate(value, options);
  if (outcome.success) return { ...outcome, bad: [] };
  const [name, index] = pointerTokens(outcome.failure.path);
  const items =
    isObject(value) && name !== undefined
      ? getOwnMember(value, name)
      : undefined;
  if (
    !isObject(value) ||
    name === undefined ||
    index === undefined ||
    !Array.isArray(items)
  )
    return outcome;
  const kept: unknown[] = [];
  const bad: { index: number; item: unknown; failure: Failure }[] = [];
  const repairs: Repair[] = [];
  const itemPrefix = `/${escapePointerToken(name)}/0`;
  items.forEach((item: unknown, position) => {
    const moved = (path: string): string =>
      path.startsWith(itemPrefix)
        ? `/${escapePointerToken(name)}/${position}${path.slice(itemPrefix.length)}`
        : path;
    const single = validate({ ...value, [name]: [item] }, options);
    if (single.success) {
      kept.push(
        ...((single.value as UnknownObject)[name] as readonly unknown[]),
      );
      // Repairs outside of the list repeat for every item; they are reported once, with the whole.
      for (const repair of single.repairs ?? []) {
        if (repair.path.startsWith(itemPrefix))
          repairs.push({ ...repair, path: moved(repair.path) });
      }
    } else {
      bad.push({
        index: position,
        item,
        failure: { ...single.failure, path: moved(single.failure.path) },
      });
    }
  });
  const whole = validate({ ...value, [name]: kept }, options);
  if (!whole.success) return whole;
  repairs.push(...(whole.repairs ?? []));
  return {
    success: true,
    value: whole.value,
    bad,
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}
