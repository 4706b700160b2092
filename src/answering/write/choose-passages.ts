import type { Reranker } from '../../ai/reranker.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import { relevanceOfHits } from '../../knowledge/search/relevance.ts';
import { type SearchOutcome, searchEdition } from '../../knowledge/search/search-edition.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { ModelCalls } from '../model/model-calls.ts';
import { type FoundAnswer, findAnswer } from '../passages/find-answer.ts';
import { excerptsOf } from '../passages/render-passage.ts';
import {
  bestArticle,
  chunksOf,
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
  HITS,
  inFull,
  languageOf,
  withoutInjections,
} from './answer-from-edition.ts';
import { isOffTopic } from './decline.ts';
import { chooseHits } from './navigator-answer.ts';

export interface Finding extends Pick<AnswerOptions, 'devices' | 'vectors' | 'language'> {
  /** Searches the same edition for another query; by words alone when absent. */
  search?: ((query: string) => Promise<SearchOutcome>) | undefined;
  /** Orders the passages; search order when absent. */
  reranker?: Reranker | undefined;
  /** Aborts when the caller is gone. */
  signal?: AbortSignal | undefined;
  question: string;
  history: readonly Turn[];
  outcome: SearchOutcome;
  calls: ModelCalls;
}

export interface FoundPassages {
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
export async function findPassages(
  edition: Edition,
  { question, history, outcome, calls, ...about }: Finding,
): Promise<FoundPassages> {
  const { reranker, signal, devices, vectors } = about;
  const { languages } = edition;
  const language = languageOf(question, { language: about.language, history });
  const read = async <T>(work: () => T): Promise<T> =>
    (await readPages(edition, work, { signal })).value;
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
  const first = await read(() => [
    unitHits(edition, answer),
    hitsIn(edition, standalone.question, outcome),
  ]);
  const needsModel = needsQueries(question, { probability, history, languages });
  const titles = [...answer.articles, ...first.flat()].map(({ source }) => source.title);
  const search = needsModel
    ? await proposeSearch({ question, history, found: titles, languages }, calls)
    : undefined;
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
      : [
          { hits: await rerankHits(edition, eachOnce(best), { question, reranker, signal }) },
          ...further,
        ];
  const passages = await read(() => showPassages(edition, withLinked(edition, ranked)));
  return { passages, lists: ranked, search, isOffTopic: false };
}

type Searching = Pick<Finding, 'question' | 'search' | 'signal' | 'devices' | 'language'>;

/** The hits of a query about the question. */
const hitsFor = async (
  edition: Edition,
  { question, signal, devices, language, search }: Searching,
  { query, part }: { query: string; part?: number },
): Promise<HitList> => {
  const read = async <T>(work: () => T): Promise<T> =>
    (await readPages(edition, work, { signal })).value;
  const byWords = () =>
    read(() => searchEdition(edition, query, { devices, limit: HITS, language }));
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
    ...parts.flatMap(({ queries }, part) =>
      queries.map((query) => hitsFor(edition, searching, { query, part })),
    ),
  ]);

/** Passages for the parts that an answer leaves open: from the model's queries for them, what was not shown yet. */
export async function findMore(
  edition: Edition,
  finding: Finding,
  { first, open }: { first: FoundPassages; open: readonly string[] },
): Promise<Pick<FoundPassages, 'passages' | 'search'>> {
  const { history, calls, signal } = finding;
  const { languages } = edition;
  const question = open.join('; ');
  const titles = first.lists.flatMap(({ hits }) => hits.map(({ source }) => source.title));
  const search = await proposeSearch({ question, history, found: titles, languages }, calls);
  const language = languageOf(question, { language: finding.language, history });
  const further = await hitsForSearch(edition, { ...finding, question, language }, search);
  const lists = [...further, ...first.lists];
  if (search === undefined || !further.some(isOnTopic)) return { passages: [], search };
  const shown = new Set(
    first.passages.flatMap(({ pieces }) => pieces.map(({ chunk }) => chunk.index)),
  );
  const isAllowed = ({ index }: { index: number }) => !shown.has(index);
  const { value: passages } = await readPages(
    edition,
    () => showPassages(edition, lists, { isAllowed, room: FURTHER_ROOM }),
    { signal },
  );
  return { passages, search };
}

/** Length of the passages for what an answer leaves open, in UTF-16 units. */
const FURTHER_ROOM = 8000;

const isOnTopic = ({ hits }: HitList): boolean =>
  hits.some(({ relevance = 0 }) => relevance >= ON_TOPIC_FROM);

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

/** Editions with more articles are not read for their titles. */
const MAX_ARTICLES = 20_000;
/** UTF-16 units of the best article that are read. */
const MAX_LENGTH = 60_000;
/** Articles that count as linked, in the order in which they are named. */
const MAX_LINKED = 4;

/**
 * The lists with one more: the hits in articles to which the best article points, by a link or by a title in words ("see Set up a reverse
 * proxy"). What an article refers to belongs to its answer.
 */
export function withLinked(edition: Edition, lists: readonly HitList[]): readonly HitList[] {
  const best = bestArticle(lists);
  if (best === undefined || edition.articleCount > MAX_ARTICLES) return lists;
  const targets = targetsOf(edition);
  const text = chunksOf(edition, best)
    .map((chunk) => chunk.text)
    .join('\n\n')
    .slice(0, MAX_LENGTH);
  const linked = [...byAddress(text, targets), ...byTitle(text, targets)].filter(
    (index) => index !== best.index,
  );
  const hits = lists.flatMap((list) => list.hits);
  const hitIn = (index: number) => hits.find(({ source }) => source.index === index) ?? [];
  const own = [...new Set(linked)].flatMap(hitIn).slice(0, MAX_LINKED);
  // The best article stays before those that it names.
  return own.length === 0 ? lists : [...lists, { hits: [best.index].flatMap(hitIn).concat(own) }];
}

interface Targets {
  /** Address without query, fragment and slash at the end -> index of the article. */
  addresses: ReadonlyMap<string, number>;
  /** First word of a title -> all words of each title that begins so, with the index of the article. */
  titles: ReadonlyMap<string, readonly { words: readonly string[]; index: number }[]>;
}

const targetsOf = oncePer((edition: Edition): Targets => {
  const addresses = new Map<string, number>();
  const titles = new Map<string, { words: readonly string[]; index: number }[]>();
  for (let index = 0; index < edition.articleCount; index += 1) {
    const { url, title } = edition.article(index);
    if (url !== undefined) addresses.set(bareAddress(url), index);
    const words = wordsOf(title);
    const [first] = words;
    // A single word is a name of the thing more often than of the article.
    if (first === undefined || words.length < 2) continue;
    const alike = titles.get(first) ?? [];
    alike.push({ words, index });
    titles.set(first, alike);
  }
  return { addresses, titles };
});

const bareAddress = (address: string): string =>
  address.replace(/[?#].*$/s, '').replace(/\/+$/, '');

const byAddress = (text: string, { addresses }: Targets): number[] =>
  [...text.matchAll(/\]\(<?(https?:\/\/[^\s)>]{1,2000})/g)].flatMap(
    ([, address = '']) => addresses.get(bareAddress(address)) ?? [],
  );

const byTitle = (text: string, { titles }: Targets): number[] => {
  const words = wordsOf(text);
  return words.flatMap((word, at) =>
    (titles.get(word) ?? [])
      .filter((title) => title.words.every((each, place) => words[at + place] === each))
      .map(({ index }) => index),
  );
};
