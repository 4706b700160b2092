import type { AIClient } from '../../contract/librarian.ts';
import { type AnswerFailure, type CheckedStatement, writeCheckedAnswer } from '../../grounding/checked-answer.ts';
import { startModelCalls } from '../../grounding/model-calls.ts';
import { markdownToHtml } from '../../knowledge/rendering/markdown-to-html.ts';
import { markdownToText } from '../../knowledge/rendering/markdown-to-text.ts';
import { splitBlocks } from '../../markup/split-blocks.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { primaryOf } from '../languages.ts';
import { type DraftPassage, isProcedureCut, missingWarnings } from './check-model-draft.ts';
import { assemble, type ComposedDraft, referencesOf } from './generate-draft.ts';

/** What became of the model that was to write a draft. */
export interface ModelAccount {
  model: string;
  /** Why the draft is without its words, as the end of a sentence for people; undefined where it wrote. */
  refused: string | undefined;
  /** Statements of the model that did not go out. */
  removed: number;
}

export interface ModelDraftOptions {
  ai: AIClient;
  /** What the customer asks, masked. */
  message: string;
  signature: string | undefined;
  /** Milliseconds for both calls. */
  timeMs: number;
  signal?: AbortSignal | undefined;
}

const MAX_MESSAGE_LENGTH = 2000;
const MAX_TOKENS = 1500;

/**
 * Has a model answer the message from the passages that a draft quotes. Its statements, each checked (`writeCheckedAnswer`), take the
 * place of the quotes; greeting, template and signature stay, and no model is shown them. Whatever goes wrong, the draft
 * stays as it was and the account says why. Never rejects.
 */
export const writeWithModel = async (
  composed: ComposedDraft,
  { ai, message, signature, timeMs, signal }: ModelDraftOptions,
): Promise<{ composed: ComposedDraft; account: ModelAccount }> => {
  const passages = composed.passages.map(
    (quoted, at): DraftPassage => ({
      ...{ id: `p${at + 1}`, title: quoted.title, headings: [], text: quoted.text },
      quoted,
    }),
  );
  const request = { question: message.slice(0, MAX_MESSAGE_LENGTH), history: [], passages };
  const calls = startModelCalls({ ai, timeMs, signal });
  try {
    const written = await writeCheckedAnswer(request, { calls, maxTokens: MAX_TOKENS, isJudgeRequired: true });
    const account = { model: ai.model, removed: written.removed.length };
    const refused =
      'failure' in written
        ? written.failure
        : problemOf(written.statements, { passages, language: composed.draft.language, removed: account.removed });
    if ('failure' in written || refused !== undefined)
      return { composed, account: { ...account, refused: REFUSED[refused ?? 'unsupported'] } };
    const rewritten = withStatements(composed, { statements: written.statements, passages, signature });
    return { composed: rewritten, account: { ...account, refused: undefined } };
  } finally {
    calls.end();
  }
};

type Refusal = AnswerFailure | 'incomplete' | 'other_language';

/** What is wrong with the statements as a whole. */
const problemOf = (
  statements: readonly CheckedStatement<DraftPassage>[],
  {
    passages,
    language,
    removed,
  }: { passages: readonly DraftPassage[]; language?: string | undefined; removed: number },
): Refusal | undefined => {
  const own = detectLanguage(statements.map(({ text }) => text).join('\n'));
  if (own !== undefined && language !== undefined && own !== primaryOf(language)) return 'other_language';
  return isProcedureCut(statements, { passages, removed }) ? 'incomplete' : undefined;
};

/** For people, behind "The draft was written without a model:". */
const REFUSED: Record<Refusal, string> = {
  unavailable: 'it could not be reached or failed',
  timeout: 'it did not answer in the time that was left for it',
  over_budget: 'the budget of the request does not pay for it',
  refused: 'it declined to answer',
  filtered: 'its reply was withheld by its provider',
  cut: 'its reply was cut off before its end',
  empty: 'its reply was empty',
  malformed: 'its reply did not have the form that was asked for',
  no_answer: 'it found no answer to the message in the articles that are quoted',
  unsupported: 'its reply said what the sources do not say, and was discarded',
  incomplete: 'its reply left out a step of a procedure, and was discarded',
  other_language: 'its reply was in another language than the draft, and was discarded',
};

interface Written {
  statements: readonly CheckedStatement<DraftPassage>[];
  passages: readonly DraftPassage[];
  signature: string | undefined;
}

/** The draft with statements in the place of its quotes; it refers to what they rest on alone. */
const withStatements = (composed: ComposedDraft, { statements, passages, signature }: Written): ComposedDraft => {
  const { draft, filled } = composed;
  const warnings = missingWarnings(statements, { passages, language: draft.language });
  const body = [...warnings.map(({ sentence }) => sentence), ...paragraphsOf(statements)];
  const markdown = assemble(filled, { quotes: body.map(escapeHtml), signature });
  const used = new Set([
    ...warnings.map(({ passage }) => passage.quoted),
    ...statements.flatMap(({ quotes }) => quotes.map(({ passage }) => passage.quoted)),
  ]);
  const quoted = composed.passages.filter((passage) => used.has(passage));
  return {
    ...composed,
    passages: quoted,
    draft: {
      ...draft,
      ...{ text: markdownToText(markdown), markdown, html: markdownToHtml(markdown) },
      ...{ references: referencesOf(quoted), written_by: 'model' },
    },
  };
};

/** Sentences that stand one after another are one paragraph; a list, a table or code is one of its own. */
const paragraphsOf = (statements: readonly CheckedStatement[]): string[] => {
  const paragraphs: { text: string; isOpen: boolean }[] = [];
  for (const { text } of statements) {
    const isProse = splitBlocks(text).every(({ kind }) => kind === 'prose');
    const last = paragraphs.at(-1);
    if (isProse && last?.isOpen) last.text += ` ${text}`;
    else paragraphs.push({ text, isOpen: isProse });
  }
  return paragraphs.map(({ text }) => text);
};
