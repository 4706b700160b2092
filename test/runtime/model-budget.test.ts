import { describe, expect, it } from 'vitest';
import { ModelUnavailable } from '../../src/ai/openai-chat.ts';
import type { AICompletion, AICompletionOptions, AIMessage } from '../../src/contract/librarian.ts';
import { budgetedModel, ModelBudgetSpent } from '../../src/runtime/model-budget.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { budgetOf } from '../../src/signing/limits.ts';
import { ask, identityOf, notebook, userContext } from '../signing/callers.ts';

const MESSAGES: AIMessage[] = [{ role: 'user', content: 'Where is the key?' }];

/** Answers with these completions and records the options. */
const modelOf = (...completions: (Partial<AICompletion> | Error)[]) => {
  const asked: AICompletionOptions[] = [];
  return {
    asked,
    ai: {
      model: 'm-1',
      complete: async (_: readonly AIMessage[], options: AICompletionOptions = {}): Promise<AICompletion> => {
        asked.push(options);
        const next = completions[Math.min(asked.length, completions.length) - 1] ?? {};
        if (next instanceof Error) throw next;
        return { text: 'Under the mat.', usage: { inputTokens: 100, outputTokens: 50 }, ...next };
      },
    },
  };
};

describe('budgetedModel()', () => {
  it('passes requests on unchanged without a budget', async () => {
    const { ai, asked } = modelOf();
    const model = budgetedModel(ai, { budget: budgetOf({}) });
    expect(model.ai.model).toBe('m-1');
    expect((await model.ai.complete(MESSAGES, { maxTokens: 300, temperature: 0 })).text).toBe('Under the mat.');
    expect(asked).toEqual([{ maxTokens: 300, temperature: 0 }]);
  });

  it('sums the usage that the API reports', async () => {
    const { ai } = modelOf({ costUsd: 0.001 });
    const model = budgetedModel(ai, { budget: budgetOf({}) });
    expect([model.use(), model.usage()]).toEqual([undefined, {}]);
    await model.ai.complete(MESSAGES);
    await model.ai.complete(MESSAGES);
    expect(model.use()).toEqual({ model: 'm-1', calls: 2, inputTokens: 200, outputTokens: 100, costUsd: 0.002 });
    expect(model.usage()).toEqual({ tokens: 300, cost_micros: 2000 });
  });

  it('limits the output to the remaining tokens', async () => {
    const { ai, asked } = modelOf();
    const model = budgetedModel(ai, { budget: budgetOf({ tokens: 400 }) });
    await model.ai.complete(MESSAGES, { maxTokens: 1000 });
    // 17 bytes are at most 9 tokens, and the message itself takes 16.
    expect(asked[0]?.maxTokens).toBe(400 - 25);
    await model.ai.complete(MESSAGES, { maxTokens: 1000 });
    expect(asked[1]?.maxTokens).toBe(400 - 150 - 25);
    await expect(model.ai.complete(MESSAGES, { maxTokens: 1000 })).resolves.toBeDefined();
    await expect(model.ai.complete(MESSAGES, { maxTokens: 1000 })).rejects.toThrow(ModelBudgetSpent);
    expect(asked).toHaveLength(3);
    expect(model.usage().tokens).toBe(400);
  });

  it('counts schema and messages in bytes, in any script', async () => {
    const { ai, asked } = modelOf();
    const { ai: bounded } = budgetedModel(ai, { budget: budgetOf({ tokens: 2000 }) });
    const messages: AIMessage[] = [{ role: 'user', content: '锅'.repeat(1000) }];
    await bounded.complete(messages, { maxTokens: 1000, schema: { name: 's', schema: { type: 'object' } } });
    expect(asked[0]?.maxTokens).toBe(
      2000 - 1500 - 16 - Math.ceil('{"name":"s","schema":{"type":"object"}}'.length / 2),
    );
  });

  it('does not spend the same tokens in parallel calls', async () => {
    const { ai, asked } = modelOf();
    const { ai: bounded } = budgetedModel(ai, { budget: budgetOf({ tokens: 500 }) });
    const calls = await Promise.allSettled([1, 2, 3].map(() => bounded.complete(MESSAGES, { maxTokens: 300 })));
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(asked.map(({ maxTokens }) => maxTokens)).toEqual([300, 500 - 325 - 25]);
  });

  it('makes no call when the cost budget is spent, which a price predicts', async () => {
    const dear = modelOf({ costUsd: 0.001 });
    const blind = budgetedModel(dear.ai, { budget: budgetOf({ cost_micros: 900 }) });
    await blind.ai.complete(MESSAGES);
    await expect(blind.ai.complete(MESSAGES)).rejects.toThrow(ModelBudgetSpent);
    expect(blind.usage().cost_micros).toBe(900);
    const priced = modelOf();
    const price = { inputPerMillion: 1, outputPerMillion: 10 };
    await budgetedModel(priced.ai, { budget: budgetOf({ cost_micros: 2025 }), price }).ai.complete(MESSAGES, {
      maxTokens: 1000,
    });
    expect(priced.asked[0]?.maxTokens).toBe(200);
    const poor = budgetedModel(priced.ai, { budget: budgetOf({ cost_micros: 100 }), price });
    await expect(poor.ai.complete(MESSAGES)).rejects.toThrow(ModelBudgetSpent);
  });

  it('estimates missing usage, and counts lost calls but not refused ones', async () => {
    const silent = budgetedModel(modelOf({ usage: undefined }).ai, { budget: budgetOf({ tokens: 1000 }) });
    await silent.ai.complete(MESSAGES);
    expect(silent.usage().tokens).toBe(25 + 7);
    const tokens = { refused: 0, rate_limited: 0, unavailable: 25, malformed: 25, aborted: 25 } as const;
    for (const [reason, counted] of Object.entries(tokens)) {
      // Object.entries returns strings.
      const failure = new ModelUnavailable(reason as keyof typeof tokens, 'no');
      const model = budgetedModel(modelOf(failure).ai, { budget: budgetOf({}) });
      await expect(model.ai.complete(MESSAGES)).rejects.toThrow('no');
      expect(model.usage().tokens ?? 0).toBe(counted);
    }
  });
});

describe('a served librarian with a model', () => {
  const INFO = { id: 'navigator', name: 'Navigator', capabilities: ['kb:read'] };
  const served = async (ai: ReturnType<typeof modelOf>['ai'], budgets: Record<string, number>) => {
    const { log, lines } = notebook();
    const identity = await identityOf('navigator');
    const librarian = serveLibrarian(
      async (_query, context) => {
        const completion = await context?.ai?.complete(MESSAGES, { maxTokens: 500 }).catch(() => undefined);
        return { answer: completion?.text ?? 'No model.' };
      },
      INFO,
      { ...identity, ai, log },
    );
    const asked = await ask('navigator', librarian, { context: userContext({ budgets }) });
    return { ...asked, line: lines.find(({ event }) => event === 'request') };
  };

  it('reports its usage in the log and in a receipt that the caller accepts', async () => {
    const { reply, answer, line } = await served(modelOf({ costUsd: 0.00125 }).ai, { tokens: 1000, cost_micros: 5000 });
    expect(reply.answer).toBe('Under the mat.');
    expect(answer).toMatchObject({ ok: true, receipt: { use: { calls: 0, tokens: 150, cost_micros: 1250 } } });
    expect(line).toMatchObject({ model: 'm-1', input_tokens: 100, output_tokens: 50, cost_usd: 0.00125 });
  });

  it('answers without the model when the budget is spent', async () => {
    const { reply, line } = await served(modelOf().ai, { tokens: 50 });
    expect(reply.answer).toBe('No model.');
    expect(line).not.toHaveProperty('model');
  });

  it('returns a valid receipt when the API counts more than was granted', async () => {
    const { reply, line } = await served(modelOf({ usage: { inputTokens: 5000, outputTokens: 9 } }).ai, {
      tokens: 600,
    });
    expect(reply.answer).toBe('Under the mat.');
    expect(line).toMatchObject({ input_tokens: 5000 });
  });
});
