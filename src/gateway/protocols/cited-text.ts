import * as z from 'zod';
import { answerPhrases, filled } from '../../answering/write/answer-phrases.ts';
import type { ProgressEvent, StatementSource } from '../../contract/core/ask.ts';
import { readAs } from '../../contract/core/error-info.ts';
import { Reporters } from '../../contract/core/names.ts';
import type { LibrarianResponse } from '../../contract/core/response.ts';
import type { UrlCitation } from '../../contract/wire/chat-completions.ts';
import { idAsWords } from '../../language/id-as-words.ts';

interface Cited {
  number: number;
  source: StatementSource;
  start: number;
  end: number;
}

interface CitedTextOptions {
  listsSources: boolean;
  /** The language of who asks (BCP 47); English when absent. */
  language?: string | undefined;
}

/** The text of an answer, which grows by checked statements: each is followed by the numbers of its sources, and never changed again. */
export function citedText({ listsSources, language }: CitedTextOptions) {
  const phrases = answerPhrases(language);
  /** What an external librarian states or names is its claim. */
  const reportedBy = (id: string): string =>
    filled(phrases.reportedBy, {
      name: (names.get(id) ?? idAsWords(id)).replace(/[[\]\s]+/g, ' ').trim(),
    });
  /** Names of external librarians by their ids. */
  const names = new Map<string, string>();
  let content = '';
  const cited = new Map<string, Cited>();
  const append = (piece: string): string => {
    const separator = content === '' ? '' : '\n\n';
    content += separator + piece;
    return separator + piece;
  };
  return {
    content: () => content,
    /** What an event adds to the text. */
    add: (event: ProgressEvent): string => {
      if (event.type === 'routing')
        for (const { id, name } of event.librarians) if (name !== undefined) names.set(id, name);
      if (event.type === 'removed' && event.index !== undefined) return append(phrases.withdrawn);
      if (event.type !== 'statement') return '';
      const text = withoutMarks(event.text);
      const start = content.length + (content === '' ? 0 : 2);
      const numbers = event.sources.map((source) => {
        const key = `${source.reported_by ?? ''} ${source.url ?? source.file ?? source.name}`;
        const known = cited.get(key) ?? {
          number: cited.size + 1,
          source,
          start,
          end: start + text.length,
        };
        cited.set(key, known);
        return known.number;
      });
      const marks = [...new Set(numbers)].map((number) => `[${number}]`).join('');
      return append(marks === '' ? text : `${text}${text.includes('\n') ? '\n\n' : ' '}${marks}`);
    },
    /** What follows the statements: a doubt with the closest articles, and the sources. */
    end: ({ confidence, answer = '', metadata }: LibrarianResponse): string => {
      const closest = readAs(Closest, metadata?.closest);
      const reporters = readAs(Reporters, metadata?.reporters ?? {});
      for (const [id, name] of Object.entries(reporters.ok ? reporters.value : {}))
        names.set(id, name);
      const others =
        closest.ok && cited.size > 0 && (confidence ?? 1) < DOUBTFUL_BELOW ? closest.value : [];
      const links = others
        .filter(({ title }) => !content.includes(title))
        .map(({ title, url }) => `- ${linkOf(title, url)}`);
      const sources = [...cited.values()].map(
        ({ number, source: { name, section, url, reported_by: reporter } }) =>
          `${number}. ${linkOf(section === undefined || section === name ? name : `${name} › ${section}`, url)}${reporter === undefined ? '' : ` (${reportedBy(reporter)})`}`,
      );
      const before = content.length;
      if (content === '') append(answer);
      if (typeof metadata?.reported_by === 'string')
        append(`*${reportedBy(metadata.reported_by)}*`);
      if (links.length > 0) append(`${phrases.others}\n\n${links.join('\n')}`);
      if (listsSources && sources.length > 0) append(`${phrases.sources}\n\n${sources.join('\n')}`);
      return content.slice(before);
    },
    annotations: (): UrlCitation[] =>
      [...cited.values()].flatMap(
        ({ source: { url, name, reported_by: reporter }, start, end }) => {
          if (url === undefined || !URL.canParse(url)) return [];
          const title = reporter === undefined ? name : `${name} (${reportedBy(reporter)})`;
          return [
            {
              type: 'url_citation',
              url_citation: { url, title, start_index: start, end_index: end },
            },
          ];
        },
      ),
  };
}

/** Some clients take numbers in brackets, such as `[1]`, `[1,2]` and `[1#x]`, for those of sources. Code stays as it is. */
const withoutMarks = (markdown: string): string =>
  markdown
    .split(/(`{3,}[\s\S]*?(?:`{3,}|$)|`[^`\n]+`)/)
    .map((piece, at) =>
      at % 2 === 1 ? piece : piece.replace(/\[(\d{1,4}(?:[,#][^[\]\n]{0,40})?)\]/g, '\\[$1\\]'),
    )
    .join('');

const DOUBTFUL_BELOW = 0.6;
const Closest = z
  .array(z.object({ title: z.string().max(500), url: z.string().max(2048).optional() }))
  .max(10);

/** Parentheses too, which would end the address of a link. */
const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

const linkOf = (name: string, url: string | undefined): string => {
  const text = name.replace(/[[\]\s]+/g, ' ').trim();
  return url === undefined ? text : `[${text}](${url.replace(/[()\s]/g, percentEncoded)})`;
};
