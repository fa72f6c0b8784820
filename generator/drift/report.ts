/** How a type of theirs differs from the protocol's at one place. */
export const DRIFT_KINDS = ['different', 'any', 'unresolved', 'narrower', 'wider', 'missing', 'extra'] as const;

/** One of {@link DRIFT_KINDS}. */
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** What each kind means, for readers of a report. */
export const DRIFT_KIND_TEXTS: Readonly<Record<DriftKind, string>> = {
  different: 'neither type includes the other',
  any: 'their type is any, so nothing is checked here',
  unresolved: 'their type cannot be resolved, so nothing is checked here',
  narrower: 'theirs rejects what the protocol allows',
  wider: 'theirs allows what the protocol does not',
  missing: 'the protocol has it, theirs does not',
  extra: 'theirs has it, the protocol does not',
};

/** What is treated as equal unless the comparison is exact, and why. */
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
  /** The definition of the protocol that contains it. */
  readonly definition: string;
  /** The path from that definition: `CallToolResult.content[]<TextContent>.annotations.priority`. */
  readonly path: string;
  /** Their type; `missing` if they have none. */
  readonly theirs: string;
  /** The protocol's type; `missing` if it has none. */
  readonly ours: string;
  /** What exactly differs, if the two types alone do not show it. */
  readonly detail?: string;
  /** The erratum that explains it: theirs follows the schema as published, ours the correction. */
  readonly erratum?: string;
  /** Other places with the same difference, because they use the same definition. */
  readonly also: readonly string[];
}

/** The result for one definition of the protocol. */
export interface ComparedDefinition {
  readonly name: string;
  /** The export that it was compared with, if one exists. */
  readonly theirs?: string;
  readonly status: 'same' | 'drift' | 'missing' | 'ignored';
}

/** The result of {@link compareWithPackage}. */
export interface DriftReport {
  readonly package: {
    /** As given. */
    readonly specifier: string;
    readonly name?: string;
    readonly version?: string;
    /** The declaration file, relative to the working folder if it is below it. */
    readonly entry: string;
    readonly moduleResolution: 'nodenext' | 'bundler';
  };
  readonly revision: string;
  readonly exact: boolean;
  /** Whether there is a finding that no erratum explains and that is not ignored. */
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
  /** What was treated as equal, and how often. */
  readonly equivalences: readonly { readonly id: EquivalenceId; readonly times: number; readonly reason: string }[];
  /** Notes for the reader: imports that are not installed, patterns that match nothing. */
  readonly notes: readonly string[];
}
