import type { AIClient } from '../../contract/librarian.ts';
import type { Passage } from '../../grounding/answer-prompt.ts';
import { type AnswerFailure, writeCheckedAnswer } from '../../grounding/checked-answer.ts';
import { type AnswerPassage, findAnswer } from '../../grounding/find-answer.ts';
import { startModelCalls } from '../../grounding/model-calls.ts';
import { headingOf, passageMarkdown } from '../../grounding/render-passage.ts';
import type { Unit } from '../../grounding/units.ts';
import type { Edition } from '../../search/open-edition.ts';
import { oneLine, proseOf } from '../format/plain-text.ts';
import { citationOf, type Found, type FoundDocument } from './find-documents.ts';

/** The summary when no document reaches the threshold: the score of the nearest, and what to do. */
export const nothingFound = (best: FoundDocument | undefined, threshold: number): string => {
  if (best === undefined)
    return 'I found no document that shares a word with the question. Ask in the words that the documents use, or about another subject.';
  const score = (Math.floor(best.score * 100) / 100).toFixed(2);
  return `I found no document that reaches a similarity of ${threshold}. The nearest, ${oneLine(citationOf(best), 300)}, has ${score}. Ask more precisely and in the words that the documents use, or set similarity_threshold lower to see it.`;
};

const MAX_QUOTE = 1500;

/**
 * Quotes the passages of the documents that answer the question best, each below its heading and with its citation;
 * plain text.
 */
export const quoteSummary = (edition: Edition, { documents, outcome, subject }: Found): string => {
  const isShown = ({ parts }: Unit): boolean =>
    parts.every(({ section: { firstChunk, endChunk } }) =>
      documents.some(({ chunk }) => chunk.index >= firstChunk && chunk.index < endChunk),
    );
  const { passages } = findAnswer(edition, subject, { searches: [outcome], isShown });
  // When only a title fits, the beginning of the best passage is quoted.
  const [first] = documents;
  if (passages.length === 0 && first !== undefined) return `${proseOf(first.chunk.text, 300)} (${citationOf(first)})`;
  return passages.map(cited).join('\n\n');
};

const cited = (passage: AnswerPassage): string => {
  const { section } = passage.unit.parts[0];
  const heading = proseOf(headingOf(passage), 300);
  const text = proseOf(tablesAsLines(passageMarkdown(passage.unit)), MAX_QUOTE);
  return `${heading === '' ? '' : `${heading}:\n`}${text} (${citationOf({ chunk: { source: passage.source, headingPath: section.path } })})`;
};

/**
 * Writes the rows of Markdown tables as lines that stand alone, each cell with the head of its column:
 * `| Quiet | 25 | 31 |` below `| Mode | Model A | Model B |` reads `Quiet: Model A 25, Model B 31`. A single column of
 * values needs no head.
 */
export const tablesAsLines = (markdown: string): string => {
  let head: readonly string[] | undefined;
  const lines = markdown.split('\n');
  const written = lines.flatMap((line, at) => {
    if (!isRow(line)) {
      head = undefined;
      return [line];
    }
    if (isDelimiter(line)) return [];
    if (isDelimiter(lines[at + 1] ?? '')) {
      head = cellsOf(line);
      return [];
    }
    return [sentenceOf(cellsOf(line), head)];
  });
  return written.join('\n');
};

const sentenceOf = ([first = '', ...rest]: readonly string[], head: readonly string[] | undefined): string => {
  const headOf = (at: number): string => (rest.length > 1 ? (head?.[at + 1] ?? '') : '');
  const named = rest.flatMap((cell, at) => (cell === '' ? [] : [`${headOf(at)} ${cell}`.trim()]));
  return named.length === 0 ? first : `${first}: ${named.join(', ')}`;
};

/** Longer lines are not read as table rows. */
const isRow = (line: string): boolean => line.length <= 4000 && /^ *\|.*\| *$/.test(line);

const isDelimiter = (line: string): boolean => isRow(line) && /^[|:\- ]+$/.test(line) && line.includes('-');

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Documents that a model reads, and characters of each. */
const READ_DOCUMENTS = 5;
const READ_CHARACTERS = 4000;
const MAX_TOKENS = 1200;
const MAX_SUMMARY = 3000;
/** Share of the time left that the model gets; the rest is for sending the quotes if it fails. */
const TIME_SHARE = 0.6;

export type ModelSummary = { text: string } | { refused: AnswerFailure };

interface SummaryOptions {
  ai: AIClient;
  signal: AbortSignal;
  /** Milliseconds left. */
  timeoutMs: number;
}

interface DocumentPassage extends Passage {
  document: FoundDocument;
}

/**
 * A model's summary of the documents as plain text with citations: those of its statements that the documents support
 * (`writeCheckedAnswer`). Never throws.
 */
export const modelSummary = async (
  query: string,
  documents: readonly FoundDocument[],
  { ai, signal, timeoutMs }: SummaryOptions,
): Promise<ModelSummary> => {
  const passages = documents.slice(0, READ_DOCUMENTS).map((document, at): DocumentPassage => {
    const { source, headingPath, text } = document.chunk;
    const { title, devices } = source;
    return {
      ...{ id: `p${at + 1}`, title, headings: headingPath, devices, text: text.slice(0, READ_CHARACTERS) },
      document,
    };
  });
  const calls = startModelCalls({ ai, signal, timeMs: Math.floor(timeoutMs * TIME_SHARE) });
  try {
    const written = await writeCheckedAnswer(
      { question: query, history: [], passages },
      { calls, maxTokens: MAX_TOKENS },
    );
    if ('failure' in written) return { refused: written.failure };
    const parts = written.statements.map(({ text, quotes }) => {
      const cited = [...new Set(quotes.map(({ passage }) => citationOf(passage.document)))];
      const prose = proseOf(text, MAX_SUMMARY);
      return cited.length === 0 ? prose : `${prose.replace(/[.!?]$/, '')} (${cited.join('; ')}).`;
    });
    return { text: parts.join(' ').slice(0, MAX_SUMMARY) };
  } finally {
    calls.end();
  }
};
