import { describe, expect, it, vi } from 'vitest';
import type { AICompletion } from '../../src/contract/librarian.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { type AnswerMetadata, answerQuestion, type QuestionOptions } from '../../src/navigator/answer-question.ts';
import { type ModelRefusal, REFUSALS } from '../../src/navigator/model-refused.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { budgetOf } from '../../src/runtime/budget.ts';
import { budgetedModel } from '../../src/runtime/model-budget.ts';
import { replyOf, scriptedModel } from './scripted-model.ts';
import { ARTICLES, openSmallKb } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
const OFTEN = 'How often must the boiler be descaled?';
const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';
const SAID = 'The boiler has to be descaled every 60 days, or every 30 days with hard water.';
const honest = replyOf([{ text: SAID, quote: QUOTE, from: 'How often' }]);

/** Asks, and checks what holds whatever a model does. */
const ask = async (
  question: string,
  script: Parameters<typeof scriptedModel>,
  { kb = openSmallKbOnce, ...options }: Partial<QuestionOptions> & { kb?: ReturnType<typeof openSmallKb> } = {},
) => {
  const ai = scriptedModel(...script);
  const { answer, metadata } = await answerQuestion(kb.edition, question, { ai, timeLeftMs: () => 5000, ...options });
  expect(NavigatorResponse.safeParse(answer.response).error?.issues).toBeUndefined();
  expect(
    validateNavigatorResponse(answer.response, kb.knowledge, { query: question, vouched: answer.response.answer }),
  ).toEqual([]);
  return { ai, answer, metadata, response: answer.response };
};
const openSmallKbOnce = { edition, knowledge };
const [descale] = ARTICLES as [(typeof ARTICLES)[number]];

describe('an answer with a model', () => {
  it('goes out in its words, with file, section, exact excerpt and what it took', async () => {
    const { response, metadata, ai } = await ask(OFTEN, [honest]);
    expect(response.answer).toBe(`${SAID} (care/descale.md, How often)`);
    const text = ARTICLES[0]?.text ?? '';
    expect(response.sources).toMatchObject([
      {
        file: 'care/descale.md',
        section: 'How often',
        edition: 'e1',
        excerpts: [{ quote: QUOTE, start: text.indexOf(QUOTE) }],
      },
    ]);
    expect(response.confidence).toBe('high');
    expect(response.confidenceReason).toContain('each statement was checked against the passage it cites');
    expect(metadata).toEqual({
      answered_by: 'model',
      model: 'scripted-1',
      usage: { calls: 1, input_tokens: 1000, output_tokens: 100, cost_usd: 0.0005 },
    });
    expect(ai.asked).toHaveLength(1);
  });

  it('cites the sentence closest to a statement where the model copied none', async () => {
    const { response } = await ask(OFTEN, [
      replyOf([{ text: SAID, quote: 'Descale it now and then.', from: 'How often' }]),
    ]);
    expect(response.sources[0]?.excerpts?.map(({ quote }) => quote)).toEqual([QUOTE]);
  });

  it('keeps lists, tables and code whole, behind their reference', async () => {
    const text =
      'To descale the boiler:\n\n1. Empty the water tank.\n2. Pour in one sachet of citric acid and 1.2 litres of water.';
    const { response } = await ask('How do I descale the boiler?', [replyOf([{ text, from: 'Steps' }])]);
    expect(response.answer).toBe(`According to care/descale.md, Steps:\n\n${text}`);
  });

  it('is never surer than the evidence, nor than the model says it is', async () => {
    const surest = await ask(OFTEN, [honest]);
    expect(surest.answer.probability).toBeLessThanOrEqual(answerFromEdition(edition, OFTEN).probability);
    for (const [confidence, limit] of [
      ['medium', 0.8],
      ['low', 0.6],
    ] as const) {
      const { response, answer } = await ask(OFTEN, [replyOf([{ text: SAID, from: 'How often' }], { confidence })]);
      expect(response.confidence).toBe(confidence);
      expect(answer.probability).toBeLessThan(limit);
      expect(response.confidenceReason).toMatch(/^(?:Medium|Low) confidence: .*The model itself says/);
    }
  });

  it('is one in other words than the question has, with low confidence, where quotes would decline', async () => {
    const question = 'How do I get rid of the limescale?';
    expect(answerFromEdition(edition, question).verdict).toBe('no-information');
    const { response, metadata } = await ask(question, [
      replyOf([{ text: 'Pour in one sachet of citric acid and 1.2 litres of water.', from: 'Steps' }]),
    ]);
    expect(metadata.answered_by).toBe('model');
    expect(response.confidence).toBe('low');
    expect(response.answer).toMatch(/^I'm not sure that this answers/);
  });

  it('shows passages, question and history as data of one JSON object, bounded, and offers no other id to cite', async () => {
    const history = Array.from({ length: 12 }, (_, at) => ({
      speaker: 'user' as const,
      text: `turn ${at} ${'x'.repeat(3000)}`,
    }));
    const { ai } = await ask(OFTEN, [honest], { history });
    const [{ messages, options, given }] = ai.asked as [(typeof ai.asked)[number]];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content).not.toContain('boiler');
    expect(given.question).toBe(OFTEN);
    const ids = given.passages.map(({ passage }) => passage);
    expect(ids).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
    expect(given.history).toHaveLength(6);
    expect(JSON.stringify(given).length).toBeLessThan(20_000);
    expect(JSON.stringify(options.schema)).toContain(`"enum":${JSON.stringify(ids)}`);
    expect(options).toMatchObject({ temperature: 0, maxTokens: 1200 });
  });

  it('is asked for no more than once where a repair succeeds, and told what was wrong', async () => {
    const { response, ai, metadata } = await ask(OFTEN, [
      replyOf([{ text: 'Descale the boiler every 90 days.', from: 'How often' }]),
      honest,
    ]);
    expect(response.answer).toContain(SAID);
    expect(metadata).toMatchObject({ answered_by: 'model', usage: { calls: 2, input_tokens: 2000 } });
    expect(ai.asked[1]?.messages.at(-1)?.content).toContain('number \\"90\\"');
  });

  it('says for which device each statement holds where the question names none', async () => {
    const { response } = await ask('How far do I turn the upper burr of the grinder?', [
      replyOf([
        {
          text: 'Remove the hopper and turn the upper burr to the left by 45 degrees to take it out.',
          from: 'Clean the grinder of the Barista I ',
        },
        {
          text: 'Remove the hopper and turn the upper burr to the left by 90 degrees to take it out.',
          from: 'Clean the grinder of the Barista II',
        },
      ]),
    ]);
    expect(response.answer).toMatch(/For Barista I: .*45 degrees.*\n\nFor Barista II: .*90 degrees/s);
  });
});

describe('the confidence of a model in what is written', () => {
  it('is low where sources conflict, however sure it is', async () => {
    const { response } = await ask('What is the factory setting of the brewing temperature?', [
      replyOf([{ text: 'The factory setting of the brewing temperature is 92 degrees.', from: 'Brewing temperature' }]),
    ]);
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toMatch(/sources conflict \(taste\/presets\.md, Presets: 94 instead of 92\)/);
  });

  it('is lowered where the source is about another device than the question, which the answer says first', async () => {
    const kb = openSmallKb(
      ARTICLES.filter(({ id }) => id !== 'care/grinder-ii.md').concat({
        ...descale,
        id: 'care/descale-ii.md',
        devices: ['Barista II'],
      }),
    );
    const text = 'Remove the hopper and turn the upper burr to the left by 45 degrees to take it out.';
    const { response, metadata } = await ask(
      'How far do I turn the upper burr of the Barista II grinder?',
      [replyOf([{ text, from: 'Clean the grinder' }])],
      { kb },
    );
    expect(metadata.answered_by).toBe('model');
    expect(response.answer).toMatch(/^I don't have information about this for Barista II\.\n\nFor Barista I: Remove/);
    expect(response.confidenceReason).toContain('the source is about Barista I, not about Barista II');
  });

  it('is lowered where the answer rests on other passages than the best one', async () => {
    const { answer, response } = await ask(OFTEN, [
      replyOf([{ text: 'Never open the boiler while it is under pressure.', from: 'Safety' }]),
    ]);
    expect(answer.probability).toBeLessThan(answerFromEdition(edition, OFTEN).probability);
    expect(response.confidenceReason).toContain('rests on other passages than the one that fits the question best');
  });
});

describe('quotes stand in for a model', () => {
  const plain = answerFromEdition(edition, OFTEN).response;
  const invented = (text: string, from = 'How often') => replyOf([{ text, from }]);
  const CASES: [string, ModelRefusal, Parameters<typeof scriptedModel>, number][] = [
    ['that declines', 'refused', [{ finish: 'refused' }], 1],
    ['that is cut off in the middle of its JSON', 'cut', [{ finish: 'length', text: '{"citations":[{"pass' }], 1],
    ['that is cut off behind valid JSON', 'cut', [(asked) => ({ ...honest(asked), finish: 'length' })], 1],
    ['whose answer is filtered', 'filtered', [{ finish: 'filtered' }], 1],
    ['that answers with nothing', 'empty', [{ text: '  ' }], 1],
    ['that answers without a statement', 'empty', [replyOf([])], 1],
    ['whose JSON is malformed', 'malformed', [{ text: '{"citations": [}' }], 1],
    ['that answers in prose', 'malformed', [{ text: SAID }], 1],
    ['whose JSON has another shape', 'malformed', [{ text: JSON.stringify({ answer: SAID, confidence: 'high' }) }], 1],
    ['that does not come to an end', 'malformed', [{ text: `"${'x'.repeat(100_000)}"` }], 1],
    ['that throws', 'unavailable', [() => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7'))], 1],
    ['that throws nonsense', 'unavailable', [() => Promise.reject({ toString: null })], 1],
    ['that cites what it was not given', 'unsupported', [replyOf([{ text: SAID, passages: ['p9'] }])], 2],
    ['that cites nothing', 'unsupported', [replyOf([{ text: SAID, passages: [] }])], 2],
    ['that cites a passage which says something else', 'unsupported', [invented(SAID, 'Safety')], 2],
    [
      'that cites a right passage and a wrong id',
      'unsupported',
      [replyOf([{ text: SAID, passages: ['p1', 'p77'] }])],
      2,
    ],
    ['that invents a number', 'unsupported', [invented('Descale the boiler every 90 days.')], 2],
    [
      'that swaps two numbers',
      'unsupported',
      [invented('Descale the boiler every 30 days, or every 60 days with hard water.')],
      2,
    ],
    ['that invents a path', 'unsupported', [invented(`${SAID} The plan is in /etc/boiler/plan.conf.`)], 2],
    ['that invents a command', 'unsupported', [invented(`${SAID} Run \`brewctl descale now\`.`)], 2],
    ['that invents a URL', 'unsupported', [invented(`${SAID} See https://descale.example/plan.`)], 2],
    ['that invents a host', 'unsupported', [invented(`${SAID} See descale.example.`)], 2],
    ['that invents a mail address', 'unsupported', [invented(`${SAID} Write to help@descale.example.`)], 2],
    ['that invents a name', 'unsupported', [invented('Descale the boiler every 60 days with Zitronex.')], 2],
    ['that links an image', 'unsupported', [invented(`${SAID} ![](https://evil.example/x.png)`)], 2],
    ['that contradicts its source', 'unsupported', [invented('Do not descale the boiler every 60 days.')], 2],
    [
      'that answers from its own knowledge',
      'unsupported',
      [invented('Limescale is calcium carbonate, which dissolves in weak acids.')],
      2,
    ],
    [
      'that adds what it knows to what is written',
      'unsupported',
      [invented(`${SAID} Vinegar works as well and is cheaper.`)],
      2,
    ],
    [
      'that answers in another language',
      'unsupported',
      [invented('Der Kessel ist alle 60 Tage zu entkalken, mit hartem Wasser alle 30 Tage.')],
      2,
    ],
    ['that only says yes', 'unsupported', [invented('Yes.')], 2],
    [
      'that is wrong and refuses to repair it',
      'unsupported',
      [invented('Descale the boiler every 90 days.'), { finish: 'refused' }],
      2,
    ],
    [
      'that is wrong and then cut off',
      'unsupported',
      [invented('Descale the boiler every 90 days.'), { finish: 'length', text: '{' }],
      2,
    ],
    [
      'that is wrong in another way after the repair',
      'unsupported',
      [invented('Descale the boiler every 90 days.'), invented('Descale the boiler every 61 days.')],
      2,
    ],
  ];

  it.each(CASES)('%s: %s', async (_what, refused, script, calls) => {
    const { response, metadata, ai } = await ask(OFTEN, script);
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: refused });
    expect({ ...response, confidenceReason: '' }).toEqual({ ...plain, confidenceReason: '' });
    expect(response.confidenceReason).toBe(`${plain.confidenceReason} These are quotes, because ${REFUSALS[refused]}.`);
    expect(ai.asked).toHaveLength(calls);
  });

  it('that is too slow, in the time that is left', async () => {
    let isAborted = false;
    const slow = scriptedModel(({ options }) => {
      options.signal?.addEventListener('abort', () => {
        isAborted = true;
      });
      return new Promise<AICompletion>(() => {});
    });
    const begun = performance.now();
    const { answer, metadata } = await answerQuestion(edition, OFTEN, { ai: slow, timeLeftMs: () => 400 });
    expect(performance.now() - begun).toBeLessThan(400);
    expect(isAborted).toBe(true);
    expect(metadata).toEqual({
      answered_by: 'quotes',
      model: 'scripted-1',
      model_refused: 'timeout',
      degraded: ['model'],
    });
    expect(answer.response.answer).toBe(plain.answer);
  });

  it('that hangs, after twelve seconds although there would be more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const hanging = scriptedModel(() => new Promise<AICompletion>(() => {}));
      let answered: { metadata: AnswerMetadata } | undefined;
      const asked = answerQuestion(edition, OFTEN, { ai: hanging, timeLeftMs: () => 30_000 }).then((reply) => {
        answered = reply;
      });
      await vi.advanceTimersByTimeAsync(11_900);
      expect(answered).toBeUndefined();
      await vi.advanceTimersByTimeAsync(200);
      await asked;
      expect(answered?.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'timeout' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('that is too slow with its repair', async () => {
    const slow = scriptedModel(
      replyOf([{ text: 'Descale the boiler every 90 days.' }]),
      () => new Promise<AICompletion>(() => {}),
    );
    const { metadata } = await answerQuestion(edition, OFTEN, { ai: slow, timeLeftMs: () => 400 });
    expect(metadata).toMatchObject({ model_refused: 'timeout', usage: { calls: 1 } });
  });

  it('that there is no time for, without asking it', async () => {
    const { metadata, ai } = await ask(OFTEN, [honest], { timeLeftMs: () => 100 });
    expect(metadata.model_refused).toBe('timeout');
    expect(ai.asked).toHaveLength(0);
  });

  it.each([
    ['tokens', { tokens: 500 }],
    ['cost', { cost_micros: 0 }],
  ])('that the budget of %s does not pay for', async (_what, budgets) => {
    const model = scriptedModel(honest);
    const { ai } = budgetedModel(model, { budget: budgetOf(budgets) });
    const { answer, metadata } = await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    expect(metadata.model_refused).toBe('over_budget');
    expect(answer.response.answer).toBe(plain.answer);
    expect(model.asked).toHaveLength(0);
  });

  it('that the budget pays for once, and not for the repair', async () => {
    const invent = replyOf([{ text: 'Descale the boiler every 90 days.', from: 'How often' }]);
    const model = scriptedModel(
      (asked) => ({ ...invent(asked), usage: { inputTokens: 4000, outputTokens: 500 } }),
      honest,
    );
    const { ai } = budgetedModel(model, { budget: budgetOf({ tokens: 5000 }) });
    const { metadata } = await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    expect(metadata).toMatchObject({ model_refused: 'over_budget', usage: { calls: 1 } });
    expect(model.asked).toHaveLength(1);
  });

  it('that found no answer: sure quotes become unsure, unsure ones a declination', async () => {
    const nothing = replyOf([], { verdict: 'no_information' });
    const sure = await ask(OFTEN, [nothing]);
    expect(sure.response).toMatchObject({ answer: plain.answer, confidence: 'low' });
    expect(sure.metadata.model_refused).toBe('no_answer');
    const question = 'boiler steam gauge roasted';
    expect(answerFromEdition(edition, question)).toMatchObject({ verdict: 'answer', response: { confidence: 'low' } });
    const unsure = await ask(question, [nothing]);
    expect(unsure.response.sources).toEqual([]);
    expect(unsure.response.answer).toMatch(/^I don't have information/);
    expect(unsure.response.confidenceReason).toContain('the model found no answer in the passages');
  });

  it('that is not asked about what is out of domain, or where nothing is found', async () => {
    for (const question of ['Who won the football cup final last night?', '???', 'xqzt vbnm plok']) {
      const { ai, metadata, response } = await ask(question, [honest]);
      expect(ai.asked).toHaveLength(0);
      expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'not_asked' });
      expect(response).toEqual(answerFromEdition(edition, question).response);
    }
  });
});

describe('the language of an answer', () => {
  const german = {
    ...(ARTICLES[0] as (typeof ARTICLES)[number]),
    id: 'pflege/entkalken.md',
    title: 'Kessel entkalken',
    text: 'Der Kessel wird alle 60 Tage entkalkt. Mit hartem Wasser wird er alle 30 Tage entkalkt, sonst heizt er nicht mehr.',
  };
  const bilingual = openSmallKb([...ARTICLES, german]);

  it('is that of the question where a source has it', async () => {
    const { metadata, response } = await ask(
      'Wie oft wird der Kessel entkalkt?',
      [replyOf([{ text: 'Der Kessel wird alle 60 Tage entkalkt.', from: 'Kessel' }])],
      { kb: bilingual },
    );
    expect(metadata.answered_by).toBe('model');
    expect(response.answer).toContain('(pflege/entkalken.md, Kessel entkalken)');
  });

  it('is that of the sources where they have another', async () => {
    const { metadata } = await ask('Wie oft muss man den Boiler descale?', [
      replyOf([{ text: QUOTE, from: 'How often' }]),
    ]);
    expect(metadata.answered_by).toBe('model');
  });
});

describe('answerQuestion()', () => {
  const search = async (semantic: 'used' | 'late' | 'failed' | 'absent') => {
    const { searchEdition } = await import('../../src/search/search-edition.ts');
    let calls = 0;
    return {
      calls: () => calls,
      retrieve: async (...[of, question, options]: Parameters<typeof searchEdition>) => {
        calls += 1;
        return { outcome: searchEdition(of, question, options), semantic };
      },
    };
  };

  it.each(['late', 'failed'] as const)(
    'says that embeddings were %s, and searches again the next time',
    async (semantic) => {
      const { retrieve, calls } = await search(semantic);
      const { edition: own } = openSmallKb();
      for (let time = 1; time <= 2; time++) {
        const { metadata, answer } = await answerQuestion(own, OFTEN, { retrieve, timeLeftMs: () => 5000 });
        expect(metadata).toEqual({ degraded: ['embeddings'] });
        expect(answer.response).toEqual(plainOf(own));
        expect(calls()).toBe(time);
      }
    },
  );

  it.each(['used', 'absent'] as const)('remembers an answer whose embeddings were %s', async (semantic) => {
    const { retrieve, calls } = await search(semantic);
    const { edition: own } = openSmallKb();
    const options = { retrieve, timeLeftMs: () => 5000 };
    const { answer, metadata } = await answerQuestion(own, OFTEN, options);
    expect(metadata).toEqual({});
    expect((await answerQuestion(own, OFTEN, options)).answer).toBe(answer);
    expect(calls()).toBe(1);
  });

  it('does not remember what a model answered', async () => {
    const ai = scriptedModel(honest);
    await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    expect(ai.asked).toHaveLength(2);
  });

  const plainOf = (own: typeof edition) => answerFromEdition(own, OFTEN).response;
});
