import type { Span } from '../../text/split-sentences.ts';
import { readWords, type Word } from './read-words.ts';
import { plainOf, statementSpans } from './statements.ts';

/** A text that an answer may rest on. */
export interface SupportSource {
  /** Markdown or plain text. */
  text: string;
  /** Title and headings: they count as said near every sentence. */
  title?: string | undefined;
}

/** A sentence, list item or table row of a source. */
export interface SourceSentence extends Span {
  text: string;
  words: readonly Word[];
  /** Under each form by which one of its words is found, where the first such word stands. */
  forms: ReadonlyMap<string, number>;
}

/** A source made ready, so that many sentences and answers can be checked against it. */
export interface PreparedSource {
  title: SourceSentence;
  sentences: readonly SourceSentence[];
  /** Under each form the places of the sentences that have it, ascending. */
  index: ReadonlyMap<string, readonly number[]>;
  /** What a literal quote is found by. */
  quotes: ReadonlySet<string>;
}

/** A source is read up to here; the text of one article has some 200 to 1,000. */
const MAX_SENTENCES = 3000;

/** Reads a source once, some 1 ms for 8,000 characters; keep what it returns for as long as the source is checked against. */
export const prepareSource = ({ text, title = '' }: SupportSource): PreparedSource => {
  const spans = statementSpans(text).slice(0, MAX_SENTENCES);
  const sentences = spans.map((span) => readSentence(text.slice(span.start, span.end), span));
  const index = new Map<string, number[]>();
  sentences.forEach(({ forms }, at) => {
    for (const form of forms.keys()) {
      const found = index.get(form);
      if (found) found.push(at);
      else index.set(form, [at]);
    }
  });
  const quotes = new Set(sentences.map((sentence) => plainOf(sentence.text)));
  return { title: readSentence(title, { start: 0, end: 0 }), sentences, index, quotes };
};

/** Reads one sentence; where it stands is the caller's to say. */
export const readSentence = (text: string, { start, end }: Span): SourceSentence => {
  const words = readWords(text);
  const forms = new Map<string, number>();
  words.forEach((word, at) => {
    for (const form of word.forms) if (!forms.has(form)) forms.set(form, at);
  });
  return { start, end, text, words, forms };
};
