import type { JsonValue } from '../../read/json/json.js';
import type { Side, TypeNode } from '../protocol.js';
import type { RuleId } from './rules.js';

/** One step from a definition's type to a type inside it. */
export type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'items' }
  | { readonly kind: 'rest' }
  /** A variant of a union: its index in the old and in the new one, and what distinguishes it. */
  | { readonly kind: 'variant'; readonly before: number; readonly after: number; readonly label: string };

/** The kind of thing that changed. */
export type Subject = 'protocol' | 'method' | 'definition' | 'error';

/** A value that shows a breaking change: one revision accepts it, the other does not. */
export interface Evidence {
  /** Which side it breaks: `sender` if the old revision accepts the value and the new one does not, else `receiver`. */
  readonly breaks: 'sender' | 'receiver';
  /** The definition that accepts the value, in the revision that does. */
  readonly acceptedBy: string;
  /** The definition that rejects it, in the other revision. */
  readonly rejectedBy: string;
  readonly value: JsonValue;
  /** JSON pointer to the rejected place. */
  readonly at: string;
}

/** One difference between two revisions. */
export interface Change {
  readonly rule: RuleId;
  readonly subject: Subject;
  /** The method, definition or error that changed: its name in the new revision, or in the old one if it is gone. */
  readonly name: string;
  /** The place below the definition; empty for the definition itself. */
  readonly path: readonly Step[];
  /** The old state, in words or as a type. */
  readonly before?: string | TypeNode;
  /** The new state, in words or as a type. */
  readonly after?: string | TypeNode;
  /** Additional information: the evidence of a guess, or the place of an inline type. */
  readonly detail?: string;
  /** Who sends values of this kind on the wire; empty if nobody does. */
  readonly sentBy: readonly Side[];
  readonly evidence?: readonly Evidence[];
}

/** Formats a place: `CallToolResult.content[].text`. */
export function changeLocation({ name, path }: Pick<Change, 'name' | 'path'>): string {
  return name + path.map(stepText).join('');
}

function stepText(step: Step): string {
  switch (step.kind) {
    case 'member':
      return /^[\w$]+$/.test(step.name) ? `.${step.name}` : `[${JSON.stringify(step.name)}]`;
    case 'items':
      return '[]';
    case 'rest':
      return '.*';
    case 'variant':
      return `<${step.label}>`;
  }
}
