import type { Reranker } from '../ai/reranker.ts';
import { startDeadline } from '../http/deadline.ts';
import { splitBlocks } from '../markup/split-blocks.ts';
import { oncePer } from '../runtime/once-per.ts';
import { type CachedChunk, cachedChunk, type Edition, type EditionArticle } from '../search/open-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import type { Passage } from './answer-prompt.ts';
import { hasPromptInjection, isInjectionName } from './prompt-injection.ts';

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
}

const MAX_PASSAGES = 12;
/** Per passage, in UTF-16 units. */
const MAX_PASSAGE_LENGTH = 3000;
const MAX_TOTAL_LENGTH = 24_000;
/** Leaves room for other articles when all sections of a long one match. */
const MAX_PASSAGES_PER_ARTICLE = 4;

/**
 * The sections that contain the hits, best first. Each grows to the largest part of the article's outline that fits the bound, a short
 * article to all of it; a section that is too long is cut to the chunks around the hit. Hidden parts (`hiddenIn`) are omitted.
 *
 * @param options.isAllowed Other chunks are not shown.
 */
export const showPassages = (
  edition: Edition,
  hits: readonly PassageHit[],
  { isAllowed = () => true }: { isAllowed?: (chunk: CachedChunk) => boolean } = {},
): ShownPassage[] => withinBounds(candidatesOf(edition, hits, { limit: MAX_PASSAGES, isAllowed }));

/** Passages per call of the reranker. */
const MAX_CANDIDATES = 24;
/** A reranker takes some 100 to 300 ms; after this timeout the search order is used. */
const RERANK_MS = 800;

/** The same in the order of a reranker, or in search order when it is late or fails. */
export const rerankPassages = async (
  edition: Edition,
  hits: readonly PassageHit[],
  { question, reranker, signal }: { question: string; reranker: Reranker; signal?: AbortSignal | undefined },
): Promise<ShownPassage[]> => {
  const candidates = candidatesOf(edition, hits, { limit: MAX_CANDIDATES, isAllowed: () => true });
  const deadline = startDeadline({ timeoutMs: RERANK_MS, signal });
  try {
    const texts = candidates.map(({ title, headings, text }) => [title, ...headings, text].join('\n'));
    const scores = await deadline.race(reranker.rank(question, texts, { signal: deadline.signal }));
    const order = candidates.map((_, at) => at).sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
    return withinBounds(order.flatMap((at) => candidates[at] ?? []));
  } catch {
    return withinBounds(candidates);
  } finally {
    deadline.end();
  }
};

/** The first passages that fit, numbered in order. */
const withinBounds = (passages: readonly ShownPassage[]): ShownPassage[] => {
  let room = MAX_TOTAL_LENGTH;
  const fitting = passages.filter(({ text }) => {
    if (text.length > room) return false;
    room -= text.length;
    return true;
  });
  return fitting.slice(0, MAX_PASSAGES).map((passage, at) => ({ ...passage, id: `p${at + 1}` }));
};

interface CandidateOptions {
  limit: number;
  isAllowed: (chunk: CachedChunk) => boolean;
}

const candidatesOf = (
  edition: Edition,
  hits: readonly PassageHit[],
  { limit, isAllowed }: CandidateOptions,
): ShownPassage[] => {
  const shown = new Set<number>();
  const perArticle = new Map<number, number>();
  const passages: ShownPassage[] = [];
  for (const hit of hits) {
    const count = perArticle.get(hit.source.index) ?? 0;
    if (passages.length === limit) break;
    if (shown.has(hit.chunk) || count === MAX_PASSAGES_PER_ARTICLE) continue;
    if (!isAllowed(cachedChunk(edition, hit.chunk))) continue;
    const chunks = sectionAround(edition, hit).filter((chunk) => !shown.has(chunk.index) && isAllowed(chunk));
    const passage = passageOf({ id: `p${passages.length + 1}`, source: hit.source, chunks });
    for (const { index } of chunks) shown.add(index);
    if (passage === undefined) continue;
    if (goesOn(edition, passage)) passage.isCut = true;
    perArticle.set(hit.source.index, count + 1);
    passages.push(passage);
  }
  return passages;
};

/** Whether its last section continues after the shown text. */
const goesOn = (edition: Edition, { source, pieces }: ShownPassage): boolean => {
  const last = pieces.at(-1);
  if (last === undefined) return false;
  if (last.part.end < (hiddenIn(last.chunk)[0]?.start ?? last.chunk.text.length)) return true;
  const next = last.chunk.index + 1;
  return next < source.endChunk && edition.index.headingOf(next) === edition.index.headingOf(last.chunk.index);
};

/** The chunks of the hit's section, extended to the sections above it while they fit. */
const sectionAround = (edition: Edition, { chunk: index, source }: PassageHit): CachedChunk[] => {
  const own = cachedChunk(edition, index);
  const all = Array.from({ length: source.endChunk - source.firstChunk }, (_, at) =>
    cachedChunk(edition, source.firstChunk + at),
  ).filter((chunk) => !isNamedByInjection(chunk));
  for (let depth = 0; depth <= own.headingPath.length; depth++) {
    const section = all.filter(({ headingPath }) => isBelow(headingPath, own.headingPath.slice(0, depth)));
    if (lengthOf(section) <= MAX_PASSAGE_LENGTH) return section;
  }
  return windowAround(
    own,
    all.filter(({ headingPath }) => headingPath.join('\n') === own.headingPath.join('\n')),
  );
};

const isBelow = (path: readonly string[], above: readonly string[]): boolean =>
  above.every((heading, at) => path[at] === heading);

const lengthOf = (chunks: readonly CachedChunk[]): number =>
  chunks.reduce((sum, { text }) => sum + text.length + 40, 0);

/** The chunk with adjacent chunks that fit, following ones first. */
const windowAround = (own: CachedChunk, section: readonly CachedChunk[]): CachedChunk[] => {
  const at = section.findIndex(({ index }) => index === own.index);
  let [from, to] = [at, at + 1];
  for (;;) {
    if (to < section.length && lengthOf(section.slice(from, to + 1)) <= MAX_PASSAGE_LENGTH) to += 1;
    else if (from > 0 && lengthOf(section.slice(from - 1, to)) <= MAX_PASSAGE_LENGTH) from -= 1;
    else return section.slice(from, to);
  }
};

const passageOf = ({
  id,
  source,
  chunks,
}: {
  id: string;
  source: EditionArticle;
  chunks: readonly CachedChunk[];
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
  if (pieces.length === 0) return undefined;
  const { title, devices, lastUpdated } = source;
  return { id, title, headings, text, devices, updated: lastUpdated, source, pieces };
};

const commonPath = ([first, ...others]: readonly CachedChunk[]): string[] => {
  const path = first?.headingPath ?? [];
  const end = path.findIndex((heading, at) => others.some(({ headingPath }) => headingPath[at] !== heading));
  return end < 0 ? path : path.slice(0, end);
};

/** The headings that begin between two chunks, as Markdown. */
const headingLines = (above: readonly string[], path: readonly string[], before: string): string => {
  const same = path.findIndex((heading, at) => above[at] !== heading);
  if (same < 0) return '';
  const lines = path.slice(same).map((heading, at) => `${'#'.repeat(Math.min(6, same + at + 2))} ${heading}`);
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
    const end = Math.min(part.end, part.start + Math.max(0, left));
    left -= Math.max(0, end - part.start);
    return chunk.text.slice(part.start, end).trim() === '' ? [] : [{ start: part.start, end }];
  });
};

/** Ranges in chunks of a span of a passage's text; empty for headings between them. */
export const placesInChunks = ({ pieces }: ShownPassage, { start, end }: Span): (Span & { chunk: CachedChunk })[] =>
  pieces.flatMap(({ chunk, start: offset, part }) => {
    const from = Math.max(start, offset) - offset + part.start;
    const to = Math.min(end, offset + part.end - part.start) - offset + part.start;
    return to > from ? [{ chunk, start: from, end: to }] : [];
  });

const injectedNames = oncePer(({ id, title, devices }: EditionArticle) => ({
  is: [id, title, ...devices].some(isInjectionName),
}));
/** Whether the article's title or a heading above the chunk is a prompt injection. */
export const isNamedByInjection = ({ headingPath, source }: CachedChunk): boolean =>
  hasInjectionName(source) || headingPath.some(isInjectionName);

const hasInjectionName = (article: EditionArticle): boolean => injectedNames(article).is;

/** Whether a span overlaps one of several. */
export const overlaps = (spans: readonly Span[], { start, end }: Span): boolean =>
  spans.some((span) => start < span.end && end > span.start);

/**
 * Parts of a chunk's text that are not shown, in order: invisible blocks (comments, scripts), and everything from the first prompt
 * injection on.
 */
export const hiddenIn: (chunk: CachedChunk) => readonly Span[] = oncePer(({ text, headingPath }: CachedChunk) => {
  const blocks = splitBlocks(text);
  const comments = [...text.matchAll(/<!--[\s\S]*?(?:-->|$)/g)].map(({ 0: all, index }) => ({
    start: index,
    end: index + all.length,
  }));
  // The heading is checked together with its block: "### System:" above "You are ...".
  const heading = headingPath.at(-1) ?? '';
  const fullText = (start: number, end: number) =>
    `${start === blocks[0]?.start ? `${heading}\n` : ''}${text.slice(start, end)}`;
  const first =
    blocks.find(({ start, end }) => hasPromptInjection(fullText(start, end)))?.start ??
    (hasPromptInjection(text) ? 0 : -1);
  const raw = blocks.filter(({ kind }) => kind === 'raw').map(({ start, end }) => ({ start, end }));
  const hidden = [...raw, ...comments, ...(first < 0 ? [] : [{ start: first, end: text.length }])];
  return hidden.sort((one, other) => one.start - other.start);
});
