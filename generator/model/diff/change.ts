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

/** What a change is about. */
export type Subject = 'protocol' | 'method' | 'definition' | 'error';

/** A value that shows a breaking change: one revision accepts it, the other does not. */
export interface Evidence {
  /** Which side it breaks: `sender` if the old revision accepts the value and the new one does not, else `receiver`. */
  readonly breaks: 'sender' | 'receiver';
  /** The definition that accepts the value, in the revision that does. */
  readonly acceptedBy: string;
  /** The definition that does not, in the other one. */
  readonly rejectedBy: string;
  readonly value: JsonValue;
  /** JSON pointer to the place that is objected to. */
  readonly at: string;
}

/** One difference between two revisions. */
export interface Change {
  readonly rule: RuleId;
  readonly subject: Subject;
  /** The method, definition or error that changed: its name in the new revision, or in the old one if it is gone. */
  readonly name: string;
  /** The place below the definition; empty for the thing itself. */
  readonly path: readonly Step[];
  /** What was there, in words or as a type. */
  readonly before?: string | TypeNode;
  /** What is there now, in words or as a type. */
  readonly after?: string | TypeNode;
  /** More in words: the evidence of a guess, where an inline type stood. */
  readonly detail?: string;
  /** Who sends values of this kind on the wire; empty if nothing does. */
  readonly sentBy: readonly Side[];
  readonly evidence?: readonly Evidence[];
}

/** A place as people write it: `CallToolResult.content[].text`. */
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
