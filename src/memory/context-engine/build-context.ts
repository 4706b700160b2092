import { CharacterTokenizer, cl100k, loadTokenizer, type Tokenizer } from '../../ai/tokenizer.ts';
import type {
  ContextPreview,
  ContextResult,
  ContextTemplate,
  RankingOptions,
} from '../../contract/wire/context-engine.ts';
import type { SearchResult } from '../../contract/wire/memory.ts';
import { describeCause } from '../../platform/log.ts';
import type { ContextEngineConfig } from './config.ts';
import { logSafely } from './errors.ts';
import { type Ranking, rankResults } from './ranker.ts';
import { renderMemory, withMetadata } from './registry.ts';

interface ContextParts {
  template: ContextTemplate;
  tokenBudget: number;
  maxResultBytes?: number | undefined;
  ranking: Ranking;
  rankingOptions?: RankingOptions | undefined;
  tokenizer: Tokenizer;
  /** Milliseconds since 1970. */
  now: number;
}

/** Builds a context: ranks results and related memories, and formats as many as fit into the budget. */
export function buildContext(
  results: readonly SearchResult[],
  parts: ContextParts,
): ContextPreview {
  const { template, tokenBudget, maxResultBytes, ranking, rankingOptions, tokenizer, now } = parts;
  const ranked = rankResults(withRelated(results), ranking, { now, options: rankingOptions });
  const candidates =
    maxResultBytes === undefined
      ? ranked.results
      : fitBytes(ranked.results, template, maxResultBytes);
  const context = new ContextFormatter(tokenizer).format(candidates, template, tokenBudget);
  const memoryIds = context.memories.map(({ memory }) => memory.id);
  return {
    ...context,
    truncated: context.truncated || candidates.length < ranked.results.length,
    ...(tokenizer.name === undefined ? {} : { tokenizer: tokenizer.name.slice(0, 64) }),
    memoryIds,
    rankingScores: Object.fromEntries(memoryIds.map((id) => [id, ranked.scores.get(id) ?? 0])),
    budgetUsed: Math.round((context.tokenCount / tokenBudget) * 1000) / 10,
  };
}

/**
 * The results, followed by their related memories. A related memory was not compared with the query: its score is that of its result, halved
 * at each step, so that it ranks lower unless it is newer or more certain.
 */
const withRelated = (results: readonly SearchResult[]): SearchResult[] => [
  ...results,
  ...results.flatMap(({ score, relationships = [] }) =>
    relationships.map(({ memory, depth }) => ({ memory, score: score / 2 ** depth })),
  ),
];

/**
 * The first memories that fit, as JSON and without related memories, into the response together with their text.
 *
 * @param maxBytes Upper bound of memories and text, with the fields of a preview.
 */
const fitBytes = (
  memories: readonly SearchResult[],
  template: ContextTemplate,
  maxBytes: number,
): SearchResult[] => {
  const { header = '', footer = '', separator } = template;
  const shown = withMetadata(template, undefined);
  let left = maxBytes - AROUND_BYTES - jsonBytes(header + footer);
  const end = memories.findIndex((result) => {
    const { relationships: _, ...bare } = result;
    left -= jsonBytes(bare) + jsonBytes(separator + renderMemory(shown, result)) + PREVIEW_BYTES;
    return left < 0;
  });
  return end === -1 ? [...memories] : memories.slice(0, end);
};

/** Fields around the memories. */
const AROUND_BYTES = 4096;
/** Fields of a preview for a memory: its id twice, each at most twice as long as JSON, and a score. */
const PREVIEW_BYTES = 600;

const encoder = new TextEncoder();
const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/**
 * Loads the tokenizer of an engine for its first context. When loading fails, that context is estimated as a whole, and the next one tries
 * again.
 */
export function readyTokenizer({
  tokenizer = () => loadTokenizer('gpt-4', [cl100k]),
  logger,
}: ContextEngineConfig): () => Promise<Tokenizer> {
  let ready = typeof tokenizer === 'function' ? undefined : tokenizer;
  return async () => {
    if (ready !== undefined || typeof tokenizer !== 'function')
      return ready ?? new CharacterTokenizer();
    try {
      ready = await tokenizer();
      return ready;
    } catch (error) {
      const fields = { cause: describeCause(error) };
      logSafely(logger, 'warn', {
        message: 'context engine: the tokenizer was not loaded, tokens are estimated',
        fields,
      });
      return new CharacterTokenizer();
    }
  };
}

/**
 * Formats memories as text within a token budget. The budget covers the whole text with header, separators and
 * footer, counted as one text.
 *
 * Memories come best first; all from the first that does not fit are omitted. When the best one does not fit, its content is cut after a
 * word. When not even that fits, or there are no memories, the context is empty, without header and footer.
 */
export class ContextFormatter {
  readonly #tokenizer: Tokenizer;

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** @param tokenBudget Upper bound in tokens. `truncated` says whether a memory was omitted or cut. */
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

  /** The count of the tokenizer: exact with the model's vocabulary, else estimated from characters. */
  estimateTokens(text: string): number {
    return this.#tokenizer.count(text);
  }

  /** The memories that `format` includes; a single one may be cut in the text. */
  truncateToFit(
    memories: SearchResult[],
    template: ContextTemplate,
    tokenBudget: number,
  ): SearchResult[] {
    return memories.slice(0, this.#fit(memories, template, tokenBudget).included);
  }

  /**
   * Guesses how many memories fit by counting each once with its separator, then counts the whole text for the guess and adjacent counts:
   * tokens may merge or split at the borders, so a sum is not exact.
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

  /** The beginning of the best memory, as much as fits. */
  #fitBeginning(
    memory: SearchResult | undefined,
    template: ContextTemplate,
    tokenBudget: number,
  ): Fit {
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

/** Longer tokens are runs of blanks, which may be lost. It bounds the text that is counted. */
const MAX_CHARACTERS_PER_TOKEN = 16;
const LIKELY_CHARACTERS_PER_TOKEN = 4;

interface MemoryTexts {
  header: string;
  footer: string;
  /** The text of the memory at this place, after its separator. */
  part(place: number): string;
  /** The whole text of the first memories; empty for none. */
  first(count: number): string;
}

/** Renders texts on demand: most of many memories do not fit. */
const memoryTexts = (memories: readonly SearchResult[], template: ContextTemplate): MemoryTexts => {
  const { header = '', footer = '', separator } = template;
  const parts: string[] = [];
  const part = (place: number): string => {
    const memory = memories[place];
    const text =
      parts[place] ??
      (memory === undefined ? '' : (place > 0 ? separator : '') + renderMemory(template, memory));
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

/** Interpolations before bisecting. */
const PROPORTIONAL_GUESSES = 4;

/**
 * Finds the largest count, from 0 to `upTo`, whose cost is within the budget; the cost of the result was always computed. It tries the guess,
 * then interpolates, then bisects, and never goes far beyond a count that is known to fit: computing a cost counts a text of that size.
 */
const searchMost = (guess: number, { upTo, costOf, budget }: Search): number => {
  let enough = 0;
  let tooMuch = upTo + 1;
  let next = Math.max(1, guess);
  for (let tries = 1; tooMuch - enough > 1; tries += 1) {
    const cost = costOf(next);
    if (cost <= budget) enough = next;
    else tooMuch = next;
    const halfway = enough + ((tooMuch - enough) >> 1);
    const better =
      tries <= PROPORTIONAL_GUESSES ? Math.floor((next * budget) / Math.max(1, cost)) : halfway;
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
/** Distance in which a blank is searched for; a text without one is cut within a word. */
const MAX_WORD_LENGTH = 80;

/**
 * Shortens a text after a word, if one ends nearby, and adds an ellipsis. Surrogate pairs stay whole.
 *
 * @param maxLength Upper bound in UTF-16 units, without the ellipsis.
 * @returns The text itself when it is not longer; an empty text when nothing visible is left.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const beginning = text.slice(0, wordEnd(text, maxLength)).trimEnd();
  return beginning === '' ? '' : beginning + ELLIPSIS;
}

const wordEnd = (text: string, maxLength: number): number => {
  if (/\s/.test(text.charAt(maxLength))) return maxLength;
  const from = Math.max(0, maxLength - MAX_WORD_LENGTH);
  const blank = text.slice(from, maxLength).search(/\s\S*$/);
  if (blank >= 0 && from + blank > 0) return from + blank;
  const isInPair = maxLength > 0 && (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return isInPair ? maxLength - 1 : maxLength;
};
