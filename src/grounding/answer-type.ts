/** What kind of thing a question asks for; most ask for none of these. */
export type AnswerType = 'person' | 'time' | 'number' | 'place' | 'reason';

/** Decides by the wording; undefined when the question asks for no such thing (about 60 %; recipe, section 4). */
export const answerTypeOf = (question: string): AnswerType | undefined =>
  QUESTION_PATTERNS.find(([, pattern]) => pattern.test(question))?.[0];

/**
 * Whether a sentence offers something of the asked kind that the question does not hold already.
 *
 * @param isKnown Tells whether a word, as written, is one of the question's.
 */
export const offersType = (type: AnswerType, sentence: string, isKnown: (word: string) => boolean): boolean => {
  const pattern = CANDIDATES[type];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(sentence); match; match = pattern.exec(sentence)) {
    const candidate = match[1];
    if (candidate === undefined || candidate.split(/\s+/).some((word) => !isKnown(word))) return true;
  }
  return false;
};

const QUESTION_PATTERNS: [AnswerType, RegExp][] = [
  [
    'number',
    /\bhow (?:many|much|far|long|old|tall|high|large|big|heavy|deep|wide|fast|hot|cold|often)\b|\bwhat (?:is the )?(?:number|percentage|percent|amount|price|cost|voltage|temperature|weight|speed|distance|population|size|age)\b/i,
  ],
  [
    'time',
    /\bwhen\b(?! (?:i|my|we|you|it|the|a)\b)|\b(?:what|which|in what|in which) (?:year|century|decade|month|day|date|time|period)\b|\bhow (?:soon|recently)\b/i,
  ],
  [
    'person',
    /\bwho(?:m|se)?\b|\b(?:what|which) (?:person|man|woman|king|queen|president|scientist|author|leader|company|organi[sz]ation|team|group)\b|\bwhat (?:is|was) the name of\b/i,
  ],
  [
    'place',
    /\bwhere\b|\b(?:what|which) (?:country|city|state|region|place|location|town|area|continent|river|ocean|province|countries|cities|states)\b/i,
  ],
  [
    'reason',
    /\bwhy\b|\b(?:what|which) (?:is|was|were|are) the (?:reason|cause)s?\b|\bwhat (?:cause[sd]?|led to)\b|\bfor what (?:reason|purpose)\b/i,
  ],
];

const CANDIDATES: Record<AnswerType, RegExp> = {
  person: /(?<!^)(?<![.!?]\s)\b(\p{Lu}[\p{L}'’-]{1,30}(?:\s\p{Lu}[\p{L}.'’-]{0,30}){0,4})/gu,
  time: /\b(\d{3,4}s?|\d{1,2}(?::\d\d|(?:st|nd|rd|th)\b)|(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|(?:\w{3,12}) (?:century|centuries|decade)|(?:\d+ )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?))\b/gu,
  number:
    /\b(\d[\d.,:/]{0,15}|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|billion|half|third|quarter|dozen|several))\b/giu,
  place:
    /\b(?:in|at|from|to|near|of|on|into|across|through|outside|between)\s(?:the\s)?(\p{Lu}[\p{L}'’-]{1,30}(?:\s\p{Lu}[\p{L}'’-]{0,30}){0,3})/gu,
  reason:
    /\bbecause\b|\bdue to\b|\bso that\b|\bin order to\b|\bsince\b|\bas a result\b|\bcaused? by\b|\bowing to\b|\bthanks to\b|\btherefore\b|\bto (?:avoid|prevent|ensure|allow|protect|keep|reduce)\b/giu,
};
