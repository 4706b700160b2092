import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostArticleReply } from '../../src/contract/wire/host-article.ts';
import type { Article, EditionEntry } from '../../src/knowledge/articles/article.ts';
import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import { compareByBytes } from '../../src/knowledge/edition/text-table.ts';
import { wordsOf } from '../../src/language/analyse-text.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import { withTypingMistakes } from '../eval/typing-mistakes.ts';

/** Real texts to grow a large knowledge base from: those of the evaluation data, or the sample knowledge base. */
export function readBenchArticles(data: string | undefined): { name: string; articles: Article[] } {
  if (data === undefined) return { name: 'the sample knowledge base', articles: readSample() };
  const lines = readFileSync(join(data, 'support-docs/articles.jsonl'), 'utf8').split('\n');
  const sources = lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const articles = sources.map(({ id = '', title = '', content = '' }) =>
    articleOf(id, title, content),
  );
  return { name: 'support-docs', articles };
}

/**
 * `chunkCount` chunks: the same articles over and over, each time with their rare words renamed, so that the vocabulary grows as that of
 * a real knowledge base would. Generated on each iteration, sorted by id, never all in memory.
 */
export function growCorpus(
  articles: readonly Article[],
  chunkCount: number,
): Iterable<EditionEntry> {
  const originals = articles
    .toSorted((left, right) => compareByBytes(left.id, right.id))
    .map((article) => ({ article, chunks: chunkArticle(article) }));
  const counts = new Map<string, number>();
  for (const { chunks } of originals) {
    for (const { text } of chunks)
      for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const renamed = (text: string, copy: number): string =>
    copy === 0
      ? text
      : text.replace(/[A-Za-z]{4,}/g, (word) =>
          (counts.get(word.toLowerCase()) ?? RARE + 1) > RARE ? word : word + suffixOf(copy),
        );
  return {
    *[Symbol.iterator]() {
      let made = 0;
      for (let copy = 0; made < chunkCount; copy++) {
        for (const { article, chunks } of originals) {
          if (made >= chunkCount) return;
          const id = `${String(copy).padStart(4, '0')}/${article.id}`;
          const copies = chunks
            .slice(0, chunkCount - made)
            .map((chunk) => ({ ...chunk, articleId: id, text: renamed(chunk.text, copy) }));
          made += copies.length;
          yield {
            article: { ...article, id, title: renamed(article.title, copy) },
            chunks: copies,
          };
        }
      }
    },
  };
}

/** Length of a passage of `longArticles`, in characters. */
export const PASSAGE_LENGTH = 1600;
const PASSAGES_AN_ARTICLE = 8;

/** A listing of articles of eight long passages each, under headings of their own, sorted by id: `count` passages, texts as `growCorpus` makes them. */
export function* longArticles(
  articles: readonly Article[],
  count: number,
): Generator<HostArticleReply> {
  let passages: string[] = [];
  let text = '';
  let made = 0;
  for (const { article, chunks } of growCorpus(articles, 6 * count)) {
    for (const chunk of chunks) {
      text += `${text === '' ? '' : ' '}${chunk.text.replace(/\s+/g, ' ')}`;
      if (text.length < PASSAGE_LENGTH) continue;
      passages.push(`## Part ${passages.length + 1}\n\n${text.slice(0, PASSAGE_LENGTH)}`);
      text = '';
      if (passages.length < PASSAGES_AN_ARTICLE) continue;
      const id = `${String(made).padStart(9, '0')}.md`;
      const content = passages.join('\n\n');
      yield HostArticleReply.parse({ id, title: article.title, url: '', content, metadata: null });
      made += passages.length;
      passages = [];
      if (made >= count) return;
    }
  }
}

/** Different questions of three to nine content words, taken from chunks all over; every fifth has a typing mistake. */
export function drawQuestions(texts: readonly string[], count: number): string[] {
  const random = seededRandom(1);
  const questions = new Set<string>();
  for (let attempt = 0; questions.size < count && attempt < count * 10; attempt++) {
    const words = (texts[Math.floor(random() * texts.length)] ?? '').match(/[A-Za-z]{3,}/g) ?? [];
    const start = Math.floor(random() * words.length);
    const question = words.slice(start, start + 5 + Math.floor(random() * 10)).join(' ');
    if (wordsOf(question).length >= 3) {
      questions.add(attempt % 5 === 0 ? withTypingMistakes(question, 0.2, random) : question);
    }
  }
  return [...questions];
}

/** A word in at most this many chunks is renamed in copies. */
const RARE = 5;

const suffixOf = (copy: number): string =>
  [...copy.toString(26)].map((digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');

const articleOf = (id: string, title: string, text: string): Article => ({
  id,
  title,
  url: '',
  text,
  intents: [],
  devices: [],
  lastUpdated: '1970-01-01T00:00:00Z',
});

const readSample = (): Article[] => {
  const folder = SAMPLE_KNOWLEDGE_BASE;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) =>
      articleOf(
        file,
        file.replaceAll(/[/-]|\.md$/g, ' '),
        readFileSync(join(folder, file), 'utf8'),
      ),
    );
};
