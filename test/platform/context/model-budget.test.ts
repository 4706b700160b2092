import { describe, expect, it } from 'vitest';
import { ModelUnavailable } from '../../../src/ai/openai-chat.ts';
import type {
  AICompletion,
  AICompletionOptions,
  AIMessage,
  Librarian,
} from '../../../src/contract/core/librarian.ts';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { budgetOf } from '../../../src/platform/context/limits.ts';
import { budgetedModel, ModelBudgetSpent } from '../../../src/platform/context/model-budget.ts';
import { ask, identityOf, notebook, userContext } from './callers.ts';

const MESSAGES: AIMessage[] = [{ role: 'user', content: 'Where is the key?' }];

/** Answers with this completion and records the options. */
const modelOf = (completion: Partial<AICompletion> | Error = {}) => {
  const asked: AICompletionOptions[] = [];
  return {
    asked,
    ai: {
      model: 'm-1',
      complete: async (
        _: readonly AIMessage[],
        options: AICompletionOptions = {},
      ): Promise<AICompletion> => {
        asked.push(options);
        if (completion instanceof Error) throw completion;
        return {
          text: 'Under the mat.',
          usage: { inputTokens: 100, outputTokens: 50 },
          ...completion,
        };
      },
    },
  };
};

describe('budgetedModel()', () => {
  const budgeted = (
    budgets: Parameters<typeof budgetOf>[0],
    completion: Partial<AICompletion> | Error = {},
    price?: Parameters<typeof budgetedModel>[1]['price'],
  ) => {
    const { ai, asked } = modelOf(completion);
    const model = budgetedModel(ai, { budget: budgetOf(budgets), ...(price && { price }) });
    const complete = (maxTokens?: number, more: AICompletionOptions = {}) =>
      model.ai.complete(MESSAGES, { ...(maxTokens === undefined ? {} : { maxTokens }), ...more });
    return { model, complete, asked, limits: () => asked.map(({ maxTokens }) => maxTokens) };
  };
  it('passes requests on unchanged without a budget', async () => {
    const { model, complete, asked } = budgeted({});
    expect(model.ai.model).toBe('m-1');
    expect((await complete(300, { temperature: 0 })).text).toBe('Under the mat.');
    expect(asked).toEqual([{ maxTokens: 300, temperature: 0 }]);
  });
  it('sums the usage that the API reports', async () => {
    const { model, complete } = budgeted({}, { costUsd: 0.001 });
    expect([model.use(), model.usage()]).toEqual([undefined, {}]);
    await complete();
    await complete();
    expect(model.use()).toEqual({
      model: 'm-1',
      calls: 2,
      inputTokens: 200,
      outputTokens: 100,
      costUsd: 0.002,
    });
    expect(model.usage()).toEqual({ tokens: 300, cost_micros: 2000 });
  });
  it('limits the output to the remaining tokens', async () => {
    const { model, complete, limits } = budgeted({ tokens: 400 });
    for (let call = 0; call < 3; call += 1) await complete(1000);
    await expect(complete(1000)).rejects.toThrow(ModelBudgetSpent);
    // 17 bytes are at most 9 tokens, and the message itself takes 16.
    expect(limits()).toEqual([400 - 25, 400 - 150 - 25, 400 - 300 - 25]);
    expect(model.usage().tokens).toBe(400);
  });
  it('counts schema and messages in bytes, in any script', async () => {
    const { model, asked } = budgeted({ tokens: 2000 });
    const messages: AIMessage[] = [{ role: 'user', content: '锅'.repeat(1000) }];
    const schema = { name: 's', schema: { type: 'object' } };
    await model.ai.complete(messages, { maxTokens: 1000, schema });
    expect(asked[0]?.maxTokens).toBe(
      2000 - 1500 - 16 - Math.ceil(JSON.stringify(schema).length / 2),
    );
  });
  it('does not spend the same tokens in parallel calls', async () => {
    const { complete, limits } = budgeted({ tokens: 500 });
    const calls = await Promise.allSettled([1, 2, 3].map(() => complete(300)));
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(limits()).toEqual([300, 500 - 325 - 25]);
  });
  it('makes no call when the cost budget is spent, which a price predicts', async () => {
    const blind = budgeted({ cost_micros: 900 }, { costUsd: 0.001 });
    await blind.complete();
    await expect(blind.complete()).rejects.toThrow(ModelBudgetSpent);
    expect(blind.model.usage().cost_micros).toBe(900);
    const price = { inputPerMillion: 1, outputPerMillion: 10 };
    const priced = budgeted({ cost_micros: 2025 }, {}, price);
    await priced.complete(1000);
    expect(priced.limits()).toEqual([200]);
    await expect(budgeted({ cost_micros: 100 }, {}, price).complete()).rejects.toThrow(
      ModelBudgetSpent,
    );
  });
  it('estimates missing usage', async () => {
    const { model, complete } = budgeted({ tokens: 1000 }, { usage: undefined });
    await complete();
    expect(model.usage().tokens).toBe(25 + 7);
  });
  it.each([
    ['refused', 0],
    ['rate_limited', 0],
    ['unavailable', 25],
    ['malformed', 25],
    ['aborted', 25],
  ] as const)('counts a call that was %s as %d tokens', async (reason, counted) => {
    const { model, complete } = budgeted({}, new ModelUnavailable(reason, 'no'));
    await expect(complete()).rejects.toThrow('no');
    expect(model.usage().tokens ?? 0).toBe(counted);
  });
});

describe('a served librarian with a model', () => {
  const INFO = { id: 'navigator', name: 'Navigator', capabilities: ['kb:read'] };
  const served = async (ai: ReturnType<typeof modelOf>['ai'], budgets: Record<string, number>) => {
    const { log, lines } = notebook();
    const identity = await identityOf('navigator');
    const librarian: Librarian = async (_query, context) => {
      const completion = await context?.ai
        ?.complete(MESSAGES, { maxTokens: 500 })
        .catch(() => undefined);
      return { answer: completion?.text ?? 'No model.' };
    };
    const app = serveLibrarian(librarian, INFO, { ...identity, ai, log });
    const asked = await ask('navigator', app, { context: userContext({ budgets }) });
    return { ...asked, line: lines.find(({ event }) => event === 'request') };
  };
  it('reports its usage in the log and in a receipt that the caller accepts', async () => {
    const { reply, answer, line } = await served(modelOf({ costUsd: 0.00125 }).ai, {
      tokens: 1000,
      cost_micros: 5000,
    });
    expect(reply.answer).toBe('Under the mat.');
    expect(answer).toMatchObject({
      ok: true,
      receipt: { use: { calls: 0, tokens: 150, cost_micros: 1250 } },
    });
    expect(line).toMatchObject({
      model: 'm-1',
      input_tokens: 100,
      output_tokens: 50,
      cost_usd: 0.00125,
    });
  });
  it('answers without the model when the budget is spent', async () => {
    const { reply, line } = await served(modelOf().ai, { tokens: 50 });
    expect(reply.answer).toBe('No model.');
    expect(line).not.toHaveProperty('model');
  });
  it('returns a valid receipt when the API counts more than was granted', async () => {
    const { ai } = modelOf({ usage: { inputTokens: 5000, outputTokens: 9 } });
    const { reply, line } = await served(ai, { tokens: 600 });
    expect(reply.answer).toBe('Under the mat.');
    expect(line).toMatchObject({ input_tokens: 5000 });
  });
});
