import { type AnswerFailure, writeCheckedAnswer } from '../../answering/check/checked-answer.ts';
import type { CheckedStatement } from '../../answering/check/decide-statements.ts';
import type { Passage } from '../../answering/model/answer-prompt.ts';
import { startModelCalls } from '../../answering/model/model-calls.ts';
import { findAnswer } from '../../answering/passages/find-answer.ts';
import { headingOf, passageMarkdown } from '../../answering/passages/render-passage.ts';
import type { Unit } from '../../answering/passages/units.ts';
import { answerPhrases } from '../../answering/write/answer-phrases.ts';
import type { Statement } from '../../contract/core/ask.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import type { AnswerParts } from '../agents/agent.ts';
import { escapeParagraphs, joinStatements, proseOf } from '../agents/format/markdown.ts';
import { citationOf, type Found, type FoundDocument, sourceOf } from './find-documents.ts';

/** The summary when no document reaches the threshold, in the language of who asks. Scores and the threshold are in the metadata. */
export function nothingFound(language: string | undefined): string {
  return answerPhrases(language).nothing;
}

const MAX_QUOTE = 1500;

/** A part of a summary as plain text with its citation, and the evidence of it as a statement. */
interface Quoted {
  text: string;
  statement: Omit<Statement, 'text'>;
}

/** Quotes the passages of the documents that answer the question best, each below its heading and with its citation. */
export function quoteSummary(edition: Edition, { documents, outcome, subject }: Found): Quoted[] {
  const isShown = ({ parts }: Unit): boolean =>
    parts.every(({ section: { firstChunk, endChunk } }) =>
      documents.some(({ chunk }) => chunk.index >= firstChunk && chunk.index < endChunk),
    );
  const { passages } = findAnswer(edition, subject, { searches: [outcome], isShown });
  // When only a title fits, the beginning of the best passage is quoted.
  const [first] = documents;
  if (passages.length === 0 && first !== undefined)
    return [quoted(first.chunk, '', proseOf(first.chunk.text, 300))];
  return passages.map((passage) => {
    const { section } = passage.unit.parts[0];
    const place = { source: passage.source, headingPath: section.path };
    return quoted(
      place,
      proseOf(headingOf(passage), 300),
      proseOf(passageMarkdown(passage.unit), MAX_QUOTE),
    );
  });
}

const quoted = (chunk: Parameters<typeof sourceOf>[0], heading: string, text: string): Quoted => ({
  text: `${heading === '' ? '' : `${heading}:\n`}${text} (${citationOf({ chunk })})`,
  statement: { sources: [sourceOf(chunk)], support: 1, check: 'quoted' },
});

/** Documents that a model reads, and characters of each. */
const READ_DOCUMENTS = 5;
const READ_CHARACTERS = 4000;
const MAX_TOKENS = 1200;
const MAX_SUMMARY = 3000;
/** Share of the time left that the model gets; the rest is for sending the quotes if it fails. */
const TIME_SHARE = 0.6;

type ModelSummary = { text: string } | { refused: AnswerFailure };

interface SummaryOptions {
  ai: AIClient;
  signal: AbortSignal;
  /** Milliseconds left. */
  timeoutMs: number;
  /** Gets each statement as soon as it is checked. */
  parts?: AnswerParts | undefined;
}

interface DocumentPassage extends Passage {
  document: FoundDocument;
}

/**
 * A model's summary of the documents as plain text with citations: those of its statements that the documents support
 * (`writeCheckedAnswer`). Never throws.
 */
export async function modelSummary(
  query: string,
  documents: readonly FoundDocument[],
  { ai, signal, timeoutMs, parts }: SummaryOptions,
): Promise<ModelSummary> {
  const passages = documents.slice(0, READ_DOCUMENTS).map((document, at): DocumentPassage => {
    const { source, headingPath, text } = document.chunk;
    const { title, devices } = source;
    return {
      id: `p${at + 1}`,
      title,
      headings: headingPath,
      devices,
      text: text.slice(0, READ_CHARACTERS),
      document,
    };
  });
  const calls = startModelCalls({ ai, signal, timeMs: Math.floor(timeoutMs * TIME_SHARE) });
  try {
    const written = await writeCheckedAnswer(
      { question: query, history: [], passages },
      {
        calls,
        maxTokens: MAX_TOKENS,
        onStatement: parts && ((statement) => parts.add(statementOf(statement))),
      },
    );
    if ('failure' in written) return { refused: written.failure };
    return { text: joinStatements(written.statements.map(withPlaces)).slice(0, MAX_SUMMARY) };
  } finally {
    calls.end();
  }
}

const statementOf = (statement: CheckedStatement<DocumentPassage>): Statement => {
  const { quotes, probability, isJudged } = statement;
  const places = new Map(
    quotes.map(({ passage }) => [citationOf(passage.document), sourceOf(passage.document.chunk)]),
  );
  return {
    text: escapeParagraphs(withPlaces(statement)),
    sources: [...places.values()].slice(0, 20),
    support: probability,
    check: isJudged ? 'judged' : probability === 1 ? 'quoted' : 'compared',
  };
};

/** A sentence names its places before its end, a list behind it; what only leads over to the next statement names none. */
const withPlaces = ({ text, quotes }: CheckedStatement<DocumentPassage>): string => {
  const prose = proseOf(text, MAX_SUMMARY);
  const places = [...new Set(quotes.map(({ passage }) => citationOf(passage.document)))].join('; ');
  if (places === '' || prose.endsWith(':')) return prose;
  const [, sentence = prose, end = ''] = prose.includes('\n')
    ? []
    : (/^(.*?)([.!?]?)$/s.exec(prose) ?? []);
  return `${sentence} (${places})${end}`;
};
