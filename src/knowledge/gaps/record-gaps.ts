import { sha256, utf8 } from '../../runtime/digest.ts';
import { devicesNamedIn } from '../../search/devices-named-in.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import { cutText } from '../retrieval/cut-text.ts';
import type { FoundGap, Knowledge, KnowledgeQuestion } from '../retrieval/knowledge.ts';
import { problemText } from '../retrieval/problem-text.ts';
import type { GapQuery, GapSighting, MetGap, RemoteGapBook } from './gap-book.ts';

export interface RecordingOptions {
  book: Pick<RemoteGapBook, 'record'>;
  /** Takes personal data out of a text. */
  mask: (text: string) => string;
  /** What a text means, by the model of the edition; undefined where there is none, or none in time. */
  meaningOf?: ((text: string) => Promise<{ model: string; vector: readonly number[] } | undefined>) | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

const MAX_MESSAGE = 1000;
const MAX_SUBJECT = 300;

/** Has the gaps of a retrieval kept, with the question as far as it names nobody. Throws what the book throws. */
export const recordGaps = async (
  question: KnowledgeQuestion,
  { foundGaps = [], edition, people = [] }: Pick<Knowledge, 'foundGaps' | 'edition' | 'people'>,
  { book, mask, meaningOf, now }: RecordingOptions,
): Promise<void> => {
  if (foundGaps.length === 0 || edition === undefined) return;
  const withoutPeople = withoutNames([question.customer_name ?? '', ...people]);
  const query = keptQuery(question, foundGaps, (text) => withoutPeople(mask(text)));
  const meaning = await meaningOf?.(query.message);
  const gaps = foundGaps.map(({ kind, gap, product = null, intent = null, stems }): MetGap => {
    const isTold = stems.length > 0 && meaning !== undefined;
    const subject = isTold ? { stems, vector: meaning.vector, model: meaning.model } : { stems };
    return { kind, gap: withoutPeople(mask(gap)), product, intent, subject };
  });
  const sighting: GapSighting = { requestHash: await hashOf(question), query, gaps, edition, nowMs: now };
  await book.record(sighting);
};

/** What the gaps were found in, and no more of a message: signatures and stories are where people are named. */
const keptQuery = (
  { message, subject, intent, metadata }: KnowledgeQuestion,
  gaps: readonly FoundGap[],
  clean: (text: string) => string,
): GapQuery => {
  // As a whole: what is spread over several lines is known for personal data by all of them.
  const { text, sentences } = problemText(clean(message));
  const told = sentences.filter((sentence) => gaps.some((gap) => isAbout(sentence, gap)));
  const kept = told.length === 0 ? sentences.slice(0, 2) : told;
  // A product that only the message or the taxonomy names is told when it is asked again.
  const product = gaps.find((gap) => gap.product !== undefined)?.product ?? productOf(metadata);
  return {
    message: cutText(kept.length === 0 ? text : kept.join(' '), MAX_MESSAGE),
    subject: subject === undefined || subject === '' ? null : cutText(clean(subject), MAX_SUBJECT),
    intent,
    product: product === '' ? null : cutText(clean(product), 100),
  };
};

const isAbout = (sentence: string, { stems, product }: FoundGap): boolean => {
  const found = new Set(wordsOf(sentence).map(stem));
  return (
    stems.some(([each]) => found.has(each)) || (product !== undefined && devicesNamedIn(sentence, [product]).length > 0)
  );
};

const productOf = (metadata: { product?: unknown } | undefined): string =>
  typeof metadata?.product === 'string' ? metadata.product.trim() : '';

/** Each part of a name that is longer than an initial, wherever it stands as a word. */
const withoutNames = (names: readonly string[]): ((text: string) => string) => {
  const parts = new Set(
    names.flatMap((name) =>
      (
        name
          .slice(0, 200)
          .toLowerCase()
          .match(/[\p{L}\p{M}]{3,40}/gu) ?? []
      ).slice(0, 8),
    ),
  );
  if (parts.size === 0) return (text) => text;
  return (text) => text.replace(/[\p{L}\p{M}]+/gu, (word) => (parts.has(word.toLowerCase()) ? '[name]' : word));
};

/** Of what was asked, as it came: it tells two requests apart, and leads back to neither. */
const hashOf = ({ message, subject, metadata }: KnowledgeQuestion): Promise<string> =>
  sha256(utf8(JSON.stringify([message, subject ?? '', productOf(metadata)])));
