import { writeCheckedAnswer } from '../../answering/check/checked-answer.ts';
import { aboutAsker } from '../../answering/model/answer-prompt.ts';
import { startModelCalls } from '../../answering/model/model-calls.ts';
import { type AnswerPhrases, filled } from '../../answering/write/answer-phrases.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import { shorten } from '../../documents/markdown/shorten.ts';
import { whyMissing } from '../delegation/abstention.ts';
import { inertLine } from '../delegation/contain-markdown.ts';
import { type AnsweredPart, type Part, SOURCES } from './ask-parts.ts';
import { MAX_PARTS } from './split-query.ts';

/**
 * Joins the findings of all parts in their order, with the citations of each; missing parts follow.
 *
 * @param options.unasked Parts beyond the limit, which were not asked.
 * @param options.written A model's text, which replaces the findings.
 * @returns Markdown of at most 12,000 characters, so that it is not cut as a librarian's answer.
 */
export function synthesise(
  parts: readonly Part[],
  {
    unasked,
    written,
    phrases,
  }: { unasked: readonly string[]; written?: string | undefined; phrases: AnswerPhrases },
): string {
  const answered = parts.filter(
    (part): part is AnsweredPart => part.ok && !isWithoutDocuments(part),
  );
  const findings = answered.map((part) => shownFinding(part, answered.length));
  return [written ?? joined(findings), ...notesOn(parts, unasked, phrases)]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** A finding in its share of the room for all. */
export function shownFinding({ finding }: AnsweredPart, count: number): string {
  return shorten(finding, Math.floor(ROOM_FOR_FINDINGS / Math.max(1, count)));
}

/** A sentence for each part that is missing. */
export function notesOn(
  parts: readonly Part[],
  unasked: readonly string[],
  phrases: AnswerPhrases,
): string[] {
  return [
    ...parts
      .filter((part) => !part.ok || isWithoutDocuments(part))
      .map((part) => gapSentence(part, phrases)),
    ...unasked.slice(0, MAX_NOTED).map((query) =>
      filled(phrases.notAsked, {
        count: String(MAX_PARTS),
        question: `“${inertLine(query, 120)}”`,
      }),
    ),
  ];
}

const ROOM_FOR_FINDINGS = 8000;
const MAX_NOTED = 4;

/** Short sentences make one paragraph; lists, tables and long texts stand apart. */
const joined = (findings: readonly string[]): string => {
  const isPlain = findings.every(
    (text) => text.length <= 400 && !/\n|^(?:[-+*>#|]|\d{1,9}[.)])\s?/.test(text),
  );
  return isPlain ? findings.map(asSentence).join(' ') : findings.join('\n\n');
};

const asSentence = (text: string): string => (/[.!?:…)\]*_"”’]$/.test(text) ? text : `${text}.`);

/** Its summary, which the part keeps, speaks of thresholds. A web search that found nothing may still know our own price. */
export function isWithoutDocuments(part: Part): boolean {
  return part.ok && part.type === 'semantic' && !part.isInformed;
}

const gapSentence = (part: Part, phrases: AnswerPhrases): string =>
  filled(phrases.noAnswerFrom, {
    question: `“${inertLine(part.query, 200)}”`,
    name: phrases[SOURCES[part.type].phrase],
    why: whyMissing(
      part.ok ? 'NOT_FOUND' : part.isAsked ? part.error.code : 'UNAUTHORIZED',
      phrases,
    ),
  });

interface SynthesisOptions {
  ai: AIClient;
  signal: AbortSignal;
  /** Milliseconds left. */
  leftMs: number;
  facts?: readonly string[] | undefined;
  phrases: AnswerPhrases;
}

/**
 * A model's answer to the whole question from several findings: those of its statements that a finding supports
 * (`writeCheckedAnswer`), each followed by the name of its source.
 *
 * @returns Undefined when the model fails, too little is supported, or a source is missing: the findings are then
 *   joined as they are.
 */
export async function modelSynthesis(
  question: string,
  parts: readonly AnsweredPart[],
  { ai, signal, leftMs, facts = [], phrases }: SynthesisOptions,
): Promise<string | undefined> {
  if (parts.length < 2 || leftMs < MIN_TIME_MS) return undefined;
  const passages = parts.map(({ type, query, finding }, at) => ({
    id: `p${at + 1}`,
    title: phrases[SOURCES[type].phrase],
    headings: [query],
    text: finding.slice(0, MAX_FINDING),
  }));
  const calls = startModelCalls({ ai, signal, timeMs: Math.floor(leftMs * TIME_SHARE) });
  try {
    const written = await writeCheckedAnswer(
      { question, history: [], passages, task: aboutAsker(facts) },
      { calls, maxTokens: MAX_TOKENS },
    );
    if ('failure' in written) return undefined;
    const used = new Set(
      written.statements.flatMap(({ quotes }) => quotes.map(({ passage }) => passage.id)),
    );
    if (used.size < passages.length) return undefined;
    const paragraphs = written.statements.map(({ text, quotes }) => {
      const names = [...new Set(quotes.map(({ passage }) => passage.title))];
      return names.length === 0 ? text : `${text} (${names.join('; ')})`;
    });
    const synthesis = paragraphs.join('\n\n');
    return synthesis.length > MAX_SYNTHESIS ? undefined : synthesis;
  } finally {
    calls.end();
  }
}

/** Characters of each finding that the model reads. */
const MAX_FINDING = 4000;
const MAX_SYNTHESIS = 8000;
const MAX_TOKENS = 1500;
/** Share of the time left that the model gets. */
const TIME_SHARE = 0.6;
/** With less time left no model is asked. */
const MIN_TIME_MS = 1500;
