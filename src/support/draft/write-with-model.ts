import { repairPrompt } from '../../ai/repair-prompt.ts';
import type { AIClient, AIMessage } from '../../contract/librarian.ts';
import { markdownToHtml } from '../../knowledge/rendering/markdown-to-html.ts';
import { markdownToText } from '../../knowledge/rendering/markdown-to-text.ts';
import { ContextRefused } from '../../runtime/context-refused.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { ModelBudgetSpent } from '../../runtime/model-budget.ts';
import { draftViolations } from './check-model-draft.ts';
import { draftParts, type OwnedPart } from './draft-parts.ts';
import { assemble, type ComposedDraft } from './generate-draft.ts';
import { renderSteps, sectionOf } from './grounded-part.ts';
import type { ModelAccount } from './model-account.ts';
import { draftPrompt, REPAIR } from './model-prompt.ts';
import { type DraftReply, draftReplySchema, readDraftReply } from './model-reply.ts';
import { phrasesOf } from './phrases.ts';
import { shareSupported } from './source-grounding.ts';

export interface ModelDraftOptions {
  ai: AIClient;
  /** The customer's words, masked; empty where a model must not see them. */
  message: string;
  signature: string | undefined;
  /** Milliseconds for both rounds. */
  timeMs: number;
  signal?: AbortSignal | undefined;
}

/** With less, no model comes to an end. */
const LEAST_TIME_MS = 250;
const MAX_TOKENS = 1500;

/**
 * Has a model smooth a draft: tone and flow, and nothing that the draft does not say. What it writes is held against the parts of
 * the draft; violations go back to it once. Whatever goes wrong, the draft stays as it was, and the account says why. The
 * greeting, with the customer's name, and the signature are put around it afterwards: no model is shown them. Never rejects.
 */
export const writeWithModel = async (
  composed: ComposedDraft,
  options: ModelDraftOptions,
): Promise<{ composed: ComposedDraft; account: ModelAccount }> => {
  const account = (refused: string | undefined): ModelAccount => ({ model: options.ai.model, refused });
  const parts = draftParts(composed);
  const written = await converse(parts, composed, options);
  if (typeof written === 'string') return { composed, account: account(written) };
  return {
    composed: withReply(composed, { parts, reply: written, signature: options.signature }),
    account: account(undefined),
  };
};

/** The model's reply, after one repair if need be, or why there is none. */
const converse = async (
  parts: readonly OwnedPart[],
  { template: { language } }: ComposedDraft,
  { ai, message, timeMs, signal }: ModelDraftOptions,
): Promise<DraftReply | string> => {
  if (!(timeMs >= LEAST_TIME_MS)) return REFUSED.timeout;
  const shown = parts.map(({ id, text }) => ({ id, text }));
  const prompt = draftPrompt({ language, message, parts: shown });
  const schema = draftReplySchema(parts.map(({ id }) => id));
  const deadline = startDeadline(timeMs, signal);
  const ask = async (messages: AIMessage[]): Promise<string> => {
    const asked = ai.complete(messages, { maxTokens: MAX_TOKENS, temperature: 0, schema, signal: deadline.signal });
    const { text, finish = 'stop' } = await deadline.race(asked);
    return finish === 'stop' ? text : '';
  };
  try {
    const first = await ask(prompt);
    const reply = readDraftReply(first);
    const violations = reply === undefined ? [OTHER_FORM] : draftViolations(reply, { parts, language });
    if (reply !== undefined && violations.length === 0) return reply;
    const repaired = readDraftReply(
      await ask(repairPrompt(prompt, { reply: first.slice(0, 20_000), violations, task: REPAIR })),
    );
    if (repaired === undefined) return reply === undefined ? REFUSED.malformed : REFUSED.unsupported;
    return draftViolations(repaired, { parts, language }).length === 0 ? repaired : REFUSED.unsupported;
  } catch (error) {
    if (error instanceof ModelBudgetSpent) return REFUSED.budget;
    return deadline.signal.aborted || error instanceof ContextRefused ? REFUSED.timeout : REFUSED.unavailable;
  } finally {
    deadline.end();
  }
};

const OTHER_FORM = 'The reply does not have the form that was asked for';

/** For people, behind "without a model:". */
const REFUSED = {
  unavailable: 'it could not be reached or failed',
  timeout: 'it did not answer in the time that was left for it',
  budget: 'the budget of the request does not pay for it',
  malformed: 'its reply did not have the form that was asked for',
  unsupported: 'its reply said what the sources and the template do not say, and was discarded',
} as const;

const withReply = (
  composed: ComposedDraft,
  { parts, reply, signature }: { parts: readonly OwnedPart[]; reply: DraftReply; signature: string | undefined },
): ComposedDraft => {
  const { filled, template, grounded } = composed;
  const phrases = phrasesOf(template.language);
  const blocks: string[] = [];
  let step = 0;
  for (const { from, kind, text } of reply.paragraphs) {
    const own = parts.filter(({ id }) => from.includes(id));
    const [first] = own;
    const marks = [...new Set(own.flatMap(({ reference }) => reference ?? []))].map((each) => `[${each}]`).join(' ');
    if (first?.steps !== undefined && first.id.startsWith('f')) {
      const heading = sectionOf(first.steps.passage);
      blocks.push(renderSteps(first.steps, { mark: marks, heading, phrases }));
      step = 0;
      continue;
    }
    const line = marks === '' ? text : `${text} ${marks}`;
    step = kind === 'step' ? step + 1 : 0;
    if (step > 1) blocks.push(`${blocks.pop() ?? ''}\n${step}. ${line}`);
    else blocks.push(step === 1 ? `1. ${line}` : line);
  }
  const markdown = assemble(
    { greeting: filled.greeting, before: escapeHtml(blocks.join('\n\n')), after: '' },
    { steps: '', sources: grounded.sources, signature },
  );
  const draft = {
    ...composed.draft,
    text: markdownToText(markdown),
    markdown,
    html: markdownToHtml(markdown),
    source_grounding: groundingOf(reply, parts),
    written_by: 'model' as const,
  };
  return { ...composed, draft };
};

/** Of the paragraphs that rest on articles, as those articles have it. */
const groundingOf = ({ paragraphs }: DraftReply, parts: readonly OwnedPart[]): number | null =>
  shareSupported(
    paragraphs.flatMap(({ from, text }) => {
      const passages = parts.flatMap(({ id, steps }) => (from.includes(id) && steps ? [steps.passage] : []));
      return passages.length === 0 || text === '' ? [] : [{ text, passages }];
    }),
  );
