/** The form of vectors: what `mcpgen vectors` writes, and what an adapter reads and answers. */
import type { Severity } from '../inspect/rule.js';
import type { JsonValue } from '../read/json/json.js';

/** Version of this form. It changes when a reader of the previous one could misread the new one. */
export const VECTORS_FORM = 1;

/** Who sends a message. */
export type VectorSender = 'client' | 'server';

/**
 * Why an implementation may have to treat a vector separately. `notation`: how a number is written matters; see `text`.
 * `large-integer`: a number above 2^53. `unusual-name`: a member's name that means something in JavaScript.
 * `lone-surrogate`: an escape sequence that is not a Unicode character.
 */
export type VectorFlag = 'notation' | 'large-integer' | 'unusual-name' | 'lone-surrogate';

interface VectorBase {
  /** Unique within the revision and stable: `CallToolRequest/params/name/missing`. */
  readonly name: string;
  /** What the vector shows, in a sentence. */
  readonly reason: string;
  /** Properties that some implementations have a known limit for; `flags` of the index explains each. */
  readonly flags?: readonly VectorFlag[];
  /** Id of the erratum that the verdict depends on. */
  readonly erratum?: string;
  /** The verdict of the official schema without errata, where it differs. */
  readonly officialValid?: boolean;
}

/** Whether a value is valid, and for an invalid one where and by which rule. */
export interface Verdict {
  readonly valid: boolean;
  /**
   * JSON Pointer of the offending value; of a missing member, where it would be. Absent if several places can be called
   * wrong: where no branch of an untagged union matches, and where the members of an envelope do not fit together.
   */
  readonly pointer?: string;
  /**
   * The broken rule: a keyword of JSON Schema such as `required` or `maximum`; `envelope` for rules of JSON-RPC, and
   * `method` and `direction` for messages that the sender does not send. Present if the value is invalid.
   */
  readonly rule?: string;
}

/** A value to validate as a definition of the schema. */
export interface DefinitionVector extends VectorBase, Verdict {
  readonly value: JsonValue;
  /** The value as JSON text, if a parser may lose how a number is written: `1.0`. Validate this text then. */
  readonly text?: string;
}

/** A whole JSON-RPC message to validate as one that a side sends. */
export interface MessageVector extends VectorBase, Verdict {
  readonly sender: VectorSender;
  /** Method that a response answers; a request or notification has its method in the message. */
  readonly answers?: string;
  readonly message: JsonValue;
  /** The message as JSON text, if a parser may lose how a number is written: `1.0`. Validate this text then. */
  readonly text?: string;
}

/** The rule that a reader of bytes or a side of a conversation breaks if it fails a vector. */
interface RuleVector extends VectorBase {
  /** Id of the rule, as `mcpgen inspect --rules` lists it. */
  readonly rule: string;
  readonly severity: Severity;
  /** Address of the section of the specification. */
  readonly section: string;
}

/** What a reader of a stdio stream finds in it: a message, a batch as an array, or bytes that are no message. */
export type Frame = { readonly message: JsonValue } | { readonly error: 'not-json' | 'not-utf8' | 'not-a-message' };

/** What a reader has to find; `unspecified` is any number of frames of any kind. */
export type ExpectedFrame = Frame | { readonly unspecified: true };

/** Bytes as they arrive, and what a reader of the stream finds in them. */
export interface FramingVector extends RuleVector {
  /** Chunks of bytes, each in base64. The stream ends after the last one. */
  readonly chunks: readonly string[];
  readonly frames: readonly ExpectedFrame[];
  /** Other findings that conform, too. */
  readonly alternatives?: readonly (readonly ExpectedFrame[])[];
}

/**
 * A step of a conversation. In the values of `send`, an object `{"$use": NAME}` is replaced by the value that a matcher
 * has captured.
 */
export type SessionStep =
  /** Sends a message on a line. */
  | { readonly send: JsonValue }
  /** Sends a line as it is, which need not be JSON. */
  | { readonly sendText: string }
  /** Sends bytes in these chunks, each in base64, with a pause between them. */
  | { readonly sendChunks: readonly string[] }
  /** The next message has to match, except those that `ignore` of the vector matches and this pattern does not. */
  | { readonly expect: JsonValue }
  /** The next messages have to match these patterns, in any order. */
  | { readonly expectAll: readonly JsonValue[] }
  /** If the last message that was expected does not match, the rest does not apply to this side, and the vector is skipped. */
  | { readonly require: JsonValue; readonly otherwise: string }
  /** Nothing but what `ignore` matches may arrive for this time. */
  | { readonly silenceMs: number }
  /** The input of the side under test ends; it has to exit. */
  | { readonly end: true };

/**
 * A conversation with one side over stdio. The other side is what runs the vector.
 *
 * In a pattern, members of an object that are not named are free, and everything else is equal. An object with the single
 * member `$match` is a {@link Matcher}.
 */
export interface SessionVector extends RuleVector {
  /** The side under test. */
  readonly role: VectorSender;
  /** Patterns of messages that may arrive at any time. */
  readonly ignore: readonly JsonValue[];
  readonly steps: readonly SessionStep[];
}

/** What `$match` may be. */
export type Matcher =
  /** Any value of this type; `absent` if the member must not exist. */
  | 'any'
  | 'absent'
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | 'null'
  /** One of the patterns matches. */
  | { readonly anyOf: readonly JsonValue[] }
  /** The pattern does not match. */
  | { readonly not: JsonValue }
  /** An array with an item that matches. */
  | { readonly contains: JsonValue }
  /** An array whose items match these patterns, in any order. */
  | { readonly unordered: readonly JsonValue[] }
  /** The pattern matches, and the value gets a name for `$use`. */
  | { readonly capture: string; readonly as: JsonValue };

/** One file of vectors. */
export type VectorFile =
  | { readonly kind: 'definition'; readonly definition: string; readonly vectors: readonly DefinitionVector[] }
  /** The method, or the one whose messages show the rules of the envelope. */
  | { readonly kind: 'message'; readonly method: string; readonly vectors: readonly MessageVector[] }
  | { readonly kind: 'framing'; readonly vectors: readonly FramingVector[] }
  | { readonly kind: 'session'; readonly vectors: readonly SessionVector[] };

/** `index.json` of a folder of vectors. */
export interface VectorIndex {
  readonly form: typeof VECTORS_FORM;
  readonly revision: string;
  readonly extensions: readonly string[];
  /** SHA-256 of the official schema. */
  readonly schema: string;
  /** What each flag of a vector means, for the flags that occur. */
  readonly flags: Readonly<Partial<Record<VectorFlag, string>>>;
  readonly files: readonly {
    readonly path: string;
    readonly kind: VectorFile['kind'];
    readonly subject?: string;
    readonly count: number;
  }[];
}

/** A line that the runner writes to an adapter: one vector without its verdict. */
export type AdapterRequest =
  | { name: string; revision: string; kind: 'definition'; definition: string; value: JsonValue }
  | {
      name: string;
      revision: string;
      kind: 'message';
      method: string;
      sender: VectorSender;
      answers?: string;
      message: JsonValue;
    }
  | { name: string; revision: string; kind: 'framing'; chunks: readonly string[] };

/** A line that an adapter answers with, in any order. */
export type AdapterAnswer =
  | { name: string; valid: boolean; pointer?: string }
  | { name: string; frames: readonly Frame[] }
  /** The implementation has nothing to validate this with. */
  | { name: string; skip: string };
