import type { LibrarianInfo } from '../../contract/librarian.ts';
import { buildEdition } from '../../knowledge/edition/build-edition.ts';
import type { EditionEntry } from '../../knowledge/edition/edition-entry.ts';
import { type Edition, openEdition } from '../../knowledge/edition/open-edition.ts';
import { type AnalysedQuery, analyseQuery } from '../../knowledge/search/analyse-query.ts';
import { rankChunks } from '../../knowledge/search/rank-chunks.ts';
import { searchEdition } from '../../knowledge/search/search-edition.ts';
import { withForm } from './question-form.ts';

/** What some librarians say about themselves, ready to be searched. */
export interface RoutingIndex {
  /**
   * How much speaks for each librarian that anything speaks for: 0 upwards, 1 and more where most of the question is said
   * by its examples. Comparable between questions.
   */
  evidenceFor(question: string): Map<string, number>;
}

/** Examples looked at; of one librarian each further one counts less, so that many examples are no advantage by themselves. */
const EXAMPLES = 20;
const FURTHER = 0.8;
/** Of the single examples, and of all that a librarian says taken together. */
const WEIGHTS = { example: 0.5, whole: 3 };

/**
 * Lays the descriptions and example questions into two small editions, so that the scorer of the retrieval finds them: one
 * knows every example by itself, the other what sets a librarian apart as a whole.
 */
export const createRoutingIndex = (librarians: readonly LibrarianInfo[]): RoutingIndex => {
  const single = editionOf(librarians, (texts) => texts);
  const whole = editionOf(librarians, (texts) => [texts.join('\n')]);
  return {
    evidenceFor: (question) => {
      const text = withForm(question);
      const found = searchEdition(single, text, { limit: EXAMPLES });
      const evidence = new Map<string, number>();
      if (found.query.total === 0) return evidence;
      const seen = new Map<string, number>();
      const add = (id: string, score: number) => evidence.set(id, (evidence.get(id) ?? 0) + score / found.query.total);
      for (const { article, score } of found.hits) {
        const { id } = single.article(article);
        const place = seen.get(id) ?? 0;
        seen.set(id, place + 1);
        add(id, WEIGHTS.example * score * FURTHER ** place);
      }
      for (const { chunk, score } of rankChunks(whole.index, termsIn(whole, found.query), { limit: EXAMPLES })) {
        add(whole.article(whole.index.articleOf(chunk)).id, WEIGHTS.whole * score);
      }
      return evidence;
    },
  };
};

/** The words of a question as the other edition knows them; what was taken for a typing mistake once is not looked up again. */
const termsIn = (edition: Edition, { terms }: AnalysedQuery): AnalysedQuery['terms'] => {
  const known = terms.filter(({ postings }) => postings.length > 0);
  return analyseQuery(edition, known.map(({ word, corrections: [read = word] }) => read).join(' ')).terms;
};

const editionOf = (librarians: readonly LibrarianInfo[], cut: (texts: string[]) => string[]): Edition => {
  const entries = librarians.map((librarian) => entryOf(librarian, cut(textsOf(librarian)).map(withForm)));
  return openEdition(buildEdition(entries, { id: 'routing', workspace: 'routing', createdAt: '' }));
};

const textsOf = ({ name, description = '', examples = [] }: LibrarianInfo): string[] => [
  `${name}. ${description}`,
  ...examples,
];

/** A librarian as an article, each text a chunk of its own. */
export const entryOf = ({ id }: Pick<LibrarianInfo, 'id'>, texts: readonly string[]): EditionEntry => ({
  article: { id, title: '', url: '', text: '', intents: [], devices: [], lastUpdated: '' },
  chunks: texts.map((text, position) => ({
    articleId: id,
    position,
    headingPath: [],
    text,
    start: 0,
    end: text.length,
    tokenCount: 0,
  })),
});
