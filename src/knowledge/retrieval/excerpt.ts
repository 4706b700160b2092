import { EXCERPT_MAX_LENGTH } from '../../contract/knowledge-retrieval.ts';
import { quotePassages } from '../../grounding/quote-passages.ts';
import { readingOf } from '../../grounding/read-passage.ts';
import { chunkAtHand } from '../../search/chunks-at-hand.ts';
import type { Edition } from '../../search/open-edition.ts';
import type { RankedSource } from './rank-sources.ts';

/** The sentence of a source that answers best, as plain text of at most 150 characters. */
export const excerptOf = (
  edition: Edition,
  { chunks, asked, text }: Pick<RankedSource, 'chunks' | 'asked' | 'text'>,
): string => {
  const passages = chunks.map((index, place) => {
    const chunk = chunkAtHand(edition, index);
    const { headingPath, source } = chunk;
    return {
      text: chunk.text,
      title: source.title,
      headingPath,
      score: chunks.length - place,
      reading: readingOf(chunk),
    };
  });
  const [quote] = quotePassages({ text, query: asked }, passages);
  return cutAtWord(plainLine(quote?.text ?? passages[0]?.text ?? ''), EXCERPT_MAX_LENGTH);
};

/** Markdown in one line: links by their text, rows and items apart, without the marks. */
const plainLine = (markdown: string): string =>
  markdown
    .slice(0, 2000)
    .replace(/!?\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)/g, '$1')
    .replace(/^[ \t|:-]{3,400}$/gm, '')
    .replace(/^[ \t]{0,20}(?:#{1,6}|>|[-*+]|`{3}[^\n]{0,40}|~{3}[^\n]{0,40})(?:[ \t]{1,8}|$)/gm, '')
    .replace(/^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gm, '')
    .replace(/[ \t]*\|[ \t]*/g, ', ')
    .replace(/[*`]{1,3}|(?<![\p{L}\p{N}])_{1,2}|_{1,2}(?![\p{L}\p{N}])/gu, '')
    .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, '')
    .replace(/\s+/g, ' ')
    .trim();

/** At most `length` UTF-16 units, cut behind a word and with a sign for it, never within a pair. */
const cutAtWord = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const room = text.slice(0, length - 1);
  const space = /\s/.test(text.charAt(length - 1)) ? room.length : room.lastIndexOf(' ');
  const cut = space > length / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.replace(/[\s,;:.(–-]+$/u, '')}…`;
};
