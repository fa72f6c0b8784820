/** How a type of theirs departs from the protocol's at one place. */
export const DRIFT_KINDS = ['different', 'any', 'unresolved', 'narrower', 'wider', 'missing', 'extra'] as const;

/** One of {@link DRIFT_KINDS}. */
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** What each kind means, for the reader of a report. */
export const DRIFT_KIND_TEXTS: Readonly<Record<DriftKind, string>> = {
  different: 'neither type includes the other',
  any: 'their type is any, so nothing is checked here',
  unresolved: 'their type cannot be resolved, so nothing is checked here',
  narrower: 'theirs rejects what the protocol allows',
  wider: 'theirs allows what the protocol does not',
  missing: 'the protocol has it, theirs does not',
  extra: 'theirs has it, the protocol does not',
};

/** What is taken as equal unless the comparison is to be exact, and why. */
export const EQUIVALENCES = {
  'open-objects': 'an object that allows further members and one that does not: receivers must ignore unknown members',
  'open-members':
    'an optional member of theirs in an open object of the protocol, such as _meta: any member is allowed there',
  undefined: 'an optional member and one that may be undefined: JSON has no undefined',
  readonly: 'readonly or not: the value on the wire is the same',
  enums: 'an enum and a union of its values: the values on the wire are the same',
  brands: 'a branded string or number and a plain one: the brand is not on the wire',
  functions: 'members that are functions or named by symbols: they never travel',
  'any-object': 'object, {} and a map of unknown, where the protocol names no member: each is any JSON object',
  'json-values': 'unknown and a JSON value: on the wire there is nothing else',
  envelope: 'a message with and without jsonrpc and id: packages define the envelope separately, as older revisions do',
} as const;

/** The name of one of the {@link EQUIVALENCES}. */
export type EquivalenceId = keyof typeof EQUIVALENCES;

/** A difference between a type of theirs and the protocol's. */
export interface DriftFinding {
  readonly kind: DriftKind;
  /** The protocol's definition that it was found in. */
  readonly definition: string;
  /** The place from that definition on: `CallToolResult.content[]<TextContent>.annotations.priority`. */
  readonly path: string;
  /** Their type; `missing` where they have nothing here. */
  readonly theirs: string;
  /** The protocol's type; `missing` where it has nothing here. */
  readonly ours: string;
  /** What exactly differs, where the two types alone do not show it. */
  readonly detail?: string;
  /** The erratum that explains it: theirs follows the schema as it was published, ours the correction. */
  readonly erratum?: string;
  /** Other places where the same difference shows, since they use the same definition. */
  readonly also: readonly string[];
}

/** One definition of the protocol, and what became of it. */
export interface ComparedDefinition {
  readonly name: string;
  /** The export that it was compared with; absent if no export has its name. */
  readonly theirs?: string;
  readonly status: 'same' | 'drift' | 'missing' | 'ignored';
}

/** What {@link compareWithPackage} found. */
export interface DriftReport {
  readonly package: {
    /** As given. */
    readonly specifier: string;
    readonly name?: string;
    readonly version?: string;
    /** The declaration file that was read, relative to the working folder where it is below it. */
    readonly entry: string;
    readonly moduleResolution: 'nodenext' | 'bundler';
  };
  readonly revision: string;
  readonly exact: boolean;
  /** Whether anything departs that no erratum explains and nobody ignores. */
  readonly drift: boolean;
  readonly summary: {
    readonly definitions: number;
    readonly same: number;
    readonly drift: number;
    readonly missing: number;
    readonly ignored: number;
    /** Findings that count, by kind. */
    readonly findings: Readonly<Record<DriftKind, number>>;
    /** Findings that an erratum explains; they do not count unless the comparison is exact. */
    readonly errata: number;
  };
  readonly definitions: readonly ComparedDefinition[];
  readonly findings: readonly DriftFinding[];
  /** Exported types that no definition was compared with, with the other built-in revisions that define their names. */
  readonly otherExports: readonly { readonly name: string; readonly revisions: readonly string[] }[];
  /** What was taken as equal, and how often. */
  readonly equivalences: readonly { readonly id: EquivalenceId; readonly times: number; readonly reason: string }[];
  /** What a reader should know of the package: imports that are not installed, patterns that fit nothing. */
  readonly notes: readonly string[];
}
