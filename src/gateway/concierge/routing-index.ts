import type { LibrarianInfo } from '../../contract/librarian.ts';
import type { AnalysedQuery } from '../../search/analyse-query.ts';
import { buildEdition } from '../../search/build-edition.ts';
import type { EditionEntry } from '../../search/edition-entry.ts';
import { type Edition, openEdition } from '../../search/open-edition.ts';
import { searchEdition } from '../../search/search-edition.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import { isForm, withForm } from './question-form.ts';
import { framesOf } from './question-frames.ts';
import { isFiller } from './question-words.ts';
import { createWordIndex } from './word-index.ts';

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

/** Questions whose evidence is remembered: one is looked at from several sides, and asked again. */
const REMEMBERED = 256;

/**
 * Lays the descriptions and example questions into small indexes, so that the scorer of the retrieval finds them: one
 * knows every example by itself, one what sets a librarian apart as a whole, and one how it is asked.
 */
export const createRoutingIndex = (
  librarians: readonly LibrarianInfo[],
  defaultLibrarian: string | undefined,
): RoutingIndex => {
  const ids = librarians.map(({ id }) => id);
  const single = editionOf(librarians, (texts) => texts.map(withForm));
  const idOf = Array.from({ length: single.articleCount }, (_, article) => single.article(article).id);
  const whole = createWordIndex(librarians.map((librarian) => textsOf(librarian).flatMap(stemsOf)));
  const frames = createWordIndex(librarians.map((librarian) => textsOf(librarian).flatMap(framesOf)));
  const evidenceFor = (question: string): Map<string, number> => {
    const { query, hits } = searchEdition(single, withForm(question), { limit: EXAMPLES });
    const evidence = new Map<string, number>();
    const words = readWordsOf(query).filter((word) => whole.has(stem(word)));
    const knowing = whole.scoresFor(words.filter(isSubject).map(stem));
    if (knowing.every((score) => score === 0)) return evidence;
    const add = (id: string, score: number) => {
      const mayAnswer = id === defaultLibrarian || (knowing[ids.indexOf(id)] ?? 0) > 0;
      if (score > 0 && mayAnswer) evidence.set(id, (evidence.get(id) ?? 0) + score);
    };
    const seen = new Map<string, number>();
    for (const { article, score } of hits) {
      const id = idOf[article] ?? '';
      const place = seen.get(id) ?? 0;
      seen.set(id, place + 1);
      add(id, (WEIGHTS.example * score * FURTHER ** place) / query.total);
    }
    const asked = framesOf(question);
    const asWhole = whole.scoresFor(new Set(words.map(stem)));
    const asFrames = frames.scoresFor(new Set(asked));
    for (const [place, id] of ids.entries()) {
      add(id, (WEIGHTS.whole * (asWhole[place] ?? 0)) / query.total);
      add(id, (WEIGHTS.frames * (asFrames[place] ?? 0)) / Math.max(FEW_FRAMES, asked.length));
    }
    return evidence;
  };
  return { evidenceFor: remembering(evidenceFor) };
};

/** The same for the same question, as long as it is among those asked last. */
const remembering = <T>(find: (question: string) => T): ((question: string) => T) => {
  const remembered = new Map<string, T>();
  return (question) => {
    const known = remembered.get(question);
    if (known !== undefined) return known;
    const found = find(question);
    if (question.length <= MAX_REMEMBERED_LENGTH) remembered.set(question, found);
    if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
    return found;
  };
};

/** In UTF-16 units. */
const MAX_REMEMBERED_LENGTH = 500;

/** Whether a word is more than a way of asking: whoever shares none such with a question does not know what it is about. */
const isSubject = (word: string): boolean => !isFiller(word) && !isForm(word);

/** A question of fewer pairs of words says little by them. */
const FEW_FRAMES = 3;

const stemsOf = (text: string): string[] => wordsOf(withForm(text)).map(stem);

/** The words of a question that the examples know, typing mistakes read as what they stand for. */
const readWordsOf = ({ terms }: AnalysedQuery): string[] =>
  terms.flatMap(({ word, corrections: [read = word], postings }) => (postings.length > 0 ? [read] : []));

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
