/** Wording that this project avoids, since readers trip over it, and what to write instead. */
export interface AvoidedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

export const AVOIDED_WORDS: readonly AvoidedWord[] = [
  {
    pattern: /\b(?:held|holds?|holding) (?:[\w`*]+ ){0,3}against\b/i,
    instead: 'is compared with, is validated against, is checked against',
  },
  { pattern: /\b(?:stands?|stood|standing) (?:in|on|for)\b/i, instead: 'is in, depends on, means' },
  { pattern: /\bwhat \w+ stands on\b/i, instead: 'its dependencies' },
  { pattern: /\b(?:is|are|was|were) none\b(?! of)/i, instead: 'does not exist, there is no …, is not a …' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'fix, fixed' },
  { pattern: /\b(?:bears?|bore|bringing along|brings? along)\b/i, instead: 'has, includes' },
  { pattern: /\bbesides?\b/i, instead: 'next to, in addition to, along with' },
  { pattern: /\bfor ever\b/i, instead: 'forever' },
  { pattern: /\bin vain\b/i, instead: 'without success, failed' },
  { pattern: /\bsome time or other\b/i, instead: 'eventually' },
  {
    pattern:
      /\btakes? (?:no |any |a |an |the |its |only |JSON )?(?:arguments?|param(?:eter)?s?|options?|input|bytes|strings?|values?|schemas?|messages?|requests?)\b/i,
    instead: 'accepts',
  },
  {
    pattern: /\bgives? (?:no|a|an|the|its|back|out|way)\b|\bgives? (?:it|them) up\b/i,
    instead: 'returns, prints, provides',
  },
  { pattern: /\btold\b/i, instead: 'reported, logged, notified, distinguished' },
  { pattern: /\b(?:errors?|events?|messages?|failures?) (?:tells?|says? so)\b/i, instead: 'the error message says' },
  { pattern: /\basked for\b/i, instead: 'opt-in, requested' },
  { pattern: /\b(?:where|how) they part\b/i, instead: 'differ, where they differ' },
  { pattern: /\bput(?:s|ting)? up with\b/i, instead: 'tolerate, opt in to' },
  { pattern: /\b(?:laid|lays?) out\b/i, instead: 'formatted' },
  { pattern: /\bleft over\b/i, instead: 'orphaned, remaining' },
  { pattern: /\bgoes? round in a circle\b/i, instead: 'repeats' },
  {
    pattern: /\bwho (?:installs|is let in)\b|\b(?:is|are) (?:not )?let in\b/i,
    instead: 'package manager to use; who may connect',
  },
  { pattern: /\bmakes? an error of\b/i, instead: 'treat … as errors' },
  { pattern: /\bno terminal to ask on\b/i, instead: 'not running in a terminal' },
  { pattern: /\bgiven up after\b/i, instead: 'gave up after N failed attempts' },
  { pattern: /\bof (?:its|their|our|your|his|her) own\b|\bof yours\b|\bof the kind\b/i, instead: 'name the thing' },
  {
    pattern:
      /\b(?:behaviou?r(?<=our)|(?:un)?favou?r(?<=our)|colou?r(?<=our)|neighbou?r(?<=our)|honou?r(?<=our)|labou?r(?<=our)|flavou?r(?<=our))\w*/i,
    instead: 'American spelling: behavior, color, neighbor',
  },
  {
    pattern:
      /\b(?:re|un|de|non)?(?:serial|canonical|initial|normal|recogn|organ|author|optim|minim|maxim|summar|custom|special|general|real|material|token|local|central|synchron|categor|character|formal|final|ital|standard|util|visual|penal|priorit|sanit|emphas|apolog|capital)is(?:e[sdr]?|ing|ation|able)\b/i,
    instead: 'American spelling: -ize',
  },
  {
    pattern: /\b(?:analys(?:e[sd]?|ing)|paralyse|catalogues?|centres?|dialogues?|licence|defence|artefacts?)\b/i,
    instead: 'American spelling: analyze, catalog, center',
  },
];

/** One place where an avoided word is right, and why. */
export interface WordException {
  readonly file: string;
  /** The text around the word, as the file has it. */
  readonly text: string;
  readonly reason: string;
}

export const WORD_EXCEPTIONS: readonly WordException[] = [];
