import { repairPrompt } from '../ai/repair-prompt.ts';
import { PARTIAL_BELOW } from '../contract/confidence.ts';
import type { AIClient, AICompletion, AIMessage } from '../contract/librarian.ts';
import type { NavigatorResponse } from '../contract/navigator-response.ts';
import { ContextRefused } from '../runtime/context-refused.ts';
import { type Deadline, startDeadline } from '../runtime/deadline.ts';
import { escapeText } from '../runtime/escape-html.ts';
import { ModelBudgetSpent } from '../runtime/model-budget.ts';
import type { Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import { type AnswerOptions, answerFromEdition } from './answer-from-edition.ts';
import type { NavigatorAnswer } from './assemble-answer.ts';
import { checkAnswer, checkStatements } from './check-model-answer.ts';
import { chooseHits } from './choose-hits.ts';
import { composeModelAnswer } from './compose-model-answer.ts';
import { promptFor, REPAIR, TURNS } from './model-prompt.ts';
import { type ModelRefusal, REFUSALS } from './model-refused.ts';
import { type ModelReply, readReply, replySchema } from './model-reply.ts';
import { plantedScreen } from './screen.ts';
import { type ShownPassage, showPassages } from './shown-passages.ts';

export interface ModelAnswerOptions extends Omit<AnswerOptions, 'screen' | 'reading'> {
  ai: AIClient;
  /** What a search for exactly this question found. */
  outcome: SearchOutcome;
  /** Milliseconds left for the whole answer. */
  timeLeftMs: number;
  /** Aborts when nobody waits any more. */
  signal?: AbortSignal | undefined;
}

/** Who answered, and what that took. */
export interface ModelAccount {
  answeredBy: 'model' | 'quotes';
  model: string;
  refused?: ModelRefusal | undefined;
  /** By the API's own numbers; absent where it gave none. */
  usage?: { calls: number; inputTokens: number; outputTokens: number; costUsd?: number | undefined } | undefined;
}

/** An answer with who gave it. */
export interface ModelAnswer extends NavigatorAnswer {
  account: ModelAccount;
}

/** Of the time that is left the model gets this share for both rounds; the quotes are at hand before it is asked. */
const TIME_SHARE = 0.8;
/** And no more than this: quotes now are worth more than sentences later. */
const MOST_TIME_MS = 12_000;
/** With less, no model comes to an end. */
const LEAST_TIME_MS = 250;
/** Eight statements with their evidence. */
const MAX_TOKENS = 1200;

/**
 * Answers a question with a model that is caught when it invents (design, section 6). The quotes are composed first. Then the
 * model writes statements, each naming the passages it rests on; what they do not support goes back to it once, with the
 * violations. Whatever goes wrong, the quotes go out and say why. Never throws.
 *
 * Not asked where the question is out of domain or nothing was found. Where the lexical side would decline although
 * passages were found, the model is asked, since they may say it in other words; its answer then has the low confidence that
 * such evidence supports.
 */
export const answerWithModel = async (
  edition: Edition,
  question: string,
  options: ModelAnswerOptions,
): Promise<ModelAnswer> => {
  const { ai, ...known } = options;
  const outcome = plantedScreen.outcome(edition, options.outcome);
  const fallback = (reading?: 'doubts' | 'declines') =>
    answerFromEdition(edition, question, { ...known, outcome, screen: plantedScreen, reading });
  const quotes = fallback();
  const asked = plantedScreen.told(question);
  const passages = showPassages(edition, chooseHits(edition, question, outcome.hits).hits);
  if (quotes.verdict === 'out-of-domain' || passages.length === 0 || asked === '')
    return { ...quotes, account: { answeredBy: 'quotes', model: ai.model, refused: 'not_asked' } };
  const history = (options.history ?? [])
    .slice(-TURNS)
    .map((turn) => ({ ...turn, text: plantedScreen.told(turn.text) }))
    .filter(({ text }) => text !== '');
  const talk = talkWith(options);
  const ceiling = quotes.verdict === 'answer' ? quotes.probability : undefined;
  const parts = { edition, question, outcome, passages, ceiling };
  const written = await write(talk, { ...parts, prompt: promptFor({ question: asked, history, passages }) });
  const account = { model: ai.model, usage: talk.usage() };
  if (typeof written !== 'string') return { ...written, account: { ...account, answeredBy: 'model' } };
  const standIn =
    written === 'no_answer' ? fallback(quotes.probability < PARTIAL_BELOW ? 'declines' : 'doubts') : quotes;
  return { ...limited(standIn, written), account: { ...account, answeredBy: 'quotes', refused: written } };
};

type Parts = Omit<Parameters<typeof composeModelAnswer>[0], 'reply' | 'support'> & { prompt: AIMessage[] };

/** The model's answer, after one repair if need be, or why there is none. */
const write = async (talk: Talk, { prompt, ...parts }: Parts): Promise<NavigatorAnswer | ModelRefusal> => {
  try {
    const { passages } = parts;
    const first = await talk.ask(prompt, passages);
    if (typeof first === 'string') return first;
    const answer = judge(first.reply, parts);
    if (!Array.isArray(answer)) return answer;
    const second = await talk.ask(
      repairPrompt(prompt, { reply: first.text, violations: answer, task: REPAIR }),
      passages,
    );
    // What went wrong first is what the answer failed for, however the repair ended.
    if (typeof second === 'string') return second === 'timeout' || second === 'over_budget' ? second : 'unsupported';
    const repaired = judge(second.reply, parts);
    return Array.isArray(repaired) ? 'unsupported' : repaired;
  } finally {
    talk.end();
  }
};

/** The answer that a reply makes, why it makes none, or its violations. */
const judge = (reply: ModelReply, parts: Omit<Parts, 'prompt'>): NavigatorAnswer | ModelRefusal | string[] => {
  if (reply.verdict === 'no_information') return 'no_answer';
  if (reply.statements.length === 0) return 'empty';
  const { violations, support } = checkStatements(reply, parts);
  if (violations.length > 0) return violations;
  const answer = composeModelAnswer({ ...parts, reply, support });
  const problems = checkAnswer(answer, parts.passages);
  return problems.length > 0 ? problems : answer;
};

/** One conversation with the model. */
interface Talk {
  ask(
    messages: AIMessage[],
    passages: readonly ShownPassage[],
  ): Promise<{ reply: ModelReply; text: string } | ModelRefusal>;
  usage(): ModelAccount['usage'];
  end(): void;
}

const talkWith = ({ ai, timeLeftMs, signal }: ModelAnswerOptions): Talk => {
  const timeMs = Math.min(MOST_TIME_MS, Math.floor(timeLeftMs * TIME_SHARE));
  let deadline: Deadline | undefined;
  let usage: ModelAccount['usage'];
  const count = ({ usage: spent, costUsd }: AICompletion) => {
    if (spent === undefined) return;
    const cost = (usage?.costUsd ?? 0) + (costUsd ?? 0);
    usage = {
      calls: (usage?.calls ?? 0) + 1,
      inputTokens: (usage?.inputTokens ?? 0) + spent.inputTokens,
      outputTokens: (usage?.outputTokens ?? 0) + spent.outputTokens,
      ...(costUsd === undefined && usage?.costUsd === undefined ? {} : { costUsd: cost }),
    };
  };
  return {
    ask: async (messages, passages) => {
      if (!(timeMs >= LEAST_TIME_MS)) return 'timeout';
      deadline ??= startDeadline(timeMs, signal);
      if (deadline.signal.aborted) return 'timeout';
      const schema = replySchema(passages.map(({ id }) => id));
      try {
        const asked = ai.complete(messages, { maxTokens: MAX_TOKENS, temperature: 0, schema, signal: deadline.signal });
        const completion = await deadline.race(asked);
        count(completion);
        const { text, finish = 'stop' } = completion;
        if (finish !== 'stop') return finish === 'length' ? 'cut' : finish;
        const reply = readReply(text);
        return typeof reply === 'string' ? reply : { reply, text };
      } catch (error) {
        if (error instanceof ModelBudgetSpent) return 'over_budget';
        // Our own deadline, and not what a client may throw for other reasons.
        return deadline.signal.aborted || error instanceof ContextRefused ? 'timeout' : 'unavailable';
      }
    },
    usage: () => usage,
    end: () => deadline?.end(),
  };
};

/** Quotes that stand in for a model's answer, and say so. */
const limited = (quotes: NavigatorAnswer, refused: ModelRefusal): NavigatorAnswer => ({
  ...quotes,
  response: { ...quotes.response, confidenceReason: withRefusal(quotes.response, refused) },
});

const withRefusal = ({ confidenceReason, sources }: NavigatorResponse, refused: ModelRefusal): string => {
  const what = sources.length > 0 ? 'These are quotes' : 'This was decided without a model';
  const sentence = ` ${what}, because ${REFUSALS[refused]}.`;
  return `${escapeText(confidenceReason, 1000 - sentence.length)}${sentence}`;
};
