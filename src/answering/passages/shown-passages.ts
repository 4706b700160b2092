import type { Reranker } from '../../ai/reranker.ts';
import { type Block, parseBlocks } from '../../documents/markdown/blocks.ts';
import {
  type CachedChunk,
  cachedChunk,
  type Edition,
  type EditionArticle,
} from '../../knowledge/edition/open-edition.ts';
import { CODE_SPAN } from '../../language/outside-code.ts';
import type { Span } from '../../language/split-sentences.ts';
import { startDeadline } from '../../platform/http/deadline.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { Passage } from '../model/answer-prompt.ts';
import { hasPromptInjection, isInjectionName } from '../model/prompt-injection.ts';

/** A passage as it is shown to a model: whole sections of one article. */
export interface ShownPassage extends Passage {
  source: EditionArticle;
  /** The parts of the passage's text that come from chunks, in order; headings between them belong to no piece. */
  pieces: readonly Piece[];
}

interface Piece {
  chunk: CachedChunk;
  /** Position in the text of the passage. */
  start: number;
  /** Range in the text of the chunk. */
  part: Span;
}

/** A chunk that may contain the answer. */
export interface PassageHit {
  chunk: number;
  source: EditionArticle;
  /** Probability that the chunk answers, 0 to 1; 0 when absent. */
  relevance?: number | undefined;
}

/** Hits of one search, best first. */
export interface HitList {
  hits: readonly PassageHit[];
  /** The part of the question that was searched for, from 0; absent for the question as a whole. */
  part?: number | undefined;
}

const MAX_PASSAGES = 8;
/** Per passage, in UTF-16 units. */
const MAX_PASSAGE_LENGTH = 4500;
/** Length of all passages. */
const ROOM = 12_500;
/** Share of the room up to the first article, the second, … A short article leaves its room to the next. */
const ROOM_UP_TO = [0.54, 0.75, 0.9, 1] as const;
const MAX_ARTICLES = 8;
/** Passages of an article that is not shown whole: the first, the second, … */
const PASSAGES_OF = [3, 2, 2, 1] as const;
/** From this place on, an article is shown only with this relevance. Lower ones are there for single words. */
const FLOOR = { place: 3, relevance: 0.02 };
/** Less room than this holds nothing of use. */
const LEAST_ROOM = 300;

/**
 * The parts of articles that a model reads. The best article of all lists comes first, then the best of each part of the question, then
 * the rest by rank. A short article is shown whole; of a long one the sections of its hits, with what stands below and beside them, in the
 * order of the article. Hidden parts (`hiddenIn`) are omitted.
 *
 * @param options.isAllowed Other chunks are not shown.
 * @param options.room Length of all passages, in UTF-16 units; `ROOM` when absent.
 */
export function showPassages(
  edition: Edition,
  lists: readonly HitList[],
  {
    isAllowed = () => true,
    room = ROOM,
  }: { isAllowed?: (chunk: CachedChunk) => boolean; room?: number } = {},
): ShownPassage[] {
  const passages: ShownPassage[] = [];
  let used = 0;
  let place = 0;
  for (const { source, hits, relevance } of rankArticles(lists).slice(0, MAX_ARTICLES)) {
    if (passages.length === MAX_PASSAGES) break;
    if (place >= FLOOR.place && relevance < FLOOR.relevance) continue;
    const left = room * (ROOM_UP_TO[place] ?? ROOM_UP_TO[3]) - used;
    if (left < LEAST_ROOM) continue;
    const chunks = chunksOf(edition, source).filter(
      (chunk) => !isNamedByInjection(chunk) && isAllowed(chunk),
    );
    const isWhole = lengthOf(chunks) <= left;
    const chosen = isWhole ? chunks : piecesOf(chunks, hits, left);
    const limit = Math.min(
      MAX_PASSAGES - passages.length,
      isWhole ? MAX_PASSAGES : (PASSAGES_OF[place] ?? 1),
    );
    const own = inPassages(chosen, withIntroductions(chunks, hits), limit).flatMap(
      (part) => passageOf({ id: '', source, chunks: part, edition }) ?? [],
    );
    if (own.length === 0) continue;
    const isPart = !isWhole || own.some(({ isCut }) => isCut);
    passages.push(...own.map((passage) => ({ ...passage, isPart })));
    used += own.reduce((sum, { text }) => sum + text.length, 0);
    place += 1;
  }
  return passages.map((passage, at) => ({ ...passage, id: `p${at + 1}` }));
}

interface RankedArticle {
  source: EditionArticle;
  /** Chunks in the order of their best rank. */
  hits: readonly number[];
  /** That of its best hit. */
  relevance: number;
}

/**
 * Reciprocal rank fusion: an article counts 1 / (this + rank of its best hit) in each list, as much as the list itself counts: where a
 * question has other words than the articles, what its own words find must not outweigh what the model's queries find.
 */
const RANK_OFFSET = 3;
/** Weight of a list: how probably its best hit answers, and this for the order of the others. */
const LEAST_WEIGHT = 0.1;

const rankArticles = (lists: readonly HitList[]): RankedArticle[] => {
  const all = [...scoresIn(lists)].sort(([, one], [, other]) => other.score - one.score);
  const parts = [...new Set(lists.flatMap(({ part }) => part ?? []))];
  const seats = [
    all[0]?.[0],
    ...parts.map((part) => {
      const own = [...scoresIn(lists.filter((list) => list.part === part))];
      return own.sort(([, one], [, other]) => other.score - one.score)[0]?.[0];
    }),
  ];
  const order = new Set([
    ...seats.filter((article) => article !== undefined),
    ...all.map(([article]) => article),
  ]);
  const byArticle = new Map(all);
  return [...order].flatMap((article) => {
    const found = byArticle.get(article);
    if (found === undefined) return [];
    const hits = [...found.ranks].sort(([, one], [, other]) => one - other).map(([chunk]) => chunk);
    return [{ source: found.source, hits, relevance: found.relevance }];
  });
};

const scoresIn = (lists: readonly HitList[]) => {
  const found = new Map<
    number,
    { source: EditionArticle; score: number; ranks: Map<number, number>; relevance: number }
  >();
  for (const { hits } of lists) {
    const seen = new Set<number>();
    const weight = LEAST_WEIGHT + Math.max(0, ...hits.map(({ relevance = 0 }) => relevance));
    hits.forEach(({ chunk, source, relevance = 0 }, rank) => {
      const own = found.get(source.index) ?? {
        source,
        score: 0,
        ranks: new Map<number, number>(),
        relevance: 0,
      };
      found.set(source.index, own);
      own.relevance = Math.max(own.relevance, relevance);
      own.ranks.set(chunk, Math.min(rank, own.ranks.get(chunk) ?? rank));
      if (seen.has(source.index)) return;
      own.score += weight / (RANK_OFFSET + seen.size);
      seen.add(source.index);
    });
  }
  return found;
};

/** The article that is shown first. */
export function bestArticle(lists: readonly HitList[]): EditionArticle | undefined {
  return rankArticles(lists)[0]?.source;
}

export function chunksOf(
  edition: Edition,
  { firstChunk, endChunk }: EditionArticle,
): CachedChunk[] {
  return Array.from({ length: endChunk - firstChunk }, (_, at) =>
    cachedChunk(edition, firstChunk + at),
  );
}

/** Consecutive chunks under the same heading. */
const sectionsIn = (chunks: readonly CachedChunk[]): CachedChunk[][] => {
  const sections: CachedChunk[][] = [];
  for (const chunk of chunks) {
    const last = sections.at(-1);
    if (last?.[0] !== undefined && isSamePath(last[0].headingPath, chunk.headingPath))
      last.push(chunk);
    else sections.push([chunk]);
  }
  return sections;
};

const isSamePath = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && isBelow(one, other);

/**
 * The chunks to show of an article that is too long: those of the best hits, then for each hit its section with the sections below it and
 * those that follow under the same heading (what fixes a symptom stands behind it), then the ones before and around. Of a section that is
 * too long itself, the chunks around the hit.
 */
const piecesOf = (
  chunks: readonly CachedChunk[],
  hits: readonly number[],
  room: number,
): CachedChunk[] => {
  const sections = sectionsIn(chunks);
  const taken = new Set<CachedChunk>();
  let left = room;
  const take = (section: readonly CachedChunk[] | undefined, hit?: number): void => {
    const open = (section ?? []).filter((chunk) => !taken.has(chunk));
    const own =
      lengthOf(open) <= MAX_PASSAGE_LENGTH
        ? open
        : windowAround(section ?? [], hit).filter((chunk) => !taken.has(chunk));
    if (lengthOf(own) > left) return;
    for (const chunk of own) taken.add(chunk);
    left -= lengthOf(own);
  };
  const places = hits.flatMap((hit) => {
    const at = sections.findIndex((section) => section.some(({ index }) => index === hit));
    return at < 0 ? [] : [{ hit, at, path: sections[at]?.[0]?.headingPath ?? [] }];
  });
  for (const { hit, at } of places.slice(0, FIRST_HITS))
    take(sections[at]?.filter(({ index }) => index === hit));
  for (const { hit, at, path } of places) {
    take(sections[at], hit);
    // What stands directly under the headings above holds for all below them: how each of these commands is run.
    for (const section of sections) if (isAbove(section[0]?.headingPath ?? [], path)) take(section);
    const further = sections.slice(at + 1);
    const end =
      path.length === 0
        ? 0
        : further.findIndex(([first]) => !isBelow(first?.headingPath ?? [], path));
    for (const section of further.slice(0, end < 0 ? undefined : end)) take(section);
    const beside = further
      .slice(end < 0 ? further.length : end)
      .filter(([first]) => isBeside(first, path));
    for (const section of beside.slice(0, BESIDE)) take(section);
  }
  for (const { at } of places) for (const near of [at + 1, at - 1]) take(sections[near]);
  return chunks.filter((chunk) => taken.has(chunk));
};

/** Hits whose own chunks come before what stands around any of them. */
const FIRST_HITS = 3;
/** Sections that follow under the same heading: the cause and the fix after a symptom. */
const BESIDE = 2;

const isBeside = (chunk: CachedChunk | undefined, path: readonly string[]): boolean =>
  path.length > 0 && chunk !== undefined && isBelow(chunk.headingPath, path.slice(0, -1));

/** Hits, each before what stands directly under the headings above it. */
const withIntroductions = (chunks: readonly CachedChunk[], hits: readonly number[]): number[] => {
  const byIndex = new Map(chunks.map((chunk) => [chunk.index, chunk]));
  return hits.flatMap((hit) => {
    const path = byIndex.get(hit)?.headingPath ?? [];
    return [
      hit,
      ...chunks.filter(({ headingPath }) => isAbove(headingPath, path)).map(({ index }) => index),
    ];
  });
};

const isAbove = (path: readonly string[], below: readonly string[]): boolean =>
  path.length < below.length && isBelow(below, path);

const isBelow = (path: readonly string[], above: readonly string[]): boolean =>
  above.every((heading, at) => path[at] === heading);

const lengthOf = (chunks: readonly CachedChunk[]): number =>
  chunks.reduce((sum, { text }) => sum + Math.min(text.length, MAX_PASSAGE_LENGTH) + 40, 0);

/** The chunk of the hit with adjacent chunks that fit, following ones first; the beginning without a hit. */
const windowAround = (section: readonly CachedChunk[], hit?: number): readonly CachedChunk[] => {
  const at = Math.max(
    0,
    section.findIndex(({ index }) => index === hit),
  );
  let [from, to] = [at, at + 1];
  for (;;) {
    if (to < section.length && lengthOf(section.slice(from, to + 1)) <= MAX_PASSAGE_LENGTH) to += 1;
    else if (from > 0 && lengthOf(section.slice(from - 1, to)) <= MAX_PASSAGE_LENGTH) from -= 1;
    else return section.slice(from, to);
  }
};

/** Chunks that follow each other, in passages of bounded length; whole sections together where they fit. With hits before others. */
const inPassages = (
  chunks: readonly CachedChunk[],
  hits: readonly number[],
  limit: number,
): CachedChunk[][] => {
  const passages: CachedChunk[][] = [];
  for (const section of sectionsIn(chunks)) {
    const parts =
      lengthOf(section) <= MAX_PASSAGE_LENGTH ? [section] : section.map((chunk) => [chunk]);
    for (const part of parts) {
      const last = passages.at(-1);
      const isNext = last?.at(-1)?.index === (part[0]?.index ?? 0) - 1;
      if (last !== undefined && isNext && lengthOf([...last, ...part]) <= MAX_PASSAGE_LENGTH)
        last.push(...part);
      else passages.push([...part]);
    }
  }
  if (passages.length <= limit) return passages;
  const rankOf = (passage: readonly CachedChunk[]): number =>
    Math.min(
      ...passage.map(({ index }) =>
        hits.includes(index) ? hits.indexOf(index) : Number.POSITIVE_INFINITY,
      ),
    );
  const best = passages.toSorted((one, other) =>
    rankOf(one) < rankOf(other) ? -1 : rankOf(one) > rankOf(other) ? 1 : 0,
  );
  const shown = new Set(best.slice(0, limit));
  return passages.filter((passage) => shown.has(passage));
};

/** Hits per call of the reranker. */
const MAX_CANDIDATES = 24;
/** A reranker takes some 100 to 300 ms; after this timeout the search order is used. */
const RERANK_MS = 800;

/** The first hits in the order of a reranker, or in search order when it is late or fails. */
export async function rerankHits(
  edition: Edition,
  hits: readonly PassageHit[],
  {
    question,
    reranker,
    signal,
  }: { question: string; reranker: Reranker; signal?: AbortSignal | undefined },
): Promise<readonly PassageHit[]> {
  const candidates = hits.slice(0, MAX_CANDIDATES);
  const deadline = startDeadline({ timeoutMs: RERANK_MS, signal });
  try {
    const texts = candidates.map(({ chunk, source }) => {
      const { headingPath, text } = cachedChunk(edition, chunk);
      return [source.title, ...headingPath, text].join('\n');
    });
    const scores = await deadline.race(reranker.rank(question, texts, { signal: deadline.signal }));
    const order = candidates
      .map((_, at) => at)
      .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
    return order.flatMap((at) => candidates[at] ?? []);
  } catch {
    return hits;
  } finally {
    deadline.end();
  }
}

/** Whether its last section continues after the shown text. */
const goesOn = (edition: Edition, source: EditionArticle, { part, chunk }: Piece): boolean => {
  if (part.end < (hiddenIn(chunk)[0]?.start ?? chunk.text.length)) return true;
  const next = chunk.index + 1;
  return (
    next < source.endChunk && edition.index.headingOf(next) === edition.index.headingOf(chunk.index)
  );
};

const passageOf = ({
  id,
  source,
  chunks,
  edition,
}: {
  id: string;
  source: EditionArticle;
  chunks: readonly CachedChunk[];
  edition: Edition;
}): ShownPassage | undefined => {
  const headings = commonPath(chunks);
  const pieces: Piece[] = [];
  let text = '';
  let above: readonly string[] = headings;
  for (const chunk of chunks) {
    const parts = shownParts(chunk, MAX_PASSAGE_LENGTH - text.length);
    if (parts.length === 0) continue;
    text += headingLines(above, chunk.headingPath, text === '' ? '' : '\n\n');
    above = chunk.headingPath;
    for (const part of parts) {
      if (text !== '' && !text.endsWith('\n')) text += '\n\n';
      pieces.push({ chunk, start: text.length, part });
      text += chunk.text.slice(part.start, part.end);
    }
  }
  const last = pieces.at(-1);
  if (last === undefined) return undefined;
  const { title, devices, lastUpdated } = source;
  const isCut = goesOn(edition, source, last);
  return {
    id,
    articleId: source.id,
    title,
    headings,
    text,
    devices,
    updated: lastUpdated,
    source,
    pieces,
    isCut,
  };
};

const commonPath = ([first, ...others]: readonly CachedChunk[]): string[] => {
  const path = first?.headingPath ?? [];
  const end = path.findIndex((heading, at) =>
    others.some(({ headingPath }) => headingPath[at] !== heading),
  );
  return end < 0 ? path : path.slice(0, end);
};

/** The headings that begin between two chunks, as Markdown. */
const headingLines = (
  above: readonly string[],
  path: readonly string[],
  before: string,
): string => {
  const same = path.findIndex((heading, at) => above[at] !== heading);
  if (same < 0) return '';
  const lines = path
    .slice(same)
    .map((heading, at) => `${'#'.repeat(Math.min(6, same + at + 2))} ${heading}`);
  return `${before}${lines.join('\n\n')}\n\n`;
};

/** The parts of a chunk between the hidden parts, up to the bound. */
const shownParts = (chunk: CachedChunk, room: number): Span[] => {
  const parts: Span[] = [];
  let start = 0;
  for (const hidden of [...hiddenIn(chunk), { start: chunk.text.length, end: chunk.text.length }]) {
    if (hidden.start > start) parts.push({ start, end: hidden.start });
    start = Math.max(start, hidden.end);
  }
  let left = room;
  return parts.flatMap((part) => {
    const end = cutBefore(chunk.text, part, Math.max(0, left));
    left -= Math.max(0, end - part.start);
    return chunk.text.slice(part.start, end).trim() === '' ? [] : [{ start: part.start, end }];
  });
};

/** The end of a part within a length: between lines, else between words. */
const cutBefore = (text: string, { start, end }: Span, length: number): number => {
  if (end - start <= length) return end;
  const shown = text.slice(start, start + length);
  const line = shown.lastIndexOf('\n');
  const at = line > length / 2 ? line : Math.max(line, shown.search(/\s\S*$/));
  return start + (at > 0 ? at : length);
};

/** Ranges in chunks of a span of a passage's text; empty for headings between them. */
export function placesInChunks(
  { pieces }: ShownPassage,
  { start, end }: Span,
): (Span & { chunk: CachedChunk })[] {
  return pieces.flatMap(({ chunk, start: offset, part }) => {
    const from = Math.max(start, offset) - offset + part.start;
    const to = Math.min(end, offset + part.end - part.start) - offset + part.start;
    return to > from ? [{ chunk, start: from, end: to }] : [];
  });
}

const injectedNames = oncePer(({ id, title, devices }: EditionArticle) => ({
  is: [id, title, ...devices].some(isInjectionName),
}));
/** Whether the article's title or a heading above the chunk is a prompt injection. */
export function isNamedByInjection({ headingPath, source }: CachedChunk): boolean {
  return hasInjectionName(source) || headingPath.some(isInjectionName);
}

const hasInjectionName = (article: EditionArticle): boolean => injectedNames(article).is;

/** Whether a span overlaps one of several. */
export function overlaps(spans: readonly Span[], { start, end }: Span): boolean {
  return spans.some((span) => start < span.end && end > span.start);
}

/** Comments of HTML that begin outside code; in code a reader sees them. */
function commentsIn(text: string, blocks: readonly Block[]): Span[] {
  if (!text.includes('<!--')) return [];
  const code: Span[] = [
    ...blocks.filter(({ kind }) => kind === 'code'),
    ...[...text.matchAll(CODE_SPAN)].map(({ 0: all, index }) => ({
      start: index,
      end: index + all.length,
    })),
  ];
  const comments: Span[] = [];
  for (let at = text.indexOf('<!--'); at >= 0; ) {
    const codeSpan = code.find(({ start, end }) => start <= at && at < end);
    const close = text.indexOf('-->', at);
    const end = codeSpan?.end ?? (close < 0 ? text.length : close + '-->'.length);
    if (codeSpan === undefined) comments.push({ start: at, end });
    at = text.indexOf('<!--', end);
  }
  return comments;
}

/**
 * Parts of a chunk's text that are not shown, in order: invisible blocks (comments, scripts), and everything from the first prompt
 * injection on.
 */
export const hiddenIn: (chunk: CachedChunk) => readonly Span[] = oncePer(
  ({ text, headingPath }: CachedChunk) => {
    const blocks = parseBlocks(text);
    const comments = commentsIn(text, blocks);
    // The heading is checked together with its block: "### System:" above "You are ...".
    const heading = headingPath.at(-1) ?? '';
    const fullText = (start: number, end: number) =>
      `${start === blocks[0]?.start ? `${heading}\n` : ''}${text.slice(start, end)}`;
    const first =
      blocks.find(({ start, end }) => hasPromptInjection(fullText(start, end)))?.start ??
      (hasPromptInjection(text) ? 0 : -1);
    const raw = blocks
      .filter(({ kind }) => kind === 'raw')
      .map(({ start, end }) => ({ start, end }));
    const hidden = [
      ...raw,
      ...comments,
      ...(first < 0 ? [] : [{ start: first, end: text.length }]),
    ];
    return hidden.sort((one, other) => one.start - other.start);
  },
);
