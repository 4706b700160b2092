import type { Tokenizer } from '../ai/tokenizer.ts';
import type { ContextResult } from '../contract/context-result.ts';
import type { ContextTemplate } from '../contract/context-template.ts';
import type { SearchResult } from '../contract/memory.ts';
import { renderMemory, withMetadata } from './templates.ts';

/**
 * Memories -> text within a number of tokens (seed 002, Formatter). The budget covers the whole text, with header, separators and
 * footer, and holds for the count of the whole text, whatever the tokenizer makes of borders.
 *
 * Memories come best first; from the first one that does not fit, all are left out. When that is the best one, its content is
 * cut after a word. Where not even that fits, or there are no memories, the context is empty, without header and footer.
 */
export class ContextFormatter {
  readonly #tokenizer: Tokenizer;

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** @param tokenBudget Tokens at most. `truncated` tells whether a memory was left out or cut. */
  format(memories: SearchResult[], template: ContextTemplate, tokenBudget: number): ContextResult {
    const { context, included, isCut } = this.#fit(memories, template, tokenBudget);
    return {
      context,
      tokenCount: this.estimateTokens(context),
      memories: memories.slice(0, included),
      truncated: isCut || included < memories.length,
      template: template.name,
    };
  }

  /** What the tokenizer counts: exact with the model's vocabulary, estimated with characters. */
  estimateTokens(text: string): number {
    return this.#tokenizer.count(text);
  }

  /** The memories that `format` puts into the text; the only one of them may be cut there. */
  truncateToFit(memories: SearchResult[], template: ContextTemplate, tokenBudget: number): SearchResult[] {
    return memories.slice(0, this.#fit(memories, template, tokenBudget).included);
  }

  /**
   * Counts each memory once, with the separator before it, to guess how many fit, then counts the whole text for the guess and
   * its neighbours: at a border two tokens may become one, or one two, so that a sum proves nothing.
   */
  #fit(memories: SearchResult[], template: ContextTemplate, tokenBudget: number): Fit {
    const texts = memoryTexts(memories, withMetadata(template, undefined));
    const most = searchMost(this.#guess(texts, memories.length, tokenBudget), {
      upTo: memories.length,
      costOf: (count) => this.estimateTokens(texts.first(count)),
      budget: tokenBudget,
    });
    if (most > 0) return { context: texts.first(most), included: most, isCut: false };
    return this.#fitBeginning(memories[0], withMetadata(template, undefined), tokenBudget);
  }

  #guess(texts: MemoryTexts, upTo: number, tokenBudget: number): number {
    let left = tokenBudget - this.estimateTokens(texts.header + texts.footer);
    for (let place = 0; place < upTo; place += 1) {
      left -= this.estimateTokens(texts.part(place));
      if (left < 0) return place;
    }
    return upTo;
  }

  /** The best memory alone, as much of it as there is room for. */
  #fitBeginning(memory: SearchResult | undefined, template: ContextTemplate, tokenBudget: number): Fit {
    if (memory === undefined) return NOTHING;
    const { content } = memory.memory;
    const { header = '', footer = '' } = template;
    const cutTo = (length: number): string =>
      header + renderMemory(template, memory, cutText(content, length)) + footer;
    const upTo = Math.min(content.length - 1, tokenBudget * MAX_CHARACTERS_PER_TOKEN);
    const length = searchMost(Math.min(upTo, tokenBudget * LIKELY_CHARACTERS_PER_TOKEN), {
      upTo,
      costOf: (cut) => this.estimateTokens(cutTo(cut)),
      budget: tokenBudget,
    });
    if (cutText(content, length) === '') return NOTHING;
    return { context: cutTo(length), included: 1, isCut: true };
  }
}

interface Fit {
  context: string;
  included: number;
  isCut: boolean;
}

const NOTHING: Fit = { context: '', included: 0, isCut: false };

/** Tokens of longer texts are runs of blanks, which nobody misses. It bounds what is counted. */
const MAX_CHARACTERS_PER_TOKEN = 16;
const LIKELY_CHARACTERS_PER_TOKEN = 4;

interface MemoryTexts {
  header: string;
  footer: string;
  /** The memory at this place with the separator before it. */
  part(place: number): string;
  /** The whole text of the first memories; nothing for none. */
  first(count: number): string;
}

/** Texts are made when they are asked for: most of many memories do not fit. */
const memoryTexts = (memories: readonly SearchResult[], template: ContextTemplate): MemoryTexts => {
  const { header = '', footer = '', separator } = template;
  const parts: string[] = [];
  const part = (place: number): string => {
    const memory = memories[place];
    const text =
      parts[place] ?? (memory === undefined ? '' : (place > 0 ? separator : '') + renderMemory(template, memory));
    parts[place] = text;
    return text;
  };
  const first = (count: number): string => {
    if (count === 0) return '';
    let text = header;
    for (let place = 0; place < count; place += 1) text += part(place);
    return text + footer;
  };
  return { header, footer, part, first };
};

/** Guesses by proportion before halving. */
const PROPORTIONAL_GUESSES = 4;

/**
 * The most that costs no more than the budget, from 0 to `upTo`; 0 is not asked about, and what it returns was. It looks beside
 * the guess first, then where the cost leads if it grows evenly, then halfway, and never far beyond what is known to fit: to ask is
 * to count a text of that size.
 */
const searchMost = (guess: number, { upTo, costOf, budget }: Search): number => {
  let enough = 0;
  let tooMuch = upTo + 1;
  let next = Math.max(1, guess);
  for (let asked = 1; tooMuch - enough > 1; asked += 1) {
    const cost = costOf(next);
    if (cost <= budget) enough = next;
    else tooMuch = next;
    const halfway = enough + ((tooMuch - enough) >> 1);
    const better = asked <= PROPORTIONAL_GUESSES ? Math.floor((next * budget) / Math.max(1, cost)) : halfway;
    const near = enough === 0 ? better : Math.min(better, 2 * enough);
    next = Math.min(Math.max(near, enough + 1), tooMuch - 1);
  }
  return enough;
};

interface Search {
  upTo: number;
  costOf: (count: number) => number;
  budget: number;
}

const ELLIPSIS = '…';
/** How far back a blank is looked for; text without one near is cut where it is. */
const MAX_WORD_LENGTH = 80;

/**
 * The beginning of a text, to the end of a word where one is near, and an ellipsis. Surrogate pairs stay whole.
 *
 * @param maxLength UTF-16 units at most, the ellipsis not counted.
 * @returns The text itself when it is not longer, and nothing when nothing visible is left.
 */
export const cutText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const beginning = text.slice(0, wordEnd(text, maxLength)).trimEnd();
  return beginning === '' ? '' : beginning + ELLIPSIS;
};

const wordEnd = (text: string, maxLength: number): number => {
  if (/\s/.test(text.charAt(maxLength))) return maxLength;
  const from = Math.max(0, maxLength - MAX_WORD_LENGTH);
  const blank = text.slice(from, maxLength).search(/\s\S*$/);
  if (blank >= 0 && from + blank > 0) return from + blank;
  const isInPair = maxLength > 0 && (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return isInPair ? maxLength - 1 : maxLength;
};
