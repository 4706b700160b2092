import { splitSentences } from '../../text/split-sentences.ts';

/** What a summary says up to a citation, without it, and the documents that it names there, from 1; none where it names none. */
export interface CitedSentence {
  text: string;
  cited: readonly number[];
}

/** The sentences of a summary, cut behind each citation too: what follows one has to have another. */
export const citedSentences = (summary: string): CitedSentence[] =>
  summary
    // "Descale it. [1]" cites for the sentence before.
    .replace(CITATIONS_BEHIND, '$2$1')
    .split(/\n+/)
    .flatMap((line) => splitSentences(line).map(({ start, end }) => line.slice(start, end)))
    .flatMap(piecesOf)
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));

const piecesOf = (sentence: string): CitedSentence[] => {
  const pieces: CitedSentence[] = [];
  let from = 0;
  for (const match of sentence.matchAll(CITATIONS)) {
    const cited = (match[0].match(/\d+/g) ?? []).map(Number);
    pieces.push({ text: sentence.slice(from, match.index), cited });
    from = match.index + match[0].length;
  }
  return [...pieces, { text: sentence.slice(from), cited: [] }];
};

const CITATIONS_BEHIND = /([.!?…]{1,3}["'”’)]{0,2})((?:\s{0,3}\[\d{1,2}(?:, ?\d{1,2}){0,9}\]){1,9})(?=\s|$)/g;
const CITATIONS = /(?:\s{0,3}\[\d{1,2}(?:, ?\d{1,2}){0,9}\]){1,9}/g;
