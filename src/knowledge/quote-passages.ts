import { createScorer, MAX_SENTENCE_LENGTH, type Passage, type Question, type Scorer } from './score-sentences.ts';
import { type Block, splitBlocks } from './split-blocks.ts';
import { type Span, splitSentences } from './split-sentences.ts';

/** What is quoted: `passages[passage].text.slice(start, end)`. */
export interface Quote extends Span {
  passage: number;
  text: string;
  kind: 'prose' | 'list' | 'table' | 'code';
  /** Higher is better; comparable among the quotes of one question only. */
  score: number;
  /** Share of the question's idf that stands in the quote or above it (title, headings), 0 to 1. */
  coverage: number;
}

/** A list, table or code block longer than this is quoted by its items around the best one. */
export const MAX_BLOCK_LENGTH = 1200;
/**
 * A second sentence joins only when its score is this close to the first. Read on half of the articles: at 2, 3 and 4 the
 * quotes hold 83, 84 and 84 % of the annotated spans in 250, 273 and 294 characters.
 */
const SECOND_WITHIN = 3;

/**
 * Picks what answers a question best: one or two sentences of prose, or a whole list, table or code block with the line
 * that introduces it. The weights are those of the recipe, section 4.
 *
 * @param passages Best first; three are enough (the fourth and fifth add nothing measurable).
 * @returns One or two quotes, in the order they should be read; empty when nothing shares a word with the question.
 */
export const quotePassages = (question: Question, passages: readonly Passage[]): Quote[] => {
  const scorer = createScorer(question, passages);
  const candidates = passages.flatMap((passage, index) => candidatesOf(passage, index, scorer));
  const best = candidates.reduce<Candidate | undefined>(
    (top, each) => (top && top.score >= each.score ? top : each),
    undefined,
  );
  if (!best) return [];
  if (best.kind !== 'prose') return [quoteOf(best, passages)];
  const second = candidates
    .filter((each) => each.kind === 'prose' && each !== best && each.score >= best.score - SECOND_WITHIN)
    .reduce<Candidate | undefined>((top, each) => (top && top.score >= each.score ? top : each), undefined);
  if (!second) return [quoteOf(best, passages)];
  return joinQuotes(best, second, passages);
};

/** A quotable span with its score. */
interface Candidate extends Omit<Quote, 'text'> {
  /** Where in its paragraph it stands; neighbours are read as one quote. */
  next: number | undefined;
}

const quoteOf = ({ passage, start, end, kind, score, coverage }: Candidate, passages: readonly Passage[]): Quote => ({
  passage,
  start,
  end,
  text: passages[passage]?.text.slice(start, end) ?? '',
  kind,
  score,
  coverage,
});

const joinQuotes = (best: Candidate, second: Candidate, passages: readonly Passage[]): Quote[] => {
  if (best.passage !== second.passage) return [best, second].map((each) => quoteOf(each, passages));
  const [first, last] = best.start < second.start ? [best, second] : [second, best];
  if (first.next !== last.start) return [first, last].map((each) => quoteOf(each, passages));
  return [
    quoteOf(
      { ...best, start: first.start, end: last.end, coverage: Math.max(best.coverage, second.coverage) },
      passages,
    ),
  ];
};

const candidatesOf = (passage: Passage, index: number, scorer: Scorer): Candidate[] => {
  const blocks = splitBlocks(passage.text);
  const above = scorer.look([passage.title, ...passage.headingPath].join('\n')).matched;
  const units: Unit[] = [];
  blocks.forEach((block, at) => {
    if (block.kind === 'prose') units.push(...sentenceUnits(passage.text, block, blocks[at + 1]));
    else if (block.kind !== 'heading' && block.kind !== 'raw')
      units.push(...itemUnits(passage.text, block, units.at(-1)));
  });
  const seen = units.map(({ start, end }) => scorer.look(passage.text.slice(start, end)));
  const candidates: Candidate[] = [];
  units.forEach((unit, at) => {
    const text = passage.text.slice(unit.start, unit.end);
    const look = seen[at];
    if (!look || look.matched.size === 0 || !isQuotable(text)) return;
    const neighbours = { previous: seen[at - 1], next: seen[at + 1] };
    const score = scorer.score(look, { ...neighbours, above, text, isFirst: at === 0, isSteps: unit.isSteps, passage });
    const coverage = scorer.shareOf(look.matched, above);
    candidates.push({ passage: index, kind: unit.kind, score, coverage, ...unit.quoted, next: units[at + 1]?.start });
  });
  return candidates;
};

/** A place to score, and what is quoted when it is the best. */
interface Unit extends Span {
  kind: Quote['kind'];
  /** It is, or introduces, numbered steps or code: what "How do I ...?" asks for. */
  isSteps: boolean;
  quoted: Span;
}

const sentenceUnits = (text: string, block: Block, next: Block | undefined): Unit[] => {
  const sentences = splitSentences(text, block).map(({ start, end }) => ({
    start,
    end: Math.min(end, start + MAX_SENTENCE_LENGTH),
  }));
  const opensNext = next !== undefined && isWhole(next) && /:[*_]{0,2}$/.test(text.slice(block.start, block.end));
  return sentences.map((sentence, at) => {
    const introduces = opensNext && at === sentences.length - 1 && next.end - sentence.start <= MAX_BLOCK_LENGTH;
    const quoted = introduces ? { start: sentence.start, end: next.end } : sentence;
    const kind = introduces && next.kind !== 'heading' && next.kind !== 'raw' ? next.kind : 'prose';
    return { ...sentence, kind, isSteps: introduces && isSteps(text, next), quoted };
  });
};

const isSteps = (text: string, { kind, start }: Block) =>
  kind === 'code' || (kind === 'list' && /\d/.test(text[start] ?? ''));

const isWhole = ({ kind }: Block) => kind === 'list' || kind === 'table' || kind === 'code';

const itemUnits = (text: string, block: Block, before: Unit | undefined): Unit[] => {
  const kind = block.kind === 'list' || block.kind === 'table' ? block.kind : 'code';
  const items = block.items.length > 0 ? block.items : [{ start: block.start, end: block.end }];
  const lead = before?.quoted.end === block.end ? before.start : block.start;
  return items.map((item) => {
    const whole = { start: lead, end: block.end };
    const quoted = whole.end - whole.start <= MAX_BLOCK_LENGTH ? whole : aroundItem(text, items, item);
    return { ...item, kind, isSteps: isSteps(text, block), quoted };
  });
};

/** Whole items before and after one, as many as fit; an item too long by itself is cut at a line. */
const aroundItem = (text: string, items: readonly Span[], item: Span): Span => {
  let { start, end } = item;
  let first = items.indexOf(item);
  let last = first;
  for (;;) {
    const after = items[last + 1];
    const before = items[first - 1];
    if (after && after.end - start <= MAX_BLOCK_LENGTH) {
      end = after.end;
      last += 1;
    } else if (before && end - before.start <= MAX_BLOCK_LENGTH) {
      start = before.start;
      first -= 1;
    } else break;
  }
  if (end - start <= MAX_BLOCK_LENGTH) return { start, end };
  const line = text.lastIndexOf('\n', start + MAX_BLOCK_LENGTH);
  return { start, end: line > start ? line : start + MAX_BLOCK_LENGTH };
};

/** Links that run code have no place in an answer, whatever shows it. */
const isQuotable = (text: string) => !/\]\(\s*<?\s*(?:javascript|vbscript|data):/i.test(text);
