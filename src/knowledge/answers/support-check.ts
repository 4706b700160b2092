import { wordsOf } from '../search/analyse-text.ts';
import { stem } from '../search/stem.ts';
import { splitBlocks } from './split-blocks.ts';
import { type Span, splitSentences } from './split-sentences.ts';

/** A text that an answer may rest on. */
export interface SupportSource {
  /** Markdown or plain text. */
  text: string;
  /** Title and headings: they count as said near every sentence. */
  title?: string | undefined;
}

/** Why a sentence is doubted. */
export type SupportReason =
  | 'number-not-in-source'
  | 'unit-differs'
  | 'name-not-in-source'
  | 'negation-differs'
  | 'antonym'
  | 'quantifier-differs'
  | 'modality-differs'
  | 'comparison-differs'
  | 'condition-differs'
  | 'roles-differ'
  | 'number-misplaced'
  | 'words-not-in-source';

/** A doubt and the words of the answer it is about. */
export interface SupportDoubt {
  reason: SupportReason;
  /** At most 80 characters. */
  words: string;
}

/** How well one sentence of an answer is supported. */
export interface SentenceSupport extends Span {
  text: string;
  /** 0 to 1, that the sources say so. */
  probability: number;
  /** The sentence that supports it best, and the place of its source in the list given; none where nothing is shared. */
  best: (Span & { source: number; text: string }) | undefined;
  /** Worst first; empty for a sentence that stands literally in a source. */
  doubts: SupportDoubt[];
}

/** How well an answer is supported. */
export interface SupportCheck {
  /** 0 to 1, that the sources say all of it; 1 for an answer that states nothing. */
  score: number;
  sentences: SentenceSupport[];
}

/** From this probability on a sentence, or an answer, counts as supported. */
export const SUPPORTED_FROM = 0.5;

/** A source made ready, so that many sentences and answers can be checked against it. */
export interface PreparedSource {
  plain: string;
  sentences: readonly (Span & { text: string; stems: ReadonlySet<string>; isNegated: boolean })[];
}

/** Reads a source once; keep what it returns for as long as the source is checked against. */
export const prepareSource = ({ text, title = '' }: SupportSource): PreparedSource => {
  const above = stemsOf(title);
  const sentences = spansOf(text).map(({ start, end }) => {
    const sentence = text.slice(start, end);
    const stems = new Set([...above, ...stemsOf(sentence)]);
    return { start, end, text: sentence, stems, isNegated: isNegated(sentence) };
  });
  return { plain: collapse(`${title}\n${text}`), sentences };
};

/**
 * Judges, without a model, whether sources say what an answer says, sentence by sentence. A sentence that stands literally in
 * a source, or states nothing, has probability 1.
 */
export const checkSupport = (answer: string, sources: readonly PreparedSource[]): SupportCheck => {
  const sentences = spansOf(answer).map((span) => sentenceSupport(answer.slice(span.start, span.end), span, sources));
  return { score: Math.min(1, ...sentences.map(({ probability }) => probability)), sentences };
};

const sentenceSupport = (text: string, span: Span, sources: readonly PreparedSource[]): SentenceSupport => {
  const words = stemsOf(text);
  const plain = collapse(text);
  if (words.size === 0 || sources.some((source) => source.plain.includes(plain)))
    return { ...span, text, probability: 1, best: undefined, doubts: [] };
  let best: SentenceSupport['best'];
  let share = 0;
  let isDenied = false;
  sources.forEach(({ sentences }, source) => {
    for (const { start, end, text: said, stems, isNegated: denies } of sentences) {
      const own = [...words].filter((word) => stems.has(word)).length / words.size;
      if (own <= share) continue;
      share = own;
      isDenied = denies !== isNegated(text);
      best = { start, end, source, text: said };
    }
  });
  const doubts: SupportDoubt[] = isDenied ? [{ reason: 'negation-differs', words: text.slice(0, 80) }] : [];
  if (share < 1) doubts.push({ reason: 'words-not-in-source', words: text.slice(0, 80) });
  return { ...span, text, probability: share * (isDenied ? 0.3 : 1), best, doubts };
};

const spansOf = (text: string): Span[] =>
  splitBlocks(text).flatMap((block): Span[] => {
    if (block.kind === 'raw') return [];
    return block.kind === 'prose' ? splitSentences(text, block) : block.items.length > 0 ? block.items : [block];
  });

const stemsOf = (text: string): Set<string> => new Set(wordsOf(text).map(stem));

const isNegated = (sentence: string): boolean =>
  /\b(?:not|no|never|cannot|without|neither|nor|none)\b|n['’]t\b/i.test(sentence);

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();
