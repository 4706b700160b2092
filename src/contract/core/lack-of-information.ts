import LACK_OF_INFORMATION from './lack-of-information.json' with { type: 'json' };

const MATERIAL =
  '(?:information|documentation|details?|data|knowledge|articles?|sources?|pages?|answers?)';
const PLACE = '(?:knowledge base|documentation|docs|sources|articles)';

/** English statements that nothing was found. No pattern matches across a full stop. */
const STATEMENTS = [
  // I don't have (any specific) information; we do not have detailed documentation
  new RegExp(
    `\\b(?:i|we) (?:do not|don't) (?:currently |yet )?have (?:[\\w-]+ ){0,4}?${MATERIAL}\\b`,
    'i',
  ),
  // I have no documentation; we have nothing
  new RegExp(`\\b(?:i|we) have (?:nothing\\b|no (?:[\\w-]+ ){0,3}?${MATERIAL}\\b)`, 'i'),
  // I could not find; I found nothing
  /\b(?:i|we) (?:could not|couldn't|cannot|can't|did not|didn't) find\b/i,
  /\b(?:i|we) found (?:no|nothing|none)\b/i,
  // Nothing about this is written in my knowledge base; no article in the documentation covers it
  new RegExp(
    `\\b(?:no|nothing|not)\\b[^.!?\\n]{0,80}\\b(?:in|by) (?:my|our|the|this) ${PLACE}\\b`,
    'i',
  ),
  // The documentation does not cover it; my knowledge base has nothing on it
  new RegExp(
    `\\b(?:my|our|the|this) ${PLACE} (?:(?:does|do) not|doesn't|don't|(?:has|have|contains?|says?) (?:no|nothing)\\b)`,
    'i',
  ),
];

/**
 * By language (BCP 47), the statements that there is no information: `lack` none at all, `inLanguage` none in that language, `tooLittle` not
 * enough to go by.
 */
export const LACK_IN_LANGUAGE = LACK_OF_INFORMATION;
const LACKS = Object.values(LACK_IN_LANGUAGE).flatMap((statements) => Object.values(statements));

/**
 * Whether an answer states that information is lacking ("I don't have information about ..."), as required of an answer without sources.
 * English, and the sentences of `LACK_IN_LANGUAGE`; reads the first 2,000 characters.
 *
 * @example
 * statesLackOfInformation('There is no information about this in the knowledge base.'); // true
 */
export function statesLackOfInformation(answer: string): boolean {
  const text = answer
    .slice(0, 2000)
    .replaceAll('’', "'")
    .replace(/[ \t]+/g, ' ');
  return (
    STATEMENTS.some((statement) => statement.test(text)) ||
    LACKS.some((sentence) => text.includes(sentence))
  );
}
