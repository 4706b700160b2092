import { WORD_VECTORS_MODEL } from '../../ai/embeddings/word-vectors.ts';
import { findAnswer } from '../../answering/passages/find-answer.ts';
import { passageMarkdown } from '../../answering/passages/render-passage.ts';
import type { TextVectors } from '../../answering/understand/parse-question.ts';
import { PARTIAL_BELOW } from '../../contract/core/confidence-level.ts';
import { readAs } from '../../contract/core/error-info.ts';
import { MemoryId } from '../../contract/core/names.ts';
import type { KnowledgeGapReport, KnowledgeGapReported } from '../../contract/wire/knowledge.ts';
import { UNKNOWN_INTENT } from '../../contract/wire/taxonomy.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import { audiencesIn, type EditionScope } from '../../knowledge/edition/current-edition.ts';
import { vectorsOf } from '../../knowledge/edition/edition-vectors.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import {
  ASKED,
  type CheckedGap,
  type GapBooks,
  type GapQuery,
  type GapSighting,
  NO_ANSWER,
  type OpenGap,
  type RemoteGapBook,
  type RevealedGap,
} from '../../knowledge/gaps/gap-book.ts';
import { isSameGap } from '../../knowledge/gaps/sql-gap-book.ts';
import { analyseQuery } from '../../knowledge/search/analyse-query.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import type { MeaningOf, Retriever } from '../../knowledge/search/retrieve.ts';
import { searchEdition } from '../../knowledge/search/search-edition.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { smallTalkIn, unansweredSmallTalk } from '../../language/small-talk.ts';
import { stem } from '../../language/stem.ts';
import { turnOfOthers } from '../../platform/concurrency.ts';
import { sha256, utf8 } from '../../platform/encoding.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { isDeclinedQuestion } from '../retrieval/declined-question.ts';
import { isQuestion } from '../retrieval/find-gaps.ts';
import {
  cutText,
  type FoundGap,
  type Knowledge,
  type KnowledgeQuestion,
  type KnowledgeScope,
} from '../retrieval/knowledge.ts';
import { namedProducts } from '../retrieval/named-products.ts';
import { problemText, topicOf } from '../retrieval/problem-text.ts';
import { type GapRecorder, peopleIn, retrieveKnowledge } from '../retrieval/retrieve-knowledge.ts';

interface GapKeeperParts {
  books: GapBooks;
  /** The current edition of the workspace that a verified context names: `currentEdition`. */
  editionFor: (scope: KnowledgeScope & Pick<EditionScope, 'searches'>) => Promise<Edition>;
  /** `createRetriever`. */
  retrieve: Retriever;
  /** Masks personal data before a text is stored. */
  mask: (text: string) => string;
  /** Embeds a text; without it, gaps are compared by their words. */
  meaningOf?: MeaningOf | undefined;
  /** Compare texts by meaning, as answers do; absent: by words alone. */
  wordVectors?: (() => TextVectors) | undefined;
  now?: (() => number) | undefined;
  /** Receives failures; not awaited. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/** Records gaps, and closes those that newer editions answer. Its methods never reject. */
export interface GapKeeper extends GapRecorder {
  /** Records a question that the articles did not answer, or that a person reports. */
  report(report: KnowledgeGapReport, scope: KnowledgeScope): Promise<KnowledgeGapReported>;
  /** Closes what the current edition answers, within a short time limit; returns that edition. */
  refresh(scope: KnowledgeScope): Promise<string | undefined>;
  /** The same for all gaps of every workspace. */
  sweep(
    scopeOf: (workspace: string, audiences: readonly string[]) => KnowledgeScope,
  ): Promise<void>;
}

const CHECKED_AFTER_ANSWER = 200;
const CHECKED_ON_LISTING = 100;
const LISTING_MS = 1500;
const CHECKED_BY_SWEEP = 2000;
/** Time limit of the scheduled run, which may take fifteen minutes. */
const SWEEP_MS = 600_000;
const SWEPT_WORKSPACE_MS = 60_000;
/** Time limit of one library, so that a failing one does not delay the others. */
const SWEEP_EDITION_MS = 10_000;
const HOUR_MS = 3_600_000;
/** Time limit of reading the articles for a reported question. */
const REPORT_MS = 2000;
const MEANING_MS = 2000;
/** Upper bound of workspaces whose last compared edition is cached. */
const MAX_REMEMBERED = 1000;

/** One per isolate. */
export function createGapKeeper(parts: GapKeeperParts): GapKeeper {
  const { books, editionFor, retrieve, mask, meaningOf, now = Date.now, onFault } = parts;
  const { wordVectors } = parts;
  const compared = lruCache<string, string>({ max: MAX_REMEMBERED });

  const recheck = (
    edition: Edition,
    scope: KnowledgeScope,
    bounds: { limit: number; untilMs?: number; audiences?: readonly string[] },
  ) =>
    recheckGaps(edition, {
      audiences: audiencesIn(edition, scope.context.audiences),
      book: books.of(scope.context.workspace),
      now,
      ...bounds,
      // Stored when fewer patterns were masked.
      ask: (question) => retrieveKnowledge(question, { edition, retrieve, mask, now, ...scope }),
    });

  const compareOnce = async (edition: Edition, scope: KnowledgeScope): Promise<void> => {
    // An edition of hits has what answers another question.
    if (edition.meanings !== undefined) return;
    const { workspace, audiences } = scope.context;
    const key = [workspace, ...audiences].join(' ');
    if (compared.get(key) === edition.id) return;
    compared.set(key, edition.id);
    try {
      await recheck(edition, scope, { limit: CHECKED_AFTER_ANSWER });
    } catch (error) {
      // The next request retries.
      compared.delete(key);
      throw error;
    }
  };

  /** Only with the model of an edition with embeddings. Word vectors are too coarse to identify equal gaps: opposites are close. */
  const meaningBy = (edition: Edition, { context, waitUntil }: KnowledgeScope) => {
    const space = vectorsOf(edition)?.space;
    if (meaningOf === undefined || space === undefined || space.model === WORD_VECTORS_MODEL)
      return undefined;
    return async (text: string) => {
      const signal = AbortSignal.timeout(MEANING_MS);
      const asked = meaningOf(text, {
        wants: 'vector',
        workspace: context.workspace,
        signal,
        waitUntil,
      });
      const { model, vector } = await asked.catch(() => ({ model: '', vector: undefined }));
      return vector === undefined || model !== space.model ? undefined : { model, vector };
    };
  };

  const quietly = async <T>(where: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      onFault?.(where, error);
      return undefined;
    }
  };

  return {
    met: async (question, { knowledge, edition }, scope) => {
      if (edition === undefined) return;
      const book = books.of(scope.context.workspace);
      await quietly('record gaps', async () =>
        recordGaps(question, await withoutAnswered(edition, question, { knowledge, mask }), {
          book,
          mask,
          meaningOf: meaningBy(edition, scope),
          now: now(),
          by: scope.context.subject,
          audiences: audiencesIn(edition, scope.context.audiences),
        }),
      );
      await quietly('record a declined question', () =>
        recordDeclined(question, knowledge, {
          vectors: wordVectors?.(),
          book,
          edition,
          mask,
          meaningOf: meaningBy(edition, scope),
          now: now(),
          by: scope.context.subject,
          audiences: audiencesIn(edition, scope.context.audiences),
        }),
      );
      await quietly('compare gaps', () => compareOnce(edition, scope));
    },
    report: async (report, scope) => {
      const failed: KnowledgeGapReported = { gap: null, outcome: 'unavailable' };
      const reported = await quietly('record a question', async () => {
        const searches = () => [report.question].flat().map((question) => ({ question }));
        const edition = await withDeadline(() => editionFor({ ...scope, searches }), {
          timeoutMs: REPORT_MS,
        });
        const audiences = audiencesIn(edition, scope.context.audiences);
        const book = books.of(scope.context.workspace);
        const options = {
          mask,
          meaningOf: meaningBy(edition, scope),
          now: now(),
          by: scope.context.subject,
          audiences,
        };
        return recordQuestion(report, { ...options, book, edition });
      });
      return reported ?? failed;
    },
    refresh: (scope) =>
      quietly('compare gaps', async () => {
        const untilMs = now() + LISTING_MS;
        const edition = await withDeadline(() => editionFor(scope), { timeoutMs: LISTING_MS });
        const bounds = { limit: CHECKED_ON_LISTING, untilMs };
        await quietly('compare gaps', () =>
          withDeadline(() => recheck(edition, scope, bounds), { timeoutMs: LISTING_MS }),
        );
        return edition.id;
      }),
    sweep: async (scopeOf) => {
      const workspaces =
        (await quietly('list workspaces with gaps', () => books.workspaces())) ?? [];
      const startedAt = now();
      // Starts with another workspace each hour, so that none is always skipped when time runs out.
      const first = Math.floor(startedAt / HOUR_MS) % Math.max(1, workspaces.length);
      for (const workspace of [...workspaces.slice(first), ...workspaces.slice(0, first)]) {
        if (now() > startedAt + SWEEP_MS) return;
        await quietly('compare gaps', async () => {
          const untilMs = now() + SWEPT_WORKSPACE_MS;
          // A gap is closed by what those who met it may read.
          for (const audiences of await books.of(workspace).audienceLists()) {
            if (now() > untilMs) return;
            const scope = scopeOf(workspace, audiences);
            const edition = await withDeadline(() => editionFor(scope), {
              timeoutMs: SWEEP_EDITION_MS,
            });
            await recheck(edition, scope, { limit: CHECKED_BY_SWEEP, untilMs, audiences });
          }
        });
      }
    },
  };
}

/** A question that the articles surely answer reveals no lack of an answer; its product may still have no article of its own. */
const withoutAnswered = async (
  edition: Edition,
  question: KnowledgeQuestion,
  { knowledge, mask }: { knowledge: Knowledge; mask: (text: string) => string },
): Promise<Knowledge> => {
  const { foundGaps = [] } = knowledge;
  const isAboutAnswer = ({ kind }: FoundGap): boolean => kind === 'question' || kind === 'intent';
  if (!foundGaps.some(isAboutAnswer)) return knowledge;
  const { text } = problemText(mask(question.message), mask(question.subject ?? ''));
  const { isSure } = await bestAnswer(edition, text);
  return isSure
    ? { ...knowledge, foundGaps: foundGaps.filter((gap) => !isAboutAnswer(gap)) }
    : knowledge;
};

/**
 * Records the questions of a message about a known intent that `/v1/ask` declines and reports as a gap, although an article comes close to
 * the message.
 */
const recordDeclined = async (
  { message, intent, customer_name: customer = '', metadata }: KnowledgeQuestion,
  { evidence, foundGaps = [], people = [] }: Knowledge,
  { vectors, ...options }: QuestionOptions & { vectors: TextVectors | undefined },
): Promise<void> => {
  const isKnown = intent !== '' && intent !== UNKNOWN_INTENT;
  if (evidence === undefined || !isKnown || foundGaps.length > 0) return;
  const product = productOf(metadata) || undefined;
  const work = () => isDeclinedQuestion(evidence, { product, vectors });
  if (!(await readPages(options.edition, work)).value) return;
  const { sentences } = problemText(options.mask(message));
  const questions = withoutNames([customer, ...people])(sentences.filter(isQuestion).join(' '));
  if (questions === '') return;
  const person = personOf(metadata);
  const asker = person === null ? {} : { person_id: person };
  await recordQuestion({ question: questions, why: 'declined', ...asker }, options);
};

/** What an edition answers to a question: whether it is sure, as an answer without a model is, and a mark of the passage. */
const bestAnswer = async (
  edition: Edition,
  question: string,
): Promise<{ isSure: boolean; mark: string }> => {
  const { value } = await readPages(edition, () => {
    const outcome = searchEdition(edition, question, { limit: HITS });
    const { probability, passages } = findAnswer(edition, question, { searches: [outcome] });
    const [best] = passages.toSorted((one, other) => other.share - one.share);
    const text = best === undefined ? '' : `${best.source.id}\n${passageMarkdown(best.unit)}`;
    return { isSure: passages.length > 0 && probability >= PARTIAL_BELOW, text };
  });
  return {
    isSure: value.isSure,
    mark: value.text === '' ? '' : (await sha256(utf8(value.text))).slice(0, MARK_LENGTH),
  };
};

const HITS = 50;
const MARK_LENGTH = 16;

interface QuestionOptions extends RecordingOptions {
  book: Pick<RemoteGapBook, 'record' | 'read' | 'remove'>;
  edition: Edition;
}

/** Records a question as a gap, unless it asks nothing or the articles answer it. Throws what the gap book throws. */
const recordQuestion = async (
  { question, why = 'reported', person_id: person }: KnowledgeGapReport,
  { book, by, audiences = [], mask, meaningOf, now, edition }: QuestionOptions,
): Promise<KnowledgeGapReported> => {
  const smallTalk = why === 'declined' ? unansweredSmallTalk(question) : smallTalkIn(question);
  if (smallTalk !== undefined) return { gap: null, outcome: 'no_question' };
  const masked = mask(question);
  const people = peopleIn(edition, masked);
  const message = cutText(withoutNames(people)(masked).replace(/\s+/g, ' ').trim(), MAX_MESSAGE);
  const stems = stemsAsked(edition, message, people);
  if (stems.length === 0) return { gap: null, outcome: 'no_question' };
  const { known, unknown } = namedProducts(message, {
    product: undefined,
    devices: edition.devices(),
  });
  const product = cutText([...unknown, ...known][0] ?? '', 100);
  const meaning = await meaningOf?.(message);
  const isUnanswered = why === 'declined' || why === 'unsure';
  // An answer that a person reports may be a sure one, whose mark tells when the articles have another.
  const { isSure, mark } = isUnanswered ? NO_MARK : await bestAnswer(edition, message);
  const intent = isSure ? `${ASKED}:${mark}` : ASKED;
  const [recorded = { outcome: 'limit' as const }] = await book.record({
    requestHash: await hashOf({ intent: '', message: question, metadata: {} }, audiences),
    by,
    audiences,
    edition: edition.id,
    nowMs: now,
    query: {
      message,
      subject: null,
      intent,
      product: product === '' ? null : product,
      person: person ?? null,
    },
    gaps: [
      {
        kind: 'question',
        gap: NO_ANSWER,
        product: null,
        intent: null,
        subject:
          meaning === undefined
            ? { stems }
            : { stems, vector: meaning.vector, model: meaning.model },
      },
    ],
  });
  if (!('id' in recorded)) return { gap: null, outcome: recorded.outcome };
  // Only a new gap is compared with the articles: a key may add few a day, and ask many questions.
  if (isUnanswered && recorded.outcome === 'new' && (await bestAnswer(edition, message)).isSure) {
    await book.remove(recorded.id, audiences);
    return { gap: null, outcome: 'answered' };
  }
  return { gap: await book.read(recorded.id, now, audiences), outcome: recorded.outcome };
};

const NO_MARK = { isSure: false, mark: '' };

/** The informative words of a question; all of its words when it has none. */
const stemsAsked = (
  edition: Edition,
  message: string,
  people: readonly string[],
): RevealedGap['subject']['stems'] => {
  const { terms } = analyseQuery(edition, message);
  const { chunkTotal: chunkCount } = edition;
  const { stems } = topicOf(message, { terms, chunkCount, names: people, isAsked: () => true });
  if (stems.length > 0) return stems;
  return [...new Set(terms.map((term) => term.stem))]
    .slice(0, MAX_STEMS)
    .map((each) => [each, 1] as const);
};

const MAX_STEMS = 12;

interface RecordingOptions {
  book: Pick<RemoteGapBook, 'record'>;
  /** The subject of the request. */
  by: string;
  /** Its audiences; none when absent. */
  audiences?: readonly string[] | undefined;
  /** Masks personal data. */
  mask: (text: string) => string;
  /** Embeds a text with the edition's model; undefined without one, or when it is late. */
  meaningOf?:
    | ((text: string) => Promise<{ model: string; vector: readonly number[] } | undefined>)
    | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

const MAX_MESSAGE = 1000;
const MAX_SUBJECT = 300;

/** Records the gaps of a retrieval with the question, from which names are removed. Throws what the gap book throws. */
export async function recordGaps(
  question: KnowledgeQuestion,
  { foundGaps = [], edition, people = [] }: Pick<Knowledge, 'foundGaps' | 'edition' | 'people'>,
  { book, by, audiences = [], mask, meaningOf, now }: RecordingOptions,
): Promise<void> {
  if (foundGaps.length === 0 || edition === undefined) return;
  const withoutPeople = withoutNames([question.customer_name ?? '', ...people]);
  const query = storedQuery(question, foundGaps, (text) => withoutPeople(mask(text)));
  const meaning = await meaningOf?.(query.message);
  const gaps = foundGaps.map(({ kind, gap, product = null, intent = null, stems }): RevealedGap => {
    const isEmbedded = stems.length > 0 && meaning !== undefined;
    const subject = isEmbedded
      ? { stems, vector: meaning.vector, model: meaning.model }
      : { stems };
    return { kind, gap: withoutPeople(mask(gap)), product, intent, subject };
  });
  const sighting: GapSighting = {
    requestHash: await hashOf(question, audiences),
    by,
    audiences,
    query,
    gaps,
    edition,
    nowMs: now,
  };
  await book.record(sighting);
}

/** Only the sentences in which gaps were found: signatures and stories are where people are named. */
const storedQuery = (
  { message, subject, intent, metadata }: KnowledgeQuestion,
  gaps: readonly FoundGap[],
  clean: (text: string) => string,
): GapQuery => {
  // Masked as a whole: personal data may span several lines.
  const { text, sentences } = problemText(clean(message));
  const relevant = sentences.filter((sentence) => gaps.some((gap) => isAbout(sentence, gap)));
  const kept = relevant.length === 0 ? sentences.slice(0, 2) : relevant;
  // A product that only the message or the taxonomy names is added for the retry.
  const product = gaps.find((gap) => gap.product !== undefined)?.product ?? productOf(metadata);
  return {
    message: cutText(kept.length === 0 ? text : kept.join(' '), MAX_MESSAGE),
    subject: subject === undefined || subject === '' ? null : cutText(clean(subject), MAX_SUBJECT),
    intent,
    product: product === '' ? null : cutText(clean(product), 100),
    person: personOf(metadata),
  };
};

const isAbout = (sentence: string, { stems, product }: FoundGap): boolean => {
  const found = new Set(wordsOf(sentence).map(stem));
  return (
    stems.some(([each]) => found.has(each)) ||
    (product !== undefined && devicesNamedIn(sentence, [product]).length > 0)
  );
};

const personOf = (metadata: { person_id?: unknown } | undefined): string | null => {
  const person = readAs(MemoryId, metadata?.person_id);
  return person.ok ? person.value : null;
};

const productOf = (metadata: { product?: unknown } | undefined): string =>
  typeof metadata?.product === 'string' ? metadata.product.trim() : '';

/** Removes each part of a name that is longer than an initial, wherever it is a word. */
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
  return (text) =>
    text.replace(/[\p{L}\p{M}]+/gu, (word) => (parts.has(word.toLowerCase()) ? '[name]' : word));
};

/** Hash of the original query: it distinguishes two requests and cannot be reversed. */
const hashOf = (
  { message, subject, metadata }: KnowledgeQuestion,
  audiences: readonly string[],
): Promise<string> =>
  sha256(utf8(JSON.stringify([message, subject ?? '', productOf(metadata), ...audiences])));

interface RecheckOptions {
  book: Pick<RemoteGapBook, 'toCheck' | 'noteChecked'>;
  /** Retries the query on the edition. */
  ask: (question: KnowledgeQuestion) => Promise<Knowledge>;
  /** Only gaps that were met with exactly these; none when absent. */
  audiences?: readonly string[] | undefined;
  /** Upper bound of gaps to retry; the others wait for the next time. */
  limit: number;
  /** No further batch starts after this, in milliseconds since 1970. */
  untilMs?: number | undefined;
  now: () => number;
}

/** Batch size: a crash loses at most one batch, which is then retried. */
const BATCH = 20;

/**
 * Retries open gaps that were not compared with an edition yet, and closes those that it answers.
 *
 * @returns How many were closed.
 */
export async function recheckGaps(
  edition: Edition,
  { book, ask, audiences, limit, untilMs = Number.POSITIVE_INFINITY, now }: RecheckOptions,
): Promise<number> {
  let closed = 0;
  for (let left = limit; left > 0 && now() <= untilMs; left -= BATCH) {
    const gaps = await book.toCheck(edition.id, Math.min(BATCH, left), now(), audiences);
    const results: CheckedGap[] = [];
    for (const gap of gaps) {
      const isAnswered = await areAnswered(gap, edition, ask);
      if (isAnswered !== undefined)
        results.push({ id: gap.id, lastSeenMs: gap.lastSeenMs, isAnswered });
    }
    if (results.length > 0) await book.noteChecked(results, { edition: edition.id, nowMs: now() });
    closed += results.filter((result) => result.isAnswered).length;
    if (gaps.length < BATCH || results.length === 0) break;
  }
  return closed;
}

/** Whether an edition answers every question of a gap, the newest first; undefined when one could not be asked. */
const areAnswered = async (
  gap: OpenGap,
  edition: Edition,
  ask: RecheckOptions['ask'],
): Promise<boolean | undefined> => {
  for (const { message, subject, intent, product } of gap.queries) {
    await turnOfOthers();
    if (intent.startsWith(ASKED)) {
      const { isSure, mark } = await bestAnswer(edition, message);
      // An answer that was disliked does not close its gap while it stays the same.
      if (!isSure || intent === `${ASKED}:${mark}`) return false;
      continue;
    }
    const metadata = product === null ? {} : { product };
    const knowledge = await ask({ message, intent, metadata, subject: subject ?? undefined });
    // Failed queries stay open; a newer edition that was published meanwhile is not considered here.
    if (knowledge.foundGaps === undefined || knowledge.edition !== edition.id) return undefined;
    if (!isAnswered(gap, knowledge)) return false;
  }
  return gap.queries.length > 0;
};

/** Answered: the gap is not reported any more, and something was found; an empty query reports no gaps. */
const isAnswered = (gap: OpenGap, { foundGaps = [], coverage }: Knowledge): boolean => {
  const isReported = foundGaps.some(({ kind, product = null, intent = null, stems }) =>
    isSameGap(gap, { kind, product, intent, subject: { stems } }),
  );
  if (isReported) return false;
  return (
    coverage === 'high' || coverage === 'medium' || (coverage === 'low' && foundGaps.length === 0)
  );
};
