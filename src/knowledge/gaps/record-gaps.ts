import { sha256, utf8 } from '../../runtime/digest.ts';
import { cutText } from '../retrieval/cut-text.ts';
import type { Knowledge, KnowledgeQuestion } from '../retrieval/knowledge.ts';
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
  { foundGaps = [], edition }: Pick<Knowledge, 'foundGaps' | 'edition'>,
  { book, mask, meaningOf, now }: RecordingOptions,
): Promise<void> => {
  if (foundGaps.length === 0 || edition === undefined) return;
  const query = keptQuery(question, mask);
  const meaning = await meaningOf?.(query.message);
  const gaps = foundGaps.map(({ kind, gap, product = null, intent = null, stems }): MetGap => {
    const isTold = stems.length > 0 && meaning !== undefined;
    const subject = isTold ? { stems, vector: meaning.vector, model: meaning.model } : { stems };
    return { kind, gap: mask(gap), product, intent, subject };
  });
  const sighting: GapSighting = { requestHash: await hashOf(question), query, gaps, edition, nowMs: now };
  await book.record(sighting);
};

/** The problem alone: greetings, signatures and quoted mail are where names stand. */
const keptQuery = (
  { message, subject, intent, metadata, customer_name }: KnowledgeQuestion,
  mask: (text: string) => string,
): GapQuery => {
  const withoutPerson = withoutName(customer_name);
  const kept = (text: string, length: number) => cutText(withoutPerson(mask(text)), length);
  const product = productOf(metadata);
  return {
    message: kept(problemText(message).text, MAX_MESSAGE),
    subject: subject === undefined || subject === '' ? null : kept(subject, MAX_SUBJECT),
    intent,
    product: product === '' ? null : cutText(mask(product), 100),
  };
};

const productOf = (metadata: { product?: unknown } | undefined): string =>
  typeof metadata?.product === 'string' ? metadata.product.trim() : '';

/** Each part of a name that is longer than an initial, wherever it stands as a word. */
const withoutName = (name: string | undefined): ((text: string) => string) => {
  const parts = new Set(
    (
      name
        ?.slice(0, 200)
        .toLowerCase()
        .match(/[\p{L}\p{M}]{3,40}/gu) ?? []
    ).slice(0, 8),
  );
  if (parts.size === 0) return (text) => text;
  return (text) => text.replace(/[\p{L}\p{M}]+/gu, (word) => (parts.has(word.toLowerCase()) ? '[name]' : word));
};

/** Of what was asked, as it came: it tells two requests apart, and leads back to neither. */
const hashOf = ({ message, subject, metadata }: KnowledgeQuestion): Promise<string> =>
  sha256(utf8(JSON.stringify([message, subject ?? '', productOf(metadata)])));
