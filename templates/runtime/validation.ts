/**
 * What generated guards and validators call: small checks that return true or false, and a way to find out why not.
 *
 * A guard is plain code that reads members and checks them in order; it builds no pointers and no texts. When it
 * returns false, it runs once more over a proxy of the value that records which member is read: the member that was
 * read last is the wrong one. So a valid value costs only its checks, and an invalid one still gets its location and
 * reason.
 */
export type {
  Failure,
  Check,
  Deviation,
  Repair,
  Leniency,
  ValidateOptions,
  Validation,
  StandardSchemaProps,
  Validator,
  Assertion,
} from "./validation/types.js";
export {
  ValidationError,
  describeFailure,
  validator,
  assertion,
} from "./validation/validator.js";
export {
  validateWith,
  mismatch,
  inDefinition,
  stringWithFormat,
  ownMember,
  oneOf,
  nested,
  anyOf,
  resultOf,
  explainMismatch,
  object,
  noneOf,
} from "./validation/explain.js";
export {
  string,
  number,
  integer,
  boolean,
  array,
  present,
  absent,
  literal,
  maybeObject,
  maybeString,
  maybeNumber,
  maybeInteger,
  maybeBoolean,
  maybeArray,
  stringWithin,
  numberWithin,
  arrayOf,
  maybeArrayOf,
  itemsWithin,
  uniqueItems,
  membersWithin,
  recordOf,
  maybeRecordOf,
  otherMembers,
} from "./validation/checks.js";
export {
  tuple,
  not,
  has,
  contains,
  memberNames,
  patternMembers,
  unevaluatedMembers,
  unevaluatedItems,
  multipleOf,
} from "./validation/rules.js";
export {
  memberDefaults,
  itemDefaults,
  allDefaults,
  validatorWithDefaults,
} from "./validation/defaults.js";
export type { Fill, MemberDefault } from "./validation/defaults.js";
export { FORMATS } from "./validation/formats.js";
export {
  tolerating,
  nullMembers,
  nullCursor,
  missingContent,
  unknownContent,
  missingResultType,
  lenientList,
} from "./validation/lenient.js";
export type { LenientList } from "./validation/lenient.js";
export type { UnknownObject } from "./jsonrpc/envelope.js";
