import type { NavigatorSource } from '../contract/navigator-response.ts';
import type { Quote } from '../grounding/quote-passages.ts';
import { escapeHtml, escapeText } from '../runtime/escape-html.ts';
import type { ChunkAtHand } from '../search/chunks-at-hand.ts';
import type { EditionArticle, EditionChunk } from '../search/open-edition.ts';

/** A quote with where it stands. */
export interface PlacedQuote {
  quote: Quote;
  chunk: ChunkAtHand;
  article: EditionArticle;
  /** Probability that this source answers the question, 0 to 1. */
  relevance: number;
  /** Words of the question that the chunk or its title holds, as they were typed. */
  matched: readonly string[];
}

/** The `section` of seed 004: the innermost heading, or the title for what stands before the first. */
export const sectionOf = (
  { headingPath }: Pick<EditionChunk, 'headingPath'>,
  { title, id }: Pick<EditionArticle, 'title' | 'id'>,
): string => (headingPath.at(-1) || title || id).slice(0, 500);

/** "guides/ssl.md, Certificates": how a source is named in running text. */
export const citationOf = ({ chunk, article }: Pick<PlacedQuote, 'chunk' | 'article'>): string => {
  const section = oneLine(sectionOf(chunk, article));
  // Unlike headings, ids have no line breaks; their spaces stay, so that an id is found in the answer as it is.
  return escapeHtml(section === article.id ? article.id : `${article.id}, ${section}`);
};

/**
 * The quotes as Markdown, each with its citation; sentences are followed by it, blocks introduced by it.
 *
 * @param options.prefix Said first, a paragraph of its own.
 * @param options.namesDevices Whether each quote says for which devices it holds.
 */
export const composeAnswer = (
  quotes: readonly PlacedQuote[],
  { prefix = '', namesDevices = false }: { prefix?: string; namesDevices?: boolean } = {},
): string => {
  const parts = quotes.flatMap((placed, at) => {
    if (placed.quote.continues) return [];
    const isContinued = at + 1 < quotes.length && citationOf(quotes[at + 1] ?? placed) === citationOf(placed);
    const text = [placed, ...continuationsOf(quotes, at)].map(({ quote }) => renderQuote(quote)).join('\n');
    const devices = namesDevices ? oneLine(placed.article.devices.join(', ')) : '';
    const opening = devices === '' ? '' : `For ${devices}`;
    if (placed.quote.kind !== 'prose')
      return `${opening === '' ? 'According' : `${opening}, according`} to ${citationOf(placed)}:\n\n${text}`;
    const said = opening === '' ? text : `${opening}: ${text}`;
    return isContinued ? said : `${said} (${citationOf(placed)})`;
  });
  // All of it at once: a backtick in a name must not pair with one in a quote and lay bare what that had as code.
  return escapeHtml([prefix, ...parts].filter((part) => part !== '').join('\n\n'));
};

/** The rows that belong to the table opened at `at`. */
const continuationsOf = (quotes: readonly PlacedQuote[], at: number): readonly PlacedQuote[] => {
  const rest = quotes.slice(at + 1);
  const end = rest.findIndex(({ quote }) => !quote.continues);
  return end < 0 ? rest : rest.slice(0, end);
};

/** Exactly the quoted words, save that an open fence is closed. */
const renderQuote = ({ text }: Quote): string => {
  const fences = text.match(/^[ \t]*(`{3,}|~{3,})/gm) ?? [];
  return fences.length % 2 === 1 ? `${text}\n${(fences[0] ?? '').trim()}` : text;
};

/** The cited sources, each section once, with its excerpts in the order of the answer. */
export const citeSources = (quotes: readonly PlacedQuote[], edition: string): NavigatorSource[] => {
  const sources = new Map<string, NavigatorSource>();
  for (const { quote, chunk, article, matched } of quotes) {
    const section = sectionOf(chunk, article);
    const key = `${article.id}\n${section}`;
    const excerpt = { quote: quote.text, start: chunk.start + quote.start, end: chunk.start + quote.end };
    const source = sources.get(key);
    if (source) source.excerpts?.push(excerpt);
    else
      sources.set(key, {
        file: article.id,
        section,
        relevance: relevanceOf(quote, matched),
        excerpts: [excerpt],
        edition,
      });
  }
  return [...sources.values()];
};

const KIND_NAMES = { prose: 'statement', list: 'list', table: 'table', code: 'code' } satisfies Record<
  Quote['kind'],
  string
>;

const relevanceOf = ({ kind }: Quote, matched: readonly string[]): string => {
  const words = matched.slice(0, 6).map((word) => `"${escapeText(word, 100)}"`);
  const list = listOf(words, 'and');
  return list === ''
    ? `Holds the quoted ${KIND_NAMES[kind]}`
    : `Holds the quoted ${KIND_NAMES[kind]}, and speaks of ${list}`;
};

/** "a, b and c", "a or b", "a"; empty for nothing. */
export const listOf = (words: readonly string[], joint: 'and' | 'or'): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}` : words.join('');

/** For running text: no line breaks, and short enough. */
export const oneLine = (text: string, limit = 300): string => {
  const line = IS_ONE_LINE.test(text) ? text : text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
};

/** Printable ASCII with single spaces inside: nearly all titles and headings, which need no replacing. */
const IS_ONE_LINE = /^(?:[!-~]+ )*[!-~]+$/;
