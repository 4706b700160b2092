import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Article } from '../../src/knowledge/articles/article.ts';
import type { Turn } from '../../src/knowledge/search/analyse-query.ts';
import { wordsOf } from '../../src/language/analyse-text.ts';
import { stem } from '../../src/language/stem.ts';

/** A question and the units (paragraphs, passages or pages) that answer it. */
export interface JudgedQuestion {
  id: string;
  text: string;
  relevant: ReadonlySet<string>;
  history: Turn[];
}

/** A knowledge base with judged questions about it. */
export interface JudgedSet {
  name: string;
  articles: Article[];
  questions: JudgedQuestion[];
  /** What a unit is: a whole article, or a section, named by the article's id, a space and its heading. */
  judgedBy: 'article' | 'section';
}

/** The files that the evaluation reads, so that it can say which are not there. */
const FILES = [
  'squad2-kb/articles.jsonl',
  'squad2-kb/questions.jsonl',
  'nq-wiki/docs.jsonl',
  'nq-wiki/queries.jsonl',
  'nq-wiki/qrels.tsv',
  'mtrag-un/passages.jsonl',
  'mtrag-un/tasks.jsonl',
  'support-docs/articles.jsonl',
  'banking77/test.jsonl',
];

/** Which of the evaluation's files `folder` lacks. */
export function missingFiles(folder: string): string[] {
  return FILES.filter((file) => !existsSync(join(folder, file)));
}

/** The objects of a file that has one JSON object a line; `T` is what the data's README promises. */
export function readLines<T>(folder: string, file: string): T[] {
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** Questions on encyclopaedia paragraphs, judged by paragraph; the answerable ones. */
export function readSquad(folder: string): JudgedSet {
  const articles = readLines<SourceArticle>(folder, 'squad2-kb/articles.jsonl').map(articleOf);
  const questions = readLines<SquadQuestion>(folder, 'squad2-kb/questions.jsonl')
    .filter(({ answerable }) => answerable)
    .map(({ id, question, articleId, paragraphIndex }) => ({
      id,
      text: question,
      relevant: new Set([`${articleId} Section ${paragraphIndex + 1}`]),
      history: [],
    }));
  return { name: 'squad2-kb paragraphs', articles, questions, judgedBy: 'section' };
}

/** Questions typed into a search engine, one passage each. */
export function readNq(folder: string): JudgedSet {
  const articles = readLines<SourceArticle>(folder, 'nq-wiki/docs.jsonl').map(articleOf);
  const relevant = new Map<string, Set<string>>();
  for (const line of readFileSync(join(folder, 'nq-wiki/qrels.tsv'), 'utf8').split('\n').slice(1)) {
    const [query = '', passage = '', score] = line.split('\t');
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(passage));
  }
  const questions = readLines<{ id: string; text: string }>(folder, 'nq-wiki/queries.jsonl')
    .filter(({ id }) => relevant.has(id))
    .map(({ id, text }) => ({
      id,
      text,
      relevant: relevant.get(id) ?? new Set<string>(),
      history: [],
    }));
  return { name: 'nq-wiki', articles, questions, judgedBy: 'article' };
}

/** Last turns of conversations on product documentation, with the turns before them. */
export function readMtrag(folder: string): JudgedSet {
  const articles = readLines<SourceArticle>(folder, 'mtrag-un/passages.jsonl').map(articleOf);
  const questions = readLines<MtragTask>(folder, 'mtrag-un/tasks.jsonl')
    .filter(({ passageIds }) => passageIds.length > 0)
    .map(({ id, question, conversation, passageIds }) => ({
      id,
      text: question,
      relevant: new Set(passageIds),
      history: turnsBefore(conversation),
    }));
  return { name: 'mtrag-un', articles, questions, judgedBy: 'article' };
}

/**
 * Known items: each page's summary cut to its first sentence, without half of the words it shares with the title. Made
 * up, so good only for comparing one way of searching with another.
 */
export function readSupportDocs(folder: string): JudgedSet {
  const sources = readLines<SourceArticle>(folder, 'support-docs/articles.jsonl');
  const questions = sources.flatMap(({ id, title = '', summary = '' }) => {
    const [sentence = ''] = summary.split(/(?<=[.!?])\s/);
    const text = withoutHalfOf(sentence, title);
    return wordsOf(text).length < 3 ? [] : [{ id, text, relevant: new Set([id]), history: [] }];
  });
  return {
    name: 'support-docs known items',
    articles: sources.map(articleOf),
    questions,
    judgedBy: 'article',
  };
}

interface SourceArticle {
  id: string;
  title?: string;
  url?: string;
  summary?: string;
  product?: string;
  updated?: string;
  content?: string;
  text?: string;
}

interface SquadQuestion {
  id: string;
  question: string;
  articleId: string;
  paragraphIndex: number;
  answerable: boolean;
}

interface MtragTask {
  id: string;
  question: string;
  conversation: { speaker: string; text: string }[];
  passageIds: string[];
}

const articleOf = ({
  id,
  title = '',
  url = '',
  content,
  text,
  product,
  updated,
}: SourceArticle): Article => ({
  id,
  title,
  url,
  text: content ?? text ?? '',
  intents: [],
  devices: product === undefined ? [] : [product],
  lastUpdated: updated ?? '1970-01-01T00:00:00Z',
});

const turnsBefore = (conversation: MtragTask['conversation']): Turn[] =>
  conversation
    .slice(0, -1)
    .map(({ speaker, text }) => ({ speaker: speaker === 'user' ? 'user' : 'assistant', text }));

const withoutHalfOf = (sentence: string, title: string): string => {
  const stems = new Set(wordsOf(title).map(stem));
  let met = 0;
  return sentence
    .split(/\s+/)
    .filter((word) => !wordsOf(word).some((part) => stems.has(stem(part))) || met++ % 2 === 0)
    .join(' ');
};
