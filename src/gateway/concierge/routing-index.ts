import type { LibrarianInfo } from '../../contract/librarian.ts';
import { buildEdition } from '../../knowledge/edition/build-edition.ts';
import type { EditionEntry } from '../../knowledge/edition/edition-entry.ts';
import { type Edition, openEdition } from '../../knowledge/edition/open-edition.ts';
import { type AnalysedQuery, analyseQuery } from '../../knowledge/search/analyse-query.ts';
import { rankChunks } from '../../knowledge/search/rank-chunks.ts';
import { searchEdition } from '../../knowledge/search/search-edition.ts';
import { isForm, withForm } from './question-form.ts';
import { framesOf } from './question-frames.ts';
import { isFiller } from './question-words.ts';

/** What some librarians say about themselves, ready to be searched. */
export interface RoutingIndex {
  /**
   * How much speaks for each librarian that anything speaks for: 0 upwards, 1 and more where most of the question is said
   * by its examples. Comparable between questions. Only the default librarian
   * is in it without a word in common that is more than a way of asking.
   */
  evidenceFor(question: string): Map<string, number>;
}

/** Examples looked at; of one librarian each further one counts less, so that many examples are no advantage by themselves. */
const EXAMPLES = 30;
const FURTHER = 0.9;
/**
 * Of the single examples, of all that a librarian says taken together, and of the pairs of words in it. Chosen by taking
 * tenths of the examples out and routing them by the others; a wide plateau.
 */
const WEIGHTS = { example: 0.5, whole: 2, frames: 1 };

/**
 * Lays the descriptions and example questions into small editions, so that the scorer of the retrieval finds them: one
 * knows every example by itself, one what sets a librarian apart as a whole, and one how it is asked.
 */
export const createRoutingIndex = (
  librarians: readonly LibrarianInfo[],
  defaultLibrarian: string | undefined,
): RoutingIndex => {
  const single = editionOf(librarians, (texts) => texts.map(withForm));
  const whole = editionOf(librarians, (texts) => [texts.map(withForm).join('\n')]);
  const framesIn = createFrameIndex(librarians);
  return {
    evidenceFor: (question) => {
      const text = withForm(question);
      const found = searchEdition(single, text, { limit: EXAMPLES });
      const evidence = new Map<string, number>();
      const subjects = termsIn(whole, found.query, isSubject);
      if (subjects.length === 0) return evidence;
      const add = (id: string, score: number) => evidence.set(id, (evidence.get(id) ?? 0) + score);
      const seen = new Map<string, number>();
      for (const { article, score } of found.hits) {
        const { id } = single.article(article);
        const place = seen.get(id) ?? 0;
        seen.set(id, place + 1);
        add(id, (WEIGHTS.example * score * FURTHER ** place) / found.query.total);
      }
      const idOf = (chunk: number) => whole.article(whole.index.articleOf(chunk)).id;
      for (const { chunk, score } of rankChunks(whole.index, termsIn(whole, found.query), { limit: LIBRARIANS })) {
        add(idOf(chunk), (WEIGHTS.whole * score) / found.query.total);
      }
      for (const [id, score] of framesIn(question)) add(id, WEIGHTS.frames * score);
      const knowing = rankChunks(whole.index, subjects, { limit: LIBRARIANS }).map(({ chunk }) => idOf(chunk));
      return new Map([...evidence].filter(([id]) => id === defaultLibrarian || knowing.includes(id)));
    },
  };
};

/** Whether a word is more than a way of asking: whoever shares none such with a question does not know what it is about. */
const isSubject = (word: string): boolean => !isFiller(word) && !isForm(word);

/** Librarians that can have evidence as a whole. */
const LIBRARIANS = 20;

/** How much of the way a question is asked each librarian's texts have, 0 upwards, a share of all its pairs of words. */
const createFrameIndex = (librarians: readonly LibrarianInfo[]) => {
  const known = new Set<string>();
  const edition = editionOf(librarians, (texts) => {
    const frames = texts.flatMap(framesOf);
    for (const frame of frames) known.add(frame);
    return [frames.join(' ')];
  });
  return (question: string): [string, number][] => {
    const asked = framesOf(question);
    const terms = inGroups(asked.filter((frame) => known.has(frame))).flatMap(
      (frames) => analyseQuery(edition, frames.join(' ')).terms,
    );
    return rankChunks(edition.index, terms, { limit: LIBRARIANS }).map(({ chunk, score }) => [
      edition.article(edition.index.articleOf(chunk)).id,
      score / Math.max(FEW_FRAMES, asked.length),
    ]);
  };
};

/** A question of fewer pairs of words says little by them. */
const FEW_FRAMES = 3;

/** In as many at once as a query searches; each once. */
const inGroups = (frames: readonly string[]): string[][] => {
  const distinct = [...new Set(frames)];
  return Array.from({ length: Math.ceil(distinct.length / GROUP) }, (_, at) =>
    distinct.slice(at * GROUP, (at + 1) * GROUP),
  );
};

const GROUP = 12;

/** The words of a question as the other edition knows them; what was taken for a typing mistake once is not looked up again. */
const termsIn = (
  edition: Edition,
  { terms }: AnalysedQuery,
  isWanted = (_word: string): boolean => true,
): AnalysedQuery['terms'] => {
  const known = terms.filter(({ word, postings }) => postings.length > 0 && isWanted(word));
  return analyseQuery(edition, known.map(({ word, corrections: [read = word] }) => read).join(' ')).terms;
};

const editionOf = (librarians: readonly LibrarianInfo[], cut: (texts: string[]) => string[]): Edition => {
  const entries = librarians.map((librarian) => entryOf(librarian, cut(textsOf(librarian))));
  return openEdition(buildEdition(entries, { id: 'routing', workspace: 'routing', createdAt: '' }));
};

const textsOf = ({ name, description = '', examples = [] }: LibrarianInfo): string[] => [
  `${name}. ${description}`,
  ...examples,
];

/** A librarian as an article, each text a chunk of its own. */
const entryOf = ({ id }: Pick<LibrarianInfo, 'id'>, texts: readonly string[]): EditionEntry => ({
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
