import { ANSWER_ADVISED_LENGTH, type Source } from '../../contract/core/response.ts';
import { escapeMarkdown } from '../../documents/markdown/escape-markdown.ts';
import { shorten } from '../../documents/markdown/shorten.ts';
import { type AnswerPhrases, answerPhrases, filled } from './answer-phrases.ts';

/**
 * An answer of at most `limit` characters: a longer one ends with a sentence or paragraph, followed by links to its best sources, where the
 * rest can be read.
 *
 * @param options.phrases Of the language of who asks; English when absent.
 */
export function shortenAnswer(
  answer: string,
  sources: readonly Source[] = [],
  {
    limit = ANSWER_ADVISED_LENGTH,
    phrases = answerPhrases('en'),
  }: { limit?: number; phrases?: AnswerPhrases } = {},
): string {
  if (answer.length <= limit) return answer;
  const linked = sources.filter(({ url }) => url !== undefined && WEB_ADDRESS.test(url));
  const named = (linked.length > 0 ? linked : sources).slice(0, MAX_NAMED).map(nameOf);
  const notes = [...named.keys(), named.length].map((count) =>
    noteOf(named.slice(0, count), phrases),
  );
  // The longest that leaves most of the room to the answer.
  const note = notes.findLast(({ length }) => length <= limit / 4) ?? '';
  return `${shorten(answer, limit - note.length)}${note}`;
}

const MAX_NAMED = 3;
const WEB_ADDRESS = /^https?:\/\/[^\s()<>]+$/;

const nameOf = ({ name, url }: Source): string => {
  const text = escapeMarkdown(name.slice(0, 120));
  return url !== undefined && WEB_ADDRESS.test(url) ? `[${text}](${url})` : `“${text}”`;
};

const noteOf = (named: readonly string[], { shortened, readOn }: AnswerPhrases): string =>
  `\n\n*${[shortened, ...(named.length === 0 ? [] : [filled(readOn, { names: named.join(', ') })])].join(' ')}*`;
