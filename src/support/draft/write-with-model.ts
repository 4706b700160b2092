import { repairPrompt } from '../../ai/repair-prompt.ts';
import type { AIClient, AIMessage } from '../../contract/librarian.ts';
import { markdownToHtml } from '../../knowledge/rendering/markdown-to-html.ts';
import { markdownToText } from '../../knowledge/rendering/markdown-to-text.ts';
import { splitBlocks } from '../../markup/split-blocks.ts';
import { ContextRefused } from '../../runtime/context-refused.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { ModelBudgetSpent } from '../../runtime/model-budget.ts';
import type { AnswerPassage } from './answer-passages.ts';
import { draftViolations, type OwnedPart } from './check-model-draft.ts';
import { assemble, type ComposedDraft } from './generate-draft.ts';
import { type DraftReply, draftPrompt, draftReplySchema, REPAIR, readDraftReply } from './model-draft-format.ts';

/** What became of the model that was to write a draft. */
export interface ModelAccount {
  model: string;
  /** Why the draft is without its words, in a sentence's end for people; undefined where it wrote. */
  refused: string | undefined;
}

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

/** What a draft says, in order, in parts that a model can be asked to join: paragraphs of the template, paragraphs and steps of articles. */
const draftParts = ({ filled, passages }: ComposedDraft): OwnedPart[] => {
  const parts: OwnedPart[] = [];
  const count = { t: 0, s: 0, f: 0 };
  const add = (kind: keyof typeof count, text: string, passage?: AnswerPassage) => {
    count[kind] += 1;
    parts.push({ id: `${kind}${count[kind]}`, text, passage });
  };
  for (const paragraph of paragraphsOf(filled.before)) add('t', paragraph);
  for (const passage of passages)
    for (const { kind, start, end } of splitBlocks(passage.markdown)) {
      const text = passage.markdown.slice(start, end);
      if (kind === 'prose') for (const paragraph of paragraphsOf(text)) add('s', paragraph, passage);
      else if (kind === 'list') for (const item of itemsOf(text)) add('s', item, passage);
      // A table or code is no prose: it goes out as it is.
      else add('f', text, passage);
    }
  for (const paragraph of paragraphsOf(filled.after)) add('t', paragraph);
  return parts;
};

const paragraphsOf = (text: string): string[] => text.split(/\n{2,}/).filter((each) => each.trim() !== '');

/** Without their marks. */
const itemsOf = (list: string): string[] =>
  list
    .split(/\n(?=(?:[-*+]|\d{1,9}[.)])\s)/)
    .map((item) => item.replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, '').trim())
    .filter((item) => item !== '');

const withReply = (
  composed: ComposedDraft,
  { parts, reply, signature }: { parts: readonly OwnedPart[]; reply: DraftReply; signature: string | undefined },
): ComposedDraft => {
  const blocks: string[] = [];
  let step = 0;
  for (const { from, kind, text } of reply.paragraphs) {
    const [first] = parts.filter(({ id }) => from.includes(id));
    if (first?.id.startsWith('f')) {
      blocks.push(first.text);
      step = 0;
      continue;
    }
    const said = escapeHtml(text);
    step = kind === 'step' ? step + 1 : 0;
    if (step > 1) blocks.push(`${blocks.pop() ?? ''}\n${step}. ${said}`);
    else blocks.push(step === 1 ? `1. ${said}` : said);
  }
  const { greeting } = composed.filled;
  const markdown = assemble({ greeting, before: blocks.join('\n\n'), after: '' }, { quotes: [], signature });
  const draft = {
    ...composed.draft,
    text: markdownToText(markdown),
    markdown,
    html: markdownToHtml(markdown),
    written_by: 'model' as const,
  };
  return { ...composed, draft };
};
