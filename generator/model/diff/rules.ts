/** Whether a change breaks a side that is not updated. */
export type Verdict = 'breaking' | 'safe';

/** A rule that rates a kind of change. */
export interface Rule {
  /** The change. */
  readonly title: string;
  /** For a program that still sends the old revision to one that reads the new one. */
  readonly sender: Verdict;
  /** For a program that still reads the old revision from one that sends the new one. */
  readonly receiver: Verdict;
  /** Why, in one sentence. */
  readonly why: string;
}

const rule = (title: string, sender: Verdict, receiver: Verdict, why: string): Rule => ({
  title,
  sender,
  receiver,
  why,
});

/**
 * Every kind of change and its rating, defined only here. Output refers to a rule by its key; the table in docs/diff.md
 * is printed by `mcpgen diff --rules --markdown`.
 */
export const RULES = {
  'lifecycle-changed': rule(
    'lifecycle changed',
    'breaking',
    'breaking',
    'With or without a handshake, the first message is another one.',
  ),
  'batches-added': rule('batches allowed', 'safe', 'breaking', 'A receiver may get an array of messages.'),
  'batches-removed': rule('batches no longer allowed', 'breaking', 'safe', 'An array of messages is rejected.'),

  'request-added': rule(
    'request added',
    'safe',
    'breaking',
    'It needs no capability, so a receiver may get it without knowing it.',
  ),
  'request-added-guarded': rule(
    'request added, behind a capability',
    'safe',
    'safe',
    'It is sent only to a receiver that declared the capability.',
  ),
  'notification-added': rule(
    'notification added',
    'safe',
    'safe',
    'A receiver ignores a notification that it does not know.',
  ),
  'method-removed': rule('method removed', 'breaking', 'safe', 'A receiver no longer knows what a sender still sends.'),
  'method-kind-changed': rule(
    'request became notification, or vice versa',
    'breaking',
    'breaking',
    'One side waits for a response that never comes, or gets one that it did not request.',
  ),
  'direction-widened': rule(
    'method may now be sent by both sides',
    'safe',
    'breaking',
    'The side that only sent it may now receive it.',
  ),
  'direction-narrowed': rule(
    'method may now be sent by one side only',
    'breaking',
    'safe',
    'The other side must no longer send it.',
  ),
  'direction-turned': rule(
    'method is now sent by the other side',
    'breaking',
    'breaking',
    'Sender and receiver are swapped.',
  ),
  'method-embedded': rule(
    'method turned embedded',
    'breaking',
    'breaking',
    'It is no longer a message: a result contains it, and the params of a later request contain its response.',
  ),
  'method-unembedded': rule(
    'embedded method became a message',
    'breaking',
    'breaking',
    'It is a separate message, no longer part of a result.',
  ),
  'capability-required': rule(
    'method needs a capability',
    'breaking',
    'safe',
    'Without the capability, what was sent before is rejected.',
  ),
  'capability-dropped': rule(
    'method no longer needs a capability',
    'safe',
    'breaking',
    'It may be sent to a side that declared nothing.',
  ),
  'capability-changed': rule(
    'method needs another capability',
    'breaking',
    'breaking',
    'The declared capability is not the required one.',
  ),
  'result-added': rule(
    'possible result added to a request',
    'safe',
    'breaking',
    'The requester may get a result that it does not know. The sender is the side that responds.',
  ),
  'result-added-guarded': rule(
    'possible result of an extension added to a request',
    'safe',
    'safe',
    'Only a requester that declared the extension may get it. The sender is the side that responds.',
  ),
  'result-removed': rule(
    'possible result removed from a request',
    'breaking',
    'safe',
    'The responder may no longer send it. The sender is the side that responds.',
  ),
  'method-deprecated': rule('method deprecated', 'safe', 'safe', 'It still works as before.'),
  'method-undeprecated': rule('method no longer deprecated', 'safe', 'safe', 'It works as before.'),

  'definition-added': rule('definition added', 'safe', 'safe', 'Its uses decide what changes on the wire.'),
  'definition-removed': rule('definition removed', 'safe', 'safe', 'Its uses decide what changes on the wire.'),
  'definition-renamed': rule(
    'definition renamed',
    'safe',
    'safe',
    'Its name is not on the wire; only code that imports the type must follow.',
  ),
  'definition-extracted': rule(
    'inline type became a definition',
    'safe',
    'safe',
    'Its name is not on the wire; its differences are reported where it was used.',
  ),
  'definition-inlined': rule(
    'definition became an inline type',
    'safe',
    'safe',
    'Its name is not on the wire; its differences are reported where it is used.',
  ),
  'definition-deprecated': rule('definition deprecated', 'safe', 'safe', 'It still works as before.'),
  'envelope-declared': rule(
    'message definition gained or lost `jsonrpc` and `id`',
    'safe',
    'safe',
    'A message has them on the wire either way.',
  ),

  'member-added-optional': rule(
    'optional member added',
    'safe',
    'safe',
    'A receiver ignores a member that it does not know.',
  ),
  'member-added-required': rule(
    'required member added',
    'breaking',
    'safe',
    'A sender omits what the receiver requires.',
  ),
  'member-added-reserved': rule(
    'name in an open map was defined',
    'breaking',
    'safe',
    'A sender may have used the name for a value of another type.',
  ),
  'member-added-own': rule(
    'reserved name in an open map was defined',
    'safe',
    'safe',
    'Names with its prefix are reserved for the protocol, so nobody has used it for anything else.',
  ),
  'member-removed-optional': rule(
    'optional member removed',
    'safe',
    'safe',
    'A receiver ignores it, and does not need it.',
  ),
  'member-removed-required': rule(
    'required member removed',
    'safe',
    'breaking',
    'A receiver does not get what it relies on.',
  ),
  'member-forbidden': rule(
    'member no longer allowed',
    'breaking',
    'safe',
    'The object accepts no other members, or only members of another type.',
  ),
  'member-required': rule('optional member is now required', 'breaking', 'safe', 'A sender may omit it.'),
  'member-optional': rule(
    'required member is now optional',
    'safe',
    'breaking',
    'A receiver may not get what it relies on.',
  ),
  'member-deprecated': rule('member deprecated', 'safe', 'safe', 'It still works as before.'),
  'default-changed': rule(
    'default changed',
    'breaking',
    'safe',
    'A value that a sender omits now means something else.',
  ),
  'default-added': rule('default added', 'safe', 'safe', 'It defines what was undefined.'),
  'default-removed': rule('default removed', 'safe', 'safe', 'A value that was defined no longer is.'),

  'type-widened': rule('type widened', 'safe', 'breaking', 'A receiver may get a value that its type does not have.'),
  'type-narrowed': rule('type narrowed', 'breaking', 'safe', 'A sender may send a value that the type no longer has.'),
  'type-changed': rule('type changed', 'breaking', 'breaking', 'Each type has values that the other does not have.'),
  'variant-added': rule('variant added', 'safe', 'breaking', 'A receiver may get a variant that it does not know.'),
  'variant-removed': rule(
    'variant removed',
    'breaking',
    'safe',
    'A sender may send a variant that is no longer known.',
  ),
  'value-added': rule('enum value added', 'safe', 'breaking', 'A receiver may get a value that it does not know.'),
  'value-removed': rule('enum value removed', 'breaking', 'safe', 'A sender may send a value that is no longer known.'),
  'constraint-tightened': rule(
    'constraint tightened',
    'breaking',
    'safe',
    'A sender may send what is now out of bounds.',
  ),
  'constraint-loosened': rule('constraint loosened', 'safe', 'breaking', 'A receiver may get what was out of bounds.'),
  'constraint-changed': rule(
    'constraint changed',
    'breaking',
    'breaking',
    'Each accepts something that the other rejects.',
  ),
  'format-changed': rule(
    'format changed',
    'safe',
    'safe',
    'A format is an annotation: no value is validated against it.',
  ),
  'rest-narrowed': rule(
    'members of other names narrowed',
    'breaking',
    'safe',
    'A sender may send other members, which are no longer allowed.',
  ),
  'rest-widened': rule(
    'members of other names widened',
    'safe',
    'breaking',
    'A receiver may get members of a type that was not allowed.',
  ),

  'error-added': rule('error code added', 'safe', 'safe', 'An unknown code is still an error.'),
  'error-removed': rule('error code removed', 'breaking', 'safe', 'The code no longer has a meaning.'),
  'error-code-changed': rule(
    'error has another code',
    'breaking',
    'breaking',
    'Neither side knows the error by the code of the other one.',
  ),
  'error-renamed': rule('error code renamed', 'safe', 'safe', 'The code on the wire is the same.'),
} as const satisfies Readonly<Record<string, Rule>>;

/** The key of a rule. */
export type RuleId = keyof typeof RULES;

/** Whether a change by a rule breaks either side. */
export function isBreaking(id: RuleId): boolean {
  return RULES[id].sender === 'breaking' || RULES[id].receiver === 'breaking';
}
