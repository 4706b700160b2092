import { wordsOf } from './analyse-text.ts';
import fillers from './filler-words.json' with { type: 'json' };
import { stem } from './stem.ts';

/** Whether a text begins like a question or request, ignoring greetings. */
export const beginsAsQuestion = (text: string): boolean => BEGINNING.test(text);

/** Whether a clause is a question or request by itself: begins like a question and names its subject. */
export const isOwnQuestion = (clause: string): boolean =>
  beginsAsQuestion(clause) && namesItsSubject(clause) && !CONTINUATION.test(clause);

/** Whether a clause begins with an imperative without an addressee: `check the version`, not `tell me the version`. */
export const isBareRequest = (clause: string): boolean => BARE_REQUEST.test(clause);

/** Whether a text refers back to the text before it, or continues it. */
export const pointsBack = (text: string): boolean => POINTER.test(text) || CONTINUATION.test(text);

/** Whether a text names a subject: at least two content words, or one within a sentence. */
export const namesItsSubject = (text: string): boolean => {
  const subjects = wordsOf(text).filter((word) => !FILLERS.has(word)).length;
  return subjects >= 2 || (subjects === 1 && text.trim().split(/\s+/).length >= LONG_ENOUGH);
};

/** Whether a word, in lower case, carries no subject. */
const isFiller = (word: string): boolean => FILLERS.has(word);

const LONG_ENOUGH = 6;

/** Phrases that may precede a question. */
const LEAD_IN =
  '^(?:(?:and|also|or|plus|then|so|please|ok|okay|but|finally|besides|moreover|furthermore|hi|hello|hey|thanks|next|' +
  'in addition|additionally|by the way|btw|\\d[.)]|' +
  '(?:first|second|third|another|one more|last)(?:ly)?(?: (?:question|thing|point))?)[,:;.!]?\\s+){0,4}';
const VERB = "(?:is|are|am|was|were|do|does|did|can|could|will|would|should|shall|may|might|must|has|have|had)(?:n't)?";
/** `when` is a question word only before a verb: `when I add money` is a clause of time. */
const ASKING =
  '(?:(?:at|in|on|for|from|to|with|by|of|about|since|until|under) )?' +
  `(?:(?:what|which|who|whom|whose|where|why|how)(?:'?s)?|when(?='?s\\b| ${VERB}))`;
const AUXILIARY = `${VERB}|any`;
const REQUESTING =
  'find|show|list|give|tell|search|look up|look for|get me|compare|summari[sz]e|count|explain|check|google|describe|name|' +
  'dig|pull|calculate|point me|collect|quote|link';
const BEGINNING = new RegExp(`${LEAD_IN}(?:${ASKING}|${AUXILIARY}|${REQUESTING})\\b`, 'i');
const BARE_REQUEST = new RegExp(`^(?:${REQUESTING})\\b(?! (?:me|us)\\b)`, 'i');

/** Pronouns that refer back; not the ones in `this week`, `is there` and `the page that shows`. */
const POINTER = new RegExp(
  '\\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|ones|same|such|both|others|those|these(?! days)|' +
    'this(?! (?:week|month|year|quarter|morning|evening|weekend|day))|' +
    '(?:is|was|does|did|do|can|will|would|about|for|of|like|with|after|before|from|to|than|and|why|how|if|fix|use) that|' +
    '(?:which|the|this|that|each|every|used|new|cheaper|cheapest) one|(?:from|in|over|to) there|' +
    '(?:another|the (?:former|latter|rest|two|first|second|last)|(?:any|the|some) other)(?=[ ?.,]*$))\\b',
  'i',
);

const CONTINUATION =
  /^(?:(?:and|or|but|so|then) )?(?:what|how) about\b|^(?:if (?:so|not|yes|no)|or|otherwise|why not|because|since when|what else|anything else)\b/i;

const FILLERS: ReadonlySet<string> = new Set(fillers);

/** Whether each content word of a text, as a stem, occurs in one of the others: then it says nothing that they do not say. */
export const hasOnlyWordsOf = (text: string, others: readonly string[]): boolean => {
  if (others.includes(text)) return true;
  const said = new Set(others.flatMap(stemsOf));
  return stemsOf(text).every((word) => said.has(word));
};

const stemsOf = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !isFiller(word))
    .map(stem);
