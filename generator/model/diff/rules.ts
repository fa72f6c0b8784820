/** Whether a change breaks a side that stays as it was. */
export type Verdict = 'breaking' | 'safe';

/** A rule by which a kind of change is judged. */
export interface Rule {
  /** What has changed. */
  readonly title: string;
  /** For a program that still sends what the old revision says, to one that reads by the new one. */
  readonly sender: Verdict;
  /** For a program that still reads by the old revision what one sends that writes by the new one. */
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
 * Every kind of change, and how it is judged: the one place that says so. Output names a rule by its key, and the table
 * in ARCHITECTURE.md is printed from here by `mcpgen diff --rules`.
 */
export const RULES = {
  'lifecycle-changed': rule(
    'lifecycle changed',
    'breaking',
    'breaking',
    'With or without a handshake, the first message is another one.',
  ),
  'batches-added': rule('batches allowed', 'safe', 'breaking', 'A receiver may be sent an array of messages.'),
  'batches-removed': rule('batches no longer allowed', 'breaking', 'safe', 'An array of messages is refused.'),

  'request-added': rule(
    'request added',
    'safe',
    'breaking',
    'It needs no capability, so a receiver may be sent it, and does not know it.',
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
    'request became notification, or the other way round',
    'breaking',
    'breaking',
    'One side waits for an answer that does not come, or gets one that it did not ask for.',
  ),
  'direction-widened': rule(
    'method may now be sent by both sides',
    'safe',
    'breaking',
    'The side that only sent it may now be sent it.',
  ),
  'direction-narrowed': rule(
    'method may now be sent by one side only',
    'breaking',
    'safe',
    'The other side is no longer to send it.',
  ),
  'direction-turned': rule(
    'method is now sent by the other side',
    'breaking',
    'breaking',
    'Sender and receiver changed places.',
  ),
  'method-embedded': rule(
    'method turned embedded',
    'breaking',
    'breaking',
    'It is no message any more: it travels inside a result, and its answer in the params of a later request.',
  ),
  'method-unembedded': rule(
    'embedded method became a message',
    'breaking',
    'breaking',
    'It no longer travels inside a result: it is a separate message.',
  ),
  'capability-required': rule(
    'method needs a capability',
    'breaking',
    'safe',
    'Without the capability, what was sent before is refused.',
  ),
  'capability-dropped': rule(
    'method needs a capability no longer',
    'safe',
    'breaking',
    'It may be sent to a side that declared nothing.',
  ),
  'capability-changed': rule(
    'method needs another capability',
    'breaking',
    'breaking',
    'The capability that was declared is not the one that is looked for.',
  ),
  'result-added': rule(
    'a request has one more possible result',
    'safe',
    'breaking',
    'Who sent the request may be answered with a result that it does not know. Sender here is who answers.',
  ),
  'result-removed': rule(
    'a request has one possible result less',
    'breaking',
    'safe',
    'Who answers may no longer answer with it. Sender here is who answers.',
  ),
  'method-deprecated': rule('method deprecated', 'safe', 'safe', 'It still works as it did.'),
  'method-undeprecated': rule('method no longer deprecated', 'safe', 'safe', 'It works as it did.'),

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
    'definition was written inline',
    'safe',
    'safe',
    'Its name is not on the wire; its differences are reported where it is used.',
  ),
  'definition-deprecated': rule('definition deprecated', 'safe', 'safe', 'It still works as it did.'),
  'envelope-declared': rule(
    'message definition writes `jsonrpc` and `id` out, or no longer',
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
    'A sender leaves out what the receiver asks for.',
  ),
  'member-added-reserved': rule(
    'a name in an open map got a meaning',
    'breaking',
    'safe',
    'A sender may have used the name for a value of another type.',
  ),
  'member-added-own': rule(
    "a name of the protocol's own in an open map got a meaning",
    'safe',
    'safe',
    'Names with its prefix are kept for the protocol, so nobody has used it for anything else.',
  ),
  'member-removed-optional': rule(
    'optional member removed',
    'safe',
    'safe',
    'A receiver ignores it, and need not get it.',
  ),
  'member-removed-required': rule(
    'required member removed',
    'safe',
    'breaking',
    'A receiver misses what it counts on.',
  ),
  'member-forbidden': rule(
    'member no longer allowed',
    'breaking',
    'safe',
    'The object accepts no other members, or only members of another type.',
  ),
  'member-required': rule('optional member is now required', 'breaking', 'safe', 'A sender may leave it out.'),
  'member-optional': rule(
    'required member is now optional',
    'safe',
    'breaking',
    'A receiver may miss what it counts on.',
  ),
  'member-deprecated': rule('member deprecated', 'safe', 'safe', 'It still works as it did.'),
  'default-changed': rule('default changed', 'breaking', 'safe', 'What a sender leaves out now means something else.'),
  'default-added': rule('default added', 'safe', 'safe', 'It defines what was undefined.'),
  'default-removed': rule('default removed', 'safe', 'safe', 'It leaves open what was said.'),

  'type-widened': rule('type widened', 'safe', 'breaking', 'A receiver may get a value that its type does not have.'),
  'type-narrowed': rule('type narrowed', 'breaking', 'safe', 'A sender may send a value that the type no longer has.'),
  'type-changed': rule(
    'type changed',
    'breaking',
    'breaking',
    'Each type has values that the other one does not have.',
  ),
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
    'Each lets something pass that the other one stops.',
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

  'error-added': rule('error code added', 'safe', 'safe', 'A code that is not known is an error all the same.'),
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

/** Whether a change by a rule breaks one side or the other. */
export function isBreaking(id: RuleId): boolean {
  return RULES[id].sender === 'breaking' || RULES[id].receiver === 'breaking';
}
