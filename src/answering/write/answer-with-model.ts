import type { Reranker } from '../../ai/reranker.ts';
import type { Progress } from '../../contract/core/ask.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import { type NavigatorResponse, PARTIAL_BELOW } from '../../contract/core/navigator-response.ts';
import { escapeText } from '../../documents/markdown/escape-html.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import { relevanceOfHits } from '../../knowledge/search/relevance.ts';
import { type SearchOutcome, searchEdition } from '../../knowledge/search/search-edition.ts';
import {
  type CheckedAnswer,
  type CheckedStatement,
  type FailedAnswer,
  type RemovedStatement,
  writeCheckedAnswer,
} from '../check/checked-answer.ts';
import { type AnswerRequest, aboutAsker, MAX_TURNS } from '../model/answer-prompt.ts';
import { type CallUsage, type ModelCalls, startModelCalls } from '../model/model-calls.ts';
import { beforeInjection } from '../model/prompt-injection.ts';
import { type FoundAnswer, findAnswer } from '../passages/find-answer.ts';
import { linkedHits } from '../passages/linked-articles.ts';
import { excerptsOf } from '../passages/render-passage.ts';
import {
  type HitList,
  isNamedByInjection,
  type PassageHit,
  rerankHits,
  type ShownPassage,
  showPassages,
} from '../passages/shown-passages.ts';
import { needsQueries, type ProposedSearch, proposeSearch } from '../understand/search-queries.ts';
import {
  type AnswerOptions,
  answerFromEdition,
  HITS,
  inFull,
  languageOf,
  withoutInjections,
} from './answer-from-edition.ts';
import { type AnswerPhrases, answerPhrases } from './answer-phrases.ts';
import { closestOf, statementOf } from './cite-sources.ts';
import { citedStatement, composeModelAnswer, linksToPassages } from './compose-model-answer.ts';
import { isOffTopic, spokenLanguage } from './decline.ts';
import { chooseHits, type NavigatorAnswer } from './navigator-answer.ts';

export interface ModelAnswerOptions extends Omit<AnswerOptions, 'isScreened' | 'reading'> {
  ai: AIClient;
  /** Result of a search for this question, as `inFull` writes it; best with `HITS` hits. */
  outcome: SearchOutcome;
  /** Searches the same edition for another query; by words alone when absent. */
  search?: ((query: string) => Promise<SearchOutcome>) | undefined;
  /** Orders the passages; search order when absent. */
  reranker?: Reranker | undefined;
  /** Gets the passages that the model reads, and each statement as soon as it is checked. */
  progress?: Progress | undefined;
  /** What is known about the asker, best first. Data of others. */
  facts?: readonly string[] | undefined;
  /** Milliseconds left for the whole answer. */
  timeLeftMs: number;
  /** Aborts when the caller is gone. */
  signal?: AbortSignal | undefined;
  now?: (() => number) | undefined;
}

/** Which component answered, with its usage. */
export interface ModelAccount {
  answeredBy: 'model' | 'quotes';
  model: string;
  refused?: ModelRefusal | undefined;
  usage?: CallUsage | undefined;
  /** Milliseconds from the first call to the last. */
  modelMs?: number | undefined;
  /** Statements of the model that were removed. */
  removed: readonly RemovedStatement[];
  /** Queries that the model proposed. */
  queries: readonly string[];
}

/** An answer with its account. */
export interface ModelAnswer extends NavigatorAnswer {
  account: ModelAccount;
}

/** Share of the time left for all calls of the model; the quotes are ready before. */
const TIME_SHARE = 0.8;
/** Maximum time of the model: an early quote is better than a late answer. */
const MAX_TIME_MS = 11_000;

/**
 * Answers a question with a model, and checks each of its statements (docs/navigator.md). On any failure the quoted answer is returned with
 * the reason. What is off topic costs one short call at most. Never throws.
 */
export const answerWithModel = async (
  edition: Edition,
  question: string,
  options: ModelAnswerOptions,
): Promise<ModelAnswer> => {
  const { ai, signal, timeLeftMs, progress, facts = [], now = Date.now, ...about } = options;
  const { history: turns = [] } = options;
  const read = async <T>(work: () => T): Promise<T> => (await readPages(edition, work, { signal })).value;
  const outcome = await read(() => withoutInjections(edition, options.outcome));
  const quotes = (reading?: AnswerOptions['reading']) =>
    read(() => answerFromEdition(edition, question, { ...about, outcome, isScreened: true, reading }));
  const screened = beforeInjection(question);
  const none = { model: ai.model, removed: [], queries: [] };
  const notAsked = { ...none, answeredBy: 'quotes', refused: 'not_asked' } as const;
  if (screened === '') return { ...(await quotes()), account: notAsked };
  const started = now();
  const calls = startModelCalls({
    ai,
    signal,
    timeMs: Math.min(MAX_TIME_MS, Math.floor(timeLeftMs * TIME_SHARE)),
  });
  try {
    const history = turns
      .slice(-MAX_TURNS)
      .map((turn) => ({ ...turn, text: beforeInjection(turn.text) }))
      .filter(({ text }) => text !== '');
    const finding = { ...options, question: screened, history, outcome, calls };
    const first = await findPassages(edition, finding);
    if (first.passages.length === 0 || first.isOffTopic) {
      const account = { ...notAsked, queries: queriesOf(first.search), usage: calls.usage() };
      return { ...(await quotes(first.isOffTopic ? 'off_topic' : undefined)), account };
    }
    const writing = startWriting(edition, {
      finding,
      progress,
      task: aboutAsker(facts),
      now: new Date(now()),
    });
    const { written, passages, search } = await writing.write(first);
    const account = {
      ...none,
      queries: queriesOf(search),
      removed: written.removed,
      usage: calls.usage(),
      modelMs: Math.max(0, now() - started),
    };
    const language = spokenLanguage(edition, question, languageOf(question, options));
    const phrases = answerPhrases(language);
    if ('failure' in written) {
      const answer = await inPlaceOf(written, quotes);
      return {
        ...limited(answer, written.failure, phrases),
        account: { ...account, answeredBy: 'quotes', refused: written.failure },
      };
    }
    const { answer, violations } = await read(() =>
      composeModelAnswer({
        edition,
        question: screened,
        outcome,
        passages,
        written,
        phrases,
        isFollowUp: turns.length > 0,
        now: new Date(now()),
      }),
    );
    if (answer !== undefined) return { ...answer, account: { ...account, answeredBy: 'model' } };
    const reason = 'the answer breaks a rule of the navigator contract';
    for (const [index, { text }] of writing.sent.entries())
      progress?.({ type: 'removed', index, text: text.slice(0, 1000), reason });
    const fallback = await quotes();
    return {
      ...limited(fallback, 'unsupported', phrases),
      violations: [...violations, ...(fallback.violations ?? [])],
      account: { ...account, answeredBy: 'quotes', refused: 'unsupported' },
    };
  } finally {
    calls.end();
  }
};

/** The quotes in place of a model that gave no answer. */
const inPlaceOf = async (
  { failure, related = [], isJudged = false }: FailedAnswer<ShownPassage>,
  quotes: (reading?: AnswerOptions['reading']) => Promise<NavigatorAnswer>,
): Promise<NavigatorAnswer> => {
  // What only shares words with the question was read, and does not answer it.
  const declined = () => quotes({ related: linksToPassages(related) });
  if (failure === 'no_answer') return declined();
  const quoted = await quotes();
  // What a judge has refused as a whole is not replaced by quotes that are not sure either.
  return isJudged && quoted.probability < PARTIAL_BELOW ? declined() : quoted;
};

const queriesOf = (search: ProposedSearch | undefined): string[] =>
  search?.parts.flatMap(({ queries }) => queries) ?? [];

type Written = CheckedAnswer<ShownPassage> | FailedAnswer<ShownPassage>;

interface WritingOptions {
  finding: Finding;
  progress: Progress | undefined;
  task: AnswerRequest['task'];
  now: Date;
}

/** Writes an answer, and once more for what it leaves open, from what was not shown yet. */
const startWriting = (edition: Edition, { finding, progress, task, now }: WritingOptions) => {
  const { calls, question, history } = finding;
  const sent: CheckedStatement<ShownPassage>[] = [];
  const write = (
    about: Pick<AnswerRequest, 'question' | 'history'>,
    passages: readonly ShownPassage[],
    parts?: readonly string[],
  ): Promise<Written> => {
    progress?.({ type: 'passages', passages: passages.map(placeOf) });
    return writeCheckedAnswer(
      { ...about, passages, parts, now, task },
      {
        calls,
        isScreened: true,
        onStatement:
          progress &&
          ((statement) => {
            // A second answer may give again what the first one has.
            if (!sent.some(({ text }) => text === statement.text))
              progress({
                type: 'statement',
                index: sent.push(statement) - 1,
                ...statementOf(citedStatement(statement, statement.probability)),
              });
          }),
        onRemoved: ({ text, reason }) => progress?.({ type: 'removed', text: text.slice(0, 1000), reason }),
      },
    );
  };
  return {
    sent,
    write: async (first: FoundPassages): Promise<WrittenAnswer> => {
      const { search, passages } = first;
      const written = await write(
        { question, history },
        passages,
        search?.parts.map(({ asked }) => asked),
      );
      const open = openPartsOf(written, question);
      if (open.length === 0) return { written, passages, search };
      const more = await findMore(edition, finding, { first, open });
      if (more.passages.length === 0) return { written, passages, search: more.search };
      const text = 'failure' in written ? '' : written.statements.map((statement) => statement.text).join('\n\n');
      // What is open is asked like a follow-up question, so that the rest is not answered once more.
      const turns: readonly Turn[] =
        text === '' ? history : [...history, { speaker: 'user', text: question }, { speaker: 'assistant', text }];
      const second = await write({ question: open.join('\n'), history: turns }, more.passages, open);
      return {
        written: joined(written, second),
        passages: [...passages, ...more.passages],
        search: more.search,
      };
    },
  };
};

interface WrittenAnswer {
  written: Written;
  passages: readonly ShownPassage[];
  search: ProposedSearch | undefined;
}

/** What an answer leaves open or answers in part only, in the model's words; the question when nothing answers it. */
const openPartsOf = (written: Written, question: string): string[] => {
  if ('failure' in written) return written.failure === 'no_answer' ? [question] : [];
  return written.parts.filter(isUnfinished).map(({ wording }) => wording.slice(0, MAX_PART_LENGTH));
};

/** In UTF-16 units. */
const MAX_PART_LENGTH = 300;

type Part = CheckedAnswer<ShownPassage>['parts'][number];
const isUnfinished = ({ state, wording }: Part): boolean => state !== 'answered' && wording !== '';

/** An answer with what a second search adds for its unfinished parts. */
const joined = (first: Written, second: Written): Written => {
  const removed = [...first.removed, ...second.removed];
  if ('failure' in second) return { ...first, removed };
  if ('failure' in first) return { ...second, removed };
  const unfinished = first.parts.filter(isUnfinished);
  const texts = new Set(first.statements.map(({ text }) => text));
  const isSameCount = second.parts.length === unfinished.length;
  const finished = unfinished.map((part, at): Part => {
    const later = isSameCount ? second.parts[at] : second.parts.find(({ state }) => state !== 'answered');
    // What is answered twice in part is answered in part.
    const isLeftAs = later?.state === 'open' || (later?.state === 'in_part' && part.state === 'in_part');
    return isLeftAs ? part : { ...part, state: later?.state ?? 'answered' };
  });
  return {
    ...second,
    statements: [...first.statements, ...second.statements.filter(({ text }) => !texts.has(text))],
    removed,
    removedQuotes: [...first.removedQuotes, ...second.removedQuotes],
    parts: [...first.parts.filter((part) => !isUnfinished(part)), ...finished],
    isJudged: first.isJudged && second.isJudged,
  };
};

const placeOf = ({ source, headings }: ShownPassage) => {
  const { title: name, url } = closestOf(source, undefined);
  return {
    name,
    ...(url === undefined ? {} : { url }),
    ...(headings.length === 0 ? {} : { section: headings.join(' > ').slice(0, 500) }),
  };
};

interface Finding
  extends Pick<ModelAnswerOptions, 'search' | 'reranker' | 'signal' | 'devices' | 'vectors' | 'language'> {
  question: string;
  history: readonly Turn[];
  outcome: SearchOutcome;
  calls: ModelCalls;
}

interface FoundPassages {
  passages: ShownPassage[];
  /** The hits that they were chosen from. */
  lists: readonly HitList[];
  /** What the model made of the question; undefined when it was not asked. */
  search: ProposedSearch | undefined;
  isOffTopic: boolean;
}

/** Hits of the question that count. */
const QUESTION_HITS = 30;
/** Hits of each query that a model proposes. */
const QUERY_HITS = 12;

/** The passages to show: from the first search, and from the model's queries where those may find more. */
const findPassages = async (
  edition: Edition,
  { question, history, outcome, calls, ...about }: Finding,
): Promise<FoundPassages> => {
  const { reranker, signal, devices, vectors } = about;
  const { languages } = edition;
  const language = languageOf(question, { language: about.language, history });
  const read = async <T>(work: () => T): Promise<T> => (await readPages(edition, work, { signal })).value;
  const standalone = inFull(question, history);
  const answer = await read(() =>
    findAnswer(edition, standalone.question, {
      history: standalone.history,
      devices,
      vectors,
      searches: [outcome],
    }),
  );
  const { probability } = answer;
  const first = await read(() => [unitHits(edition, answer), hitsIn(edition, standalone.question, outcome)]);
  const needsModel = needsQueries(question, { probability, history, languages });
  const titles = [...answer.articles, ...first.flat()].map(({ source }) => source.title);
  const search = needsModel ? await proposeSearch({ question, history, found: titles, languages }, calls) : undefined;
  // A model that sees no part is believed where the search has no sign of an answer either.
  const seemsOff = isOffTopic(edition, answer);
  if (search?.parts.length === 0 && (seemsOff || probability < SURE_OF_TOPIC))
    return { passages: [], lists: [], search, isOffTopic: true };
  const further = await hitsForSearch(edition, { ...about, question, language }, search);
  if (seemsOff && !further.some(isOnTopic))
    return { passages: [], lists: [], search, isOffTopic: search === undefined };
  const lists = [...first.map((hits) => ({ hits: hits.slice(0, QUESTION_HITS) })), ...further];
  const best = lists.flatMap(({ hits }) => hits);
  const ranked =
    reranker === undefined || best.length === 0
      ? lists
      : [{ hits: await rerankHits(edition, eachOnce(best), { question, reranker, signal }) }, ...further];
  const passages = await read(() => showPassages(edition, ranked));
  return { passages, lists: ranked, search, isOffTopic: false };
};

type Searching = Pick<Finding, 'question' | 'search' | 'signal' | 'devices' | 'language'>;

/** The hits of a query about the question. */
const hitsFor = async (
  edition: Edition,
  { question, signal, devices, language, search }: Searching,
  { query, part }: { query: string; part?: number },
): Promise<HitList> => {
  const read = async <T>(work: () => T): Promise<T> => (await readPages(edition, work, { signal })).value;
  const byWords = () => read(() => searchEdition(edition, query, { devices, limit: HITS, language }));
  const result = await (search?.(query) ?? byWords()).catch(() => undefined);
  if (result === undefined) return { hits: [], part };
  const hits = await read(() => hitsIn(edition, question, withoutInjections(edition, result)));
  return { hits: hits.slice(0, QUERY_HITS), part };
};

/** The hits of what a model made of the question. */
const hitsForSearch = (
  edition: Edition,
  searching: Searching,
  { alone = '', parts = [] }: Partial<ProposedSearch> = {},
): Promise<HitList[]> =>
  Promise.all([
    ...(alone === '' ? [] : [hitsFor(edition, searching, { query: alone })]),
    ...parts.flatMap(({ queries }, part) => queries.map((query) => hitsFor(edition, searching, { query, part }))),
  ]);

/**
 * Passages for the parts that an answer leaves open: by the words of each part, by the model's queries unless it has proposed some before, and
 * what the hits of the first search did not show.
 */
const findMore = async (
  edition: Edition,
  finding: Finding,
  { first, open }: { first: FoundPassages; open: readonly string[] },
): Promise<Pick<FoundPassages, 'passages' | 'search'>> => {
  const { history, calls, signal } = finding;
  const { languages } = edition;
  const question = open.join('; ');
  const titles = first.lists.flatMap(({ hits }) => hits.map(({ source }) => source.title));
  const search = first.search ?? (await proposeSearch({ question, history, found: titles, languages }, calls));
  if (search?.parts.length === 0) return { passages: [], search };
  const searching = { ...finding, question, language: languageOf(question, { language: finding.language, history }) };
  const lists = await Promise.all([
    ...open.map((query, part) => hitsFor(edition, searching, { query, part })),
    ...(first.search === undefined ? await hitsForSearch(edition, searching, search) : []),
  ]);
  const found = new Set([...lists, ...first.lists].flatMap(({ hits }) => hits.map(({ source }) => source.index)));
  const linked = linkedHits(edition, first.passages).filter(({ source }) => found.has(source.index));
  const all = [...lists, { hits: linked }, ...first.lists];
  if (!all.some(isOnTopic)) return { passages: [], search };
  const shown = new Set(first.passages.flatMap(({ pieces }) => pieces.map(({ chunk }) => chunk.index)));
  const isAllowed = ({ index }: { index: number }) => !shown.has(index);
  const { value: passages } = await readPages(
    edition,
    () => showPassages(edition, all, { isAllowed, room: FURTHER_ROOM }),
    { signal },
  );
  return { passages, search };
};

/** Length of the passages for what an answer leaves open, in UTF-16 units. */
const FURTHER_ROOM = 8000;

const isOnTopic = ({ hits }: HitList): boolean => hits.some(({ relevance = 0 }) => relevance >= ON_TOPIC_FROM);

/** From this probability of an answer on, a model alone does not make a question off topic. */
const SURE_OF_TOPIC = 0.42;
/** Relevance of a hit of the model's queries that outweighs the search's own estimate. */
const ON_TOPIC_FROM = 0.02;

/** Hits of a search about the devices of the question, with the probability that each answers. */
const hitsIn = (edition: Edition, question: string, outcome: SearchOutcome): PassageHit[] => {
  const relevances = relevanceOfHits(outcome);
  const byChunk = new Map(outcome.hits.map(({ chunk }, at) => [chunk, relevances[at]]));
  return chooseHits(edition, question, outcome.hits).hits.map(({ chunk, source }) => ({
    chunk,
    source,
    relevance: byChunk.get(chunk),
  }));
};

/** The chunks in which the passages of an answer without a model begin, best first. */
const unitHits = (edition: Edition, { passages, probability }: FoundAnswer): PassageHit[] =>
  passages
    .toSorted((one, other) => other.share - one.share)
    .flatMap(({ unit, source, share }) =>
      excerptsOf(edition, unit)
        .slice(0, 1)
        .filter(({ chunk }) => !isNamedByInjection(chunk))
        .map(({ chunk }) => ({ chunk: chunk.index, source, relevance: probability * share })),
    );

const eachOnce = (hits: readonly PassageHit[]): PassageHit[] =>
  [...new Map(hits.toReversed().map((hit) => [hit.chunk, hit])).values()].reverse();

/** Quotes in place of a model's answer, with the reason. */
const limited = (quotes: NavigatorAnswer, refused: ModelRefusal, phrases: AnswerPhrases): NavigatorAnswer => ({
  ...quotes,
  response: { ...quotes.response, confidenceReason: withRefusal(quotes.response, refused, phrases) },
});

/** Why the model's answer is not used is said in English alone; other languages say that it is not. */
const withRefusal = (
  { confidenceReason, sources }: NavigatorResponse,
  refused: ModelRefusal,
  { noModel }: AnswerPhrases,
): string => {
  const what = sources.length > 0 ? 'These are quotes' : 'This was decided without a model';
  const isEnglish = noModel === answerPhrases('en').noModel;
  const sentence = isEnglish ? ` ${what}, because ${REFUSALS[refused]}.` : ` ${noModel}.`;
  return `${escapeText(confidenceReason, 1000 - sentence.length)}${sentence}`;
};

/** Why a model's answer is replaced by quotes (`metadata.model_refused`), as worded in the confidence reason. */
export const REFUSALS = {
  unavailable: 'the model could not be reached or failed',
  timeout: 'the model did not answer in the time that was left for it',
  over_budget: 'the budget of the request does not pay for the model',
  refused: 'the model declined to answer',
  filtered: "the model's answer was withheld by its provider",
  cut: "the model's answer was cut off before its end",
  empty: 'the model gave an empty answer',
  malformed: "the model's answer did not have the form that was asked for",
  unsupported: "the model's answer made statements that its sources do not support, and was discarded",
  no_answer: 'the model found no answer in the passages',
  /** No passage was found, or the question is out of domain: the model was not called. */
  not_asked: '',
} as const;
export type ModelRefusal = keyof typeof REFUSALS;
