import kinds from './kinds-of-text.json' with { type: 'json' };

/**
 * The subject of a request for documents, without the words of the request: "Find all documents about backups" ->
 * "backups". A question that is not such a request is returned unchanged.
 */
export const subjectOf = (query: string): string => {
  const asked = query.replace(POLITE, '').replace(/[\s?!.]+$/, '');
  for (const request of REQUESTS) {
    const subject = request.exec(asked)?.[1]?.trim();
    if (subject !== undefined && /[\p{L}\p{N}]/u.test(subject)) return subject;
  }
  // "What does the return policy say about used devices?": both nouns are the subject.
  const [, source = '', matter = ''] = SAYING.exec(asked) ?? [];
  return /[\p{L}\p{N}]/u.test(matter) ? `${source}, ${matter}` : query;
};

const SAYING = /^what\s+do(?:es)?\s+((?:our|the|your)\s+\S.{0,100}?)\s+say\s+(?:about|on)\s+(.{1,3000})$/is;

/**
 * Removes words for the kind of text such as "policy" and "explain" that no document uses: "our policy on returns" is
 * about returns. A subject that has no other words is returned unchanged.
 *
 * @param isUnknown Whether no document uses a word, given in lower case.
 */
export const withoutKinds = (subject: string, isUnknown: (word: string) => boolean): string => {
  const rest = subject.replace(/[\p{L}\p{N}]+/gu, (word) => {
    const lower = word.toLowerCase();
    return KINDS.has(lower) && isUnknown(lower) ? '' : word;
  });
  return /[\p{L}\p{N}]/u.test(rest) ? rest.replace(/\s+/g, ' ').trim() : subject;
};

const KINDS: ReadonlySet<string> = new Set(kinds);

const POLITE =
  /^\s*(?:please|could you|can you|would you|i am looking for|i'm looking for|i want|i need)(?:\s+please)?[\s,]+/i;

const KIND =
  '(?:(?:help\\s+)?(?:documents?|docs?|documentation|articles?|pages?|guides?|manuals?|passages?|sections?|texts?|entries|material|how-tos?|paragraphs?))';
const QUALITIES = '(?:(?:all|any|every|the|our|of|most|relevant|related|several|some|a|an|of)\\s+){0,4}';
const SAYS =
  '(?:that\\s+|which\\s+)?(?:about|on|for|regarding|concerning|mention(?:s|ing)?|cover(?:s|ing)?|describ(?:es?|ing)|discuss(?:es|ing)?|explain(?:s|ing)?|deal(?:s|ing)?\\s+with|talk(?:s|ing)?\\s+about|speak(?:s|ing)?\\s+of|refer(?:s|ring)?\\s+to|say\\s+(?:something\\s+)?about|(?:is|are)\\s+about|to\\s+do\\s+with|contain(?:s|ing)?|similar\\s+to|have\\s+(?:written\\s+)?(?:about|on))';
const VERB =
  '(?:find|show|list|search(?:\\s+for)?|look\\s+up|look\\s+for|give|get|quote|link|point\\s+me\\s+to|gather|which|what|are\\s+there|is\\s+there|do\\s+we\\s+have|where\\s+are|overview\\s+of|summari[sz]e|a\\s+summary\\s+of)(?:\\s+me)?';

/** The subject is the first group. Bounded repetitions: no text is slow. */
const REQUESTS = [
  new RegExp(
    `^(?:${VERB}\\s+)?${QUALITIES}${KIND}\\s+(?:(?:of|in)\\s+(?:our|the)\\s+\\w{1,20}\\s+)?${SAYS}\\s+(.{1,3000})$`,
    'is',
  ),
  new RegExp(`^${VERB}\\s+(?:everything|anything)\\s+(?:that\\s+is\\s+written\\s+)?(?:about|on)\\s+(.{1,3000})$`, 'is'),
  new RegExp(`^search\\s+(?:our|the)\\s+(?:${KIND}|knowledge\\s+base)\\s+(?:for|on|about)\\s+(.{1,3000})$`, 'is'),
  new RegExp(`^(?:what|which)\\s+${KIND}\\s+do\\s+we\\s+have\\s+(?:about|on|for)\\s+(.{1,3000})$`, 'is'),
  /^what\s+(?:has\s+been|is|was)\s+written\s+(?:about|on)\s+(.{1,3000})$/is,
  new RegExp(`^what\\s+do(?:es)?\\s+(?:our|the)\\s+${KIND}\\s+say\\s+(?:about|on)\\s+(.{1,3000})$`, 'is'),
  new RegExp(
    `^summari[sz]e\\s+what\\s+(?:our|the)\\s+${KIND}\\s+(?:says?|writes?)\\s+(?:about|on)\\s+(.{1,3000})$`,
    'is',
  ),
];
