import type { AIClient } from '../../contract/librarian.ts';
import type { Passage } from '../../grounding/answer-prompt.ts';
import { type AnswerFailure, writeCheckedAnswer } from '../../grounding/checked-answer.ts';
import { startModelCalls } from '../../grounding/model-calls.ts';
import { proseOf } from '../format/plain-text.ts';
import { citationOf, type FoundDocument } from './find-documents.ts';

/** Documents that a model reads, and characters of each. */
const READ_DOCUMENTS = 5;
const READ_CHARACTERS = 4000;
const MAX_TOKENS = 1200;
const MAX_SUMMARY = 3000;
/** The model gets this share of the time left: the quotes still have to go out in its place. */
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
 * A model's summary of the documents as plain text with citations: those of its statements that the documents state
 * (`writeCheckedAnswer`). Never throws: without it the quotes go out.
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
      const said = proseOf(text, MAX_SUMMARY);
      return cited.length === 0 ? said : `${said.replace(/[.!?]$/, '')} (${cited.join('; ')}).`;
    });
    return { text: parts.join(' ').slice(0, MAX_SUMMARY) };
  } finally {
    calls.end();
  }
};
