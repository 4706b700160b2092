const MATERIAL = '(?:information|documentation|details?|data|knowledge|articles?|sources?|pages?|answers?)';
const PLACE = '(?:knowledge base|documentation|docs|sources|articles)';

/** How an English answer says that nothing was found. Each is tried on a sentence's own words; none crosses a full stop. */
const STATEMENTS = [
  // I don't have (any specific) information; we do not have detailed documentation
  new RegExp(`\\b(?:i|we) (?:do not|don't) (?:currently |yet )?have (?:[\\w-]+ ){0,4}?${MATERIAL}\\b`, 'i'),
  // I have no documentation; we have nothing
  new RegExp(`\\b(?:i|we) have (?:nothing\\b|no (?:[\\w-]+ ){0,3}?${MATERIAL}\\b)`, 'i'),
  // I could not find; I found nothing
  /\b(?:i|we) (?:could not|couldn't|cannot|can't|did not|didn't) find\b/i,
  /\b(?:i|we) found (?:no|nothing|none)\b/i,
  // Nothing about this is written in my knowledge base; no article in the documentation covers it
  new RegExp(`\\b(?:no|nothing|not)\\b[^.!?\\n]{0,80}\\b(?:in|by) (?:my|our|the|this) ${PLACE}\\b`, 'i'),
  // The documentation does not cover it; my knowledge base has nothing on it
  new RegExp(
    `\\b(?:my|our|the|this) ${PLACE} (?:(?:does|do) not|doesn't|don't|(?:has|have|contains?|says?) (?:no|nothing)\\b)`,
    'i',
  ),
];

/**
 * Whether an answer says outright that the information is lacking, as seed 004 asks of an answer without sources
 * ("I don't have information about ..."). Knows English; reads the first 2,000 characters.
 */
export const statesLackOfInformation = (answer: string): boolean => {
  const text = answer
    .slice(0, 2000)
    .replaceAll('’', "'")
    .replace(/[ \t]+/g, ' ');
  return STATEMENTS.some((statement) => statement.test(text));
};
