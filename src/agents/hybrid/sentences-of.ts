/**
 * The sentences of a question, without greetings and thanks; a semicolon and a line break end one as well. Dots in
 * numbers and abbreviations end none.
 *
 * @param limit At most so many; the last one then holds the rest.
 */
export const sentencesOf = (text: string, limit = 1000): string[] => {
  const sentences: string[] = [];
  let from = 0;
  for (const match of text.matchAll(END)) {
    if (sentences.length === limit - 1) break;
    const end = match.index + match[0].length;
    if (match[0].startsWith('.') && ABBREVIATION.test(text.slice(Math.max(0, match.index - 12), match.index))) continue;
    sentences.push(text.slice(from, end));
    from = end;
  }
  sentences.push(text.slice(from));
  return sentences.map(withoutPadding).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
};

const END = /[.!?]{1,5}["'”’)]{0,2}(?=\s)|;|\n+/g;
const ABBREVIATION = /(?:^|[\s(])(?:\p{L}|mr|mrs|ms|dr|no|vs|etc|approx|incl|e\.g|i\.e)$/iu;

/** Polite words around a request; what is left may be nothing. */
const withoutPadding = (sentence: string): string => {
  const bare = sentence.trim().replace(/;$/, '').trim();
  return bare
    .replace(GREETING, '')
    .replace(/^(?:(?:and|but|also|then|finally|second question|another question|one more thing)\b[\s,:]*){1,3}/i, '')
    .replace(/^(?:please|kindly)\s+/i, '')
    .replace(/[\s,]{1,8}(?:please|thanks|thank you)(?: in advance)?\s{0,8}([.!?]{0,8})$/i, '$1')
    .replace(ONLY_THANKS, '')
    .trim();
};

const GREETING =
  /^(?:hi|hello|hey|dear \w{1,20}|good (?:morning|evening|afternoon|day))(?: (?:there|all|team|everybody|everyone))?(?:\s*[,.!:-]+\s*|\s+|$)/i;
const ONLY_THANKS = /^(?:thanks|thank you|many thanks|cheers|regards|best regards|kind regards)\b[\s\w,]{0,40}[.!]*$/i;
