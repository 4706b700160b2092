import type { AIClient } from '../../contract/librarian.ts';
import { writeCheckedAnswer } from '../../grounding/checked-answer.ts';
import { startModelCalls } from '../../grounding/model-calls.ts';
import type { AnsweredPart } from './part.ts';
import { SOURCES } from './source-type.ts';

/** Characters of each finding that the model reads. */
const MAX_FINDING = 4000;
const MAX_SYNTHESIS = 8000;
const MAX_TOKENS = 1500;
/** The model gets this share of the time left; without it the findings go out side by side. */
const TIME_SHARE = 0.6;
/** With less time left the findings go out as they are. */
const MIN_TIME_MS = 1500;

interface SynthesisOptions {
  ai: AIClient;
  signal: AbortSignal;
  /** Milliseconds left. */
  leftMs: number;
}

/**
 * One answer to the whole question from what several sources found, in a model's words: those of its statements that a finding
 * states (`writeCheckedAnswer`), each with the name of its source behind it.
 *
 * @returns Undefined where the model fails, removes too much, or leaves a source out: the findings then stand side by side.
 */
export const modelSynthesis = async (
  question: string,
  parts: readonly AnsweredPart[],
  { ai, signal, leftMs }: SynthesisOptions,
): Promise<string | undefined> => {
  if (parts.length < 2 || leftMs < MIN_TIME_MS) return undefined;
  const passages = parts.map(({ type, query, finding }, at) => ({
    ...{ id: `p${at + 1}`, title: SOURCES[type].name, headings: [query], text: finding.slice(0, MAX_FINDING) },
  }));
  const calls = startModelCalls({ ai, signal, timeMs: Math.floor(leftMs * TIME_SHARE) });
  try {
    const written = await writeCheckedAnswer({ question, history: [], passages }, { calls, maxTokens: MAX_TOKENS });
    if ('failure' in written) return undefined;
    const used = new Set(written.statements.flatMap(({ quotes }) => quotes.map(({ passage }) => passage.id)));
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
};
