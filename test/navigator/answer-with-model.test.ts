import { describe, expect, it, vi } from 'vitest';
import type { AICompletion } from '../../src/contract/librarian.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { shippedWordVectors } from '../../src/dev/run/shipped-word-vectors.ts';
import { answerFromEdition, promptInjectionScreen } from '../../src/navigator/answer-from-edition.ts';
import { type AnswerMetadata, answerQuestion, type QuestionOptions } from '../../src/navigator/answer-question.ts';
import { type ModelRefusal, REFUSALS } from '../../src/navigator/answer-with-model.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { budgetedModel } from '../../src/runtime/model-budget.ts';
import { budgetOf } from '../../src/signing/limits.ts';
import cases from './answer-with-model.json' with { type: 'json' };
import { judging, replyOf, type ScriptedModel, scriptedModel } from './scripted-model.ts';
import { ARTICLES, openSmallKb } from './small-kb.ts';

type Judge = ScriptedModel['judge'];
const { edition, knowledge } = openSmallKb();
const OFTEN = 'How often must the boiler be descaled?';
const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';
const SAID = 'The boiler has to be descaled every 60 days, or every 30 days with hard water.';
const honest = replyOf([{ text: SAID, quote: QUOTE, from: 'How often' }]);

/** Asks a question, and checks invariants of every answer. */
const ask = async (
  question: string,
  script: Parameters<typeof scriptedModel>,
  {
    kb = openSmallKbOnce,
    judge,
    ...options
  }: Partial<QuestionOptions> & { kb?: ReturnType<typeof openSmallKb>; judge?: Judge } = {},
) => {
  const ai = scriptedModel(...script);
  if (judge !== undefined) ai.judge = judge;
  const { answer, metadata } = await answerQuestion(kb.edition, question, { ai, timeLeftMs: () => 5000, ...options });
  expect(NavigatorResponse.safeParse(answer.response).error?.issues).toBeUndefined();
  const broken = validateNavigatorResponse(answer.response, kb.knowledge, {
    query: question,
    vouched: answer.response.answer,
  });
  // The judge decides on paraphrases.
  const byWords = ['sentence-supported', 'not-contradicted', 'source-supports-answer'];
  expect(broken.filter(({ rule }) => metadata.answered_by !== 'model' || !byWords.includes(rule))).toEqual([]);
  return { ai, answer, metadata, response: answer.response };
};
const openSmallKbOnce = { edition, knowledge };
const TANK = 'Empty the water tank.';
const [descale] = ARTICLES as [(typeof ARTICLES)[number]];

describe('an answer with a model', () => {
  it('consists of its words, with file, section, exact excerpt and usage', async () => {
    const { response, metadata, ai } = await ask(OFTEN, [honest]);
    expect(response.answer).toBe(`${SAID} (care/descale.md, How often)`);
    const text = ARTICLES[0]?.text ?? '';
    const excerpts = [{ quote: QUOTE, start: text.indexOf(QUOTE) }];
    const source = { file: 'care/descale.md', section: 'How often', edition: 'e1', excerpts };
    expect(response.sources).toMatchObject([source]);
    expect(response.confidence).toBe('high');
    expect(response.confidenceReason).toContain('checked against the passages that it cites');
    expect(metadata).toEqual({
      answered_by: 'model',
      model: 'scripted-1',
      usage: { calls: 2, input_tokens: 2000, output_tokens: 200, cost_usd: 0.001 },
      model_ms: expect.any(Number),
    });
    expect(ai.calls.map(({ options }) => options.schema?.name)).toEqual(['answer_from_passages', 'judged_statements']);
  });

  it('sends the judge each quote with its whole section', async () => {
    const { ai } = await ask('How do I descale the boiler?', [
      replyOf([{ text: 'First you let all the water out.', quote: TANK, from: TANK }]),
    ]);
    const judge = ai.calls.find(({ options }) => options.schema?.name === 'judged_statements');
    const { sections, statements } = judge?.given ?? {};
    expect(statements).toMatchObject([
      { quotes: [{ text: expect.stringContaining(TANK) }], sections: [sections?.[0]?.id] },
    ]);
    expect(sections?.[0]?.text).toContain('Pour in one sachet of citric acid');
  });

  it('needs one call when every statement is a literal quote', async () => {
    const { metadata } = await ask(OFTEN, [replyOf([{ text: QUOTE }])]);
    expect(metadata).toMatchObject({ answered_by: 'model', usage: { calls: 1 } });
  });

  it('cites the closest sentence when no quote occurs in its passage, and calls the judge', async () => {
    const script = replyOf([{ text: QUOTE, quote: 'Descale it now and then.', from: 'How often' }]);
    const { response, ai } = await ask(OFTEN, [script]);
    expect(response.sources[0]?.excerpts?.map(({ quote }) => quote)).toEqual([QUOTE]);
    const { sections, statements } = ai.calls[1]?.given ?? {};
    expect(statements?.[0]?.quotes).toEqual([]);
    expect(sections?.find(({ id }) => id === statements?.[0]?.sections[0])?.text).toContain(
      'Hold **Rinse** for 5 seconds.',
    );
    const denied = await ask(OFTEN, [script], { judge: judging(() => false) });
    expect(denied.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
  });

  it('keeps lists, tables and code whole, with their introductions', async () => {
    const list = '1. Empty the water tank.\n2. Pour in one sachet of citric acid and 1.2 litres of water.';
    const { response } = await ask('How do I descale the boiler?', [
      replyOf([
        { text: 'To descale the boiler:', passages: [] },
        { text: list, quote: TANK, from: TANK },
      ]),
    ]);
    expect(response.answer).toBe(`To descale the boiler:\n\n${list}\n\n(care/descale.md, Steps)`);
  });

  it('marks truncated passages in the prompt', async () => {
    const filler = Array.from({ length: 200 }, (_, at) => `Kettle ${at} stands on a shelf of its own.`).join(' ');
    const text = `# Limescale\n\nThe limescale of the kettle is measured with a strip. ${filler}`;
    const kb = openSmallKb([...ARTICLES, { ...descale, id: 'long.md', title: 'Kettle', text }]);
    const { ai } = await ask('How is the limescale of the kettle measured with a strip?', [honest], {
      kb,
      wordVectors: shippedWordVectors,
    });
    const shown = ai.calls[0]?.given.passages ?? [];
    const isCut = (passage: object) => 'section_goes_on' in passage;
    expect(shown.filter(({ title }) => title === 'Kettle').some(isCut)).toBe(true);
    expect(shown.filter(({ title }) => title !== 'Kettle').some(isCut)).toBe(false);
  });

  it('lowers its confidence with that of the model', async () => {
    const sure = await ask(OFTEN, [honest]);
    for (const [confidence, limit] of [
      ['medium', 0.8],
      ['low', 0.6],
    ] as const) {
      const { response, answer } = await ask(OFTEN, [replyOf([{ text: QUOTE, from: 'How often' }], { confidence })]);
      expect(response.confidence).toBe(confidence);
      expect(answer.probability).toBeLessThan(Math.min(limit, sure.answer.probability));
      expect(response.confidenceReason).toMatch(/^(?:Medium|Low) confidence: .*The model itself says/);
    }
  });

  it('is returned when the question and the passage use different words', async () => {
    const question = 'How do I get rid of the limescale?';
    const { response, metadata } = await ask(question, [
      replyOf([{ text: 'Pour in one sachet of citric acid and 1.2 litres of water.', from: 'Steps' }]),
    ]);
    expect(metadata.answered_by).toBe('model');
    expect(response.confidence).toBe('high');
    expect(response.answer).not.toMatch(/not sure/);
  });

  it('searches with queries of the model when the first search is weak', async () => {
    const question = 'My espresso apparatus is full of chalk';
    const model = scriptedModel(honest);
    model.queries = { text: JSON.stringify({ queries: ['how often descale boiler', 'x'.repeat(900)] }) };
    const { metadata } = await answerQuestion(edition, question, { ai: model, timeLeftMs: () => 5000 });
    expect(model.calls.map(({ options }) => options.schema?.name)).toEqual([
      ...['search_queries', 'answer_from_passages', 'judged_statements'],
    ]);
    expect(metadata).toMatchObject({ answered_by: 'model', usage: { calls: 3 } });
    expect(metadata.queries?.[0]).toBe('how often descale boiler');
    expect(model.calls[1]?.given.passages[0]?.title).toBe('Descale the boiler');
  });

  it('sends whole sections, question and history as one bounded JSON object, and allows no other id', async () => {
    const turn = (at: number) => ({ speaker: 'user' as const, text: `turn ${at} ${'x'.repeat(3000)}` });
    const history = Array.from({ length: 12 }, (_, at) => turn(at));
    const { ai } = await ask(OFTEN, [honest], { history });
    const call = ai.calls.find(({ options }) => options.schema?.name === 'answer_from_passages');
    const { messages = [], options, given } = call ?? {};
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content).not.toContain('boiler');
    expect(given?.question).toBe(OFTEN);
    const ids = given?.passages.map(({ passage }) => passage);
    expect(ids?.[0]).toBe('p1');
    expect(given?.passages[0]?.text).toContain('## How often\n\nDescale the boiler every 60 days');
    expect(given?.passages[0]?.text).not.toContain('alert(1)');
    expect(given?.history).toHaveLength(6);
    expect(JSON.stringify(given).length).toBeLessThan(40_000);
    expect(JSON.stringify(options?.schema)).toContain(`"enum":${JSON.stringify(ids)}`);
  });

  it('sends the passages in the order of a reranker, or in search order when it fails', async () => {
    const rank = async (_: string, texts: readonly string[]) => texts.map((text) => -text.length);
    const byLength = { model: 'r', rank };
    const failing = { model: 'r', rank: () => Promise.reject(new Error('no')) };
    const titlesBy = async (reranker?: typeof byLength | typeof failing) => {
      const { ai } = await ask(OFTEN, [honest], { reranker });
      return ai.calls.at(-2)?.given.passages.map(({ title }) => title) ?? [];
    };
    const plainOrder = await titlesBy();
    expect(await titlesBy(failing)).toEqual(plainOrder);
    expect((await titlesBy(byLength)).toSorted()).toEqual(plainOrder.toSorted());
    expect((await titlesBy(byLength))[0]).not.toBe(plainOrder[0]);
  });
});

describe('the confidence of an answer with a model', () => {
  it('is low when sources conflict, even if the model is sure', async () => {
    const { response } = await ask('What is the factory setting of the brewing temperature?', [
      replyOf([{ text: 'The factory setting of the brewing temperature is 92 degrees.', from: 'Brewing temperature' }]),
    ]);
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toMatch(/sources conflict \(taste\/presets\.md, Presets: 94 instead of 92\)/);
  });

  it('is lowered when the source is about another device, which the answer states first', async () => {
    const other = { ...descale, id: 'care/descale-ii.md', devices: ['Barista II'] };
    const kb = openSmallKb([...ARTICLES.filter(({ id }) => id !== 'care/grinder-ii.md'), other]);
    const text = 'Remove the hopper and turn the upper burr to the left by 45 degrees to take it out.';
    const question = 'How far do I turn the upper burr of the Barista II grinder?';
    const { response, metadata } = await ask(question, [replyOf([{ text, from: 'Clean the grinder' }])], { kb });
    expect(metadata.answered_by).toBe('model');
    expect(response.answer).toMatch(/^I don't have information about this for Barista II\.\n\nRemove/);
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toContain('about other devices');
  });

  it('is lowered by the share of removed statements; a removed sentence is not replaced', async () => {
    const script = replyOf([
      { text: QUOTE },
      { text: 'Descale the boiler every 90 days.', from: 'How often' },
      { text: 'Citric acid is cheaper than vinegar.', quote: TANK, from: TANK },
    ]);
    const { response, metadata, answer } = await ask(OFTEN, [script], {
      judge: judging((statement) => !statement.includes('cheaper')),
    });
    expect(response.answer).toContain(QUOTE);
    expect(response.answer).not.toContain(TANK);
    expect(response.answer).not.toMatch(/cheaper|90 days/);
    expect(answer.probability).toBeLessThan(0.7);
    expect(metadata.removed).toEqual([
      { text: 'Descale the boiler every 90 days.', reason: expect.stringContaining('"90 days"') },
      { text: 'Citric acid is cheaper than vinegar.', reason: 'the judge: as scripted' },
    ]);
  });
});

describe('text that looks like markup', () => {
  const quote = 'Open the key `HKCU` > Brew > <x.0> > General and set it to 4.';
  const placeholder = openSmallKb([
    ...ARTICLES,
    { ...descale, id: 'keys.md', title: 'Keys', text: `## Where\n\n${quote}\n` },
  ]);
  it.each([
    ['is shown when it is a placeholder of the article', 'Open Brew > <x.0> > General and set it to 4.', true],
    ['is never shown when the article does not contain it', 'Open Brew > <y.0> > General and set it to 4.', false],
  ])('%s', async (_what, text, isShown) => {
    const script = replyOf([{ text, quote, from: 'HKCU' }]);
    const { metadata } = await ask('Where is the key, and what is it set to?', [script], { kb: placeholder });
    expect(metadata.answered_by).toBe(isShown ? 'model' : 'quotes');
  });
});

it('a list that the judge rejects is replaced by its quotes', async () => {
  const steps = '1. Empty the water tank.\n2. Pour in vinegar.';
  const { response } = await ask(
    'How do I descale the boiler?',
    [replyOf([{ text: QUOTE }, { text: steps, quote: TANK, from: TANK }])],
    { judge: judging((statement) => !statement.includes('vinegar')) },
  );
  expect(response.answer).toContain(TANK);
  expect(response.answer).not.toContain('vinegar');
});

describe('removed statements', () => {
  const plain = answerFromEdition(edition, OFTEN, { screen: promptInjectionScreen }).response;
  const invented = (text: string, from = 'How often') => replyOf([{ text, quote: QUOTE, from }]);
  type Case = [string, ModelRefusal, Parameters<typeof scriptedModel>];
  const CASES: Case[] = [
    ['a refusal', 'refused', [{ finish: 'refused' }]],
    ['half a document', 'cut', [{ finish: 'length', text: '{"statements":[{"pass' }]],
    ['a cut behind valid JSON', 'cut', [(call) => ({ ...honest(call), finish: 'length' })]],
    ['a filtered answer', 'filtered', [{ finish: 'filtered' }]],
    ['nothing', 'empty', [{ text: '  ' }]],
    ['no statement', 'empty', [replyOf([])]],
    ['malformed JSON', 'malformed', [{ text: '{"statements": [}' }]],
    ['prose', 'malformed', [{ text: SAID }]],
    ['another shape', 'malformed', [{ text: JSON.stringify({ answer: SAID, confidence: 'high' }) }]],
    ['a text without an end', 'malformed', [{ text: `"${'x'.repeat(100_000)}"` }]],
    ['an error', 'unavailable', [() => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7'))]],
    ['a thrown value that is not an error', 'unavailable', [() => Promise.reject({ toString: null })]],
    ['an unknown passage', 'unsupported', [replyOf([{ text: SAID, passages: ['p9'] }])]],
    ['no passage', 'unsupported', [replyOf([{ text: SAID, passages: [] }])]],
    ['only a transition', 'unsupported', [replyOf([{ text: 'Do this:', passages: [] }])]],
    ...cases.inventions.map(([what = '', text = '']): Case => [what, 'unsupported', [invented(text)]]),
  ];

  it.each(CASES)('leave the quoted answer when the model returns %s: %s', async (_what, refused, script) => {
    const { response, metadata, ai } = await ask(OFTEN, script, { judge: judging(() => true) });
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: refused });
    expect({ ...response, confidenceReason: '' }).toEqual({ ...plain, confidenceReason: '' });
    expect(response.confidenceReason).toBe(`${plain.confidenceReason} These are quotes, because ${REFUSALS[refused]}.`);
    // No retry, and no judge when literals decide.
    expect(ai.calls).toHaveLength(1);
  });

  it.each(cases.doubtful)('are decided by the judge when one %s', async (_what, text) => {
    const removed = await ask(OFTEN, [invented(text)], { judge: judging(() => false) });
    const refused = { answered_by: 'quotes', model_refused: 'unsupported', usage: { calls: 2 } };
    expect(removed.metadata).toMatchObject(refused);
    const kept = await ask(OFTEN, [invented(text)]);
    expect(kept.response.answer).toContain(text);
  });

  it('remove the sentences of their statement that refer to them', async () => {
    const { response, metadata } = await ask(OFTEN, [
      replyOf([
        { text: 'It has a timer of 90 days. It beeps when it is due. Empty the water tank.', quote: TANK, from: TANK },
        { text: QUOTE },
      ]),
    ]);
    expect(response.answer).not.toMatch(/timer|beeps/);
    expect(metadata.removed?.[1]?.reason).toBe('it refers to a sentence that was removed');
  });

  it('include transitions to a removed statement', async () => {
    const { response } = await ask(OFTEN, [
      replyOf([
        { text: QUOTE },
        { text: 'Then follow these steps:', passages: [] },
        { text: '1. Wait for 90 days.', quote: TANK, from: TANK },
      ]),
    ]);
    expect(response.answer).toBe(`${QUOTE} (care/descale.md, How often)`);
  });
});

describe('a transition to a statement', () => {
  const list = { text: '1. Empty the water tank.', quote: TANK, from: TANK };
  const lead = (text: string, judge: Judge) =>
    ask('Is descaling covered, and how do I do it?', [replyOf([{ text, passages: [] }, list])], { judge });
  const NO_JUDGE: Judge = { finish: 'refused' };
  const [CONFIRMS, DENIES] = [true, false].map((isStated) => judging(() => isStated)) as [Judge, Judge];
  it.each(cases.leads)('is shown with a claim only if the judge confirms it: %s', async (text) => {
    expect((await lead(text, NO_JUDGE)).response.answer).not.toContain(text);
    expect((await lead(text, DENIES)).response.answer).not.toContain(text);
    expect((await lead(text, CONFIRMS)).response.answer).toContain(text);
  });

  it.each(['Yes, this is covered:', 'Yes:', 'Yes, that is included:'])(
    'is shown as an answer without a quote only if the judge confirms it: %s',
    async (text) => {
      expect((await lead(text, CONFIRMS)).response.answer).toContain(text);
      for (const judge of [judging((statement) => statement !== text), NO_JUDGE])
        expect((await lead(text, judge)).response.answer).not.toContain(text);
    },
  );

  it.each(['Do this:', 'Then:', 'To descale the boiler:', 'First empty the tank:'])(
    'is shown without a judge when it claims nothing: %s',
    async (text) => expect((await lead(text, NO_JUDGE)).response.answer).toContain(text),
  );
  it('needs the judge when it has a claim and a quote that does not state it', async () => {
    const script = [replyOf([{ text: 'Yes, the warranty covers this:', quote: TANK, from: TANK }, list])] as const;
    const { response } = await ask('Is descaling covered?', [...script], { judge: NO_JUDGE });
    expect(response.answer).not.toContain('covers');
  });
  it('is also checked within a list', async () => {
    const text = `Yes, the warranty covers this:\n\n${list.text}`;
    const { response } = await ask('Is descaling covered?', [replyOf([{ ...list, text }])], { judge: NO_JUDGE });
    expect(response.answer).not.toContain('Yes, the warranty covers');
  });
});

describe('a judge that fails', () => {
  const doubtful = { text: 'Limescale is calcium carbonate that weak acids dissolve.', quote: TANK, from: TANK };
  const script = replyOf([{ text: SAID, quote: QUOTE, from: 'How often' }, doubtful]);
  const verdicts = ['stated', 'not_stated'];
  const judgements = verdicts.flatMap((verdict) => ['s1', 's2'].map((id) => ({ id, reason: '', verdict })));
  const FAULTS: [string, Judge][] = [
    ['refuses', { finish: 'refused' }],
    ['is cut off', { finish: 'length', text: '{"judgements":[' }],
    ['returns nothing', { text: '' }],
    ['returns prose', { text: 'All of them are fine.' }],
    ['returns no verdict on a statement', { text: JSON.stringify({ judgements: [] }) }],
    ['throws', () => Promise.reject(new Error('no'))],
    ['returns two different verdicts', { text: JSON.stringify({ judgements }) }],
  ];
  it.each(FAULTS)('and %s leaves only statements with lexical support', async (_what, judge) => {
    const { response, metadata } = await ask(OFTEN, [script], { judge });
    expect(response.answer).toBe(`${SAID} (care/descale.md, How often)`);
    expect(metadata).toMatchObject({ answered_by: 'model', removed: [{ text: doubtful.text }] });
  });

  it('and hangs leaves the same before the deadline', async () => {
    const begun = performance.now();
    const judge = () => new Promise<AICompletion>(() => {});
    const { response, metadata } = await ask(OFTEN, [script], { judge, timeLeftMs: () => 400 });
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(response.answer).toBe(`${SAID} (care/descale.md, How often)`);
    expect(metadata.removed?.[0]?.reason).toMatch(/no judge \(timeout\)/);
  });

  it('for lack of budget leaves the same statements', async () => {
    const model = scriptedModel((call) => ({ ...script(call), usage: { inputTokens: 7000, outputTokens: 500 } }));
    const { ai } = budgetedModel(model, { budget: budgetOf({ tokens: 8000 }) });
    const { answer, metadata } = await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    expect(answer.response.answer).toBe(`${SAID} (care/descale.md, How often)`);
    expect(metadata.removed?.[0]?.reason).toMatch(/no judge \(over_budget\)/);
    expect(model.calls).toHaveLength(1);
  });
});

describe('quotes replace the answer of a model', () => {
  const plain = answerFromEdition(edition, OFTEN, { screen: promptInjectionScreen }).response;

  it('that is too slow, before the deadline', async () => {
    let isAborted = false;
    const slow = scriptedModel(({ options }) => {
      options.signal?.addEventListener('abort', () => {
        isAborted = true;
      });
      return new Promise<AICompletion>(() => {});
    });
    const begun = performance.now();
    const { answer, metadata } = await answerQuestion(edition, OFTEN, { ai: slow, timeLeftMs: () => 400 });
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(isAborted).toBe(true);
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'timeout', degraded: ['model'] });
    expect(answer.response.answer).toBe(plain.answer);
  });

  it('that hangs, after twelve seconds even if more time is left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const hanging = scriptedModel(() => new Promise<AICompletion>(() => {}));
      let answered: { metadata: AnswerMetadata } | undefined;
      const pending = answerQuestion(edition, OFTEN, { ai: hanging, timeLeftMs: () => 30_000 }).then((reply) => {
        answered = reply;
      });
      await vi.advanceTimersByTimeAsync(11_900);
      expect(answered).toBeUndefined();
      await vi.advanceTimersByTimeAsync(200);
      await pending;
      expect(answered?.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'timeout' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('that has no time left, without calling it', async () => {
    const { metadata, ai } = await ask(OFTEN, [honest], { timeLeftMs: () => 100 });
    expect(metadata.model_refused).toBe('timeout');
    expect(ai.calls).toHaveLength(0);
  });

  it.each([
    ['tokens', { tokens: 500 }],
    ['cost', { cost_micros: 0 }],
  ])('that exceeds the budget of %s', async (_what, budgets) => {
    const model = scriptedModel(honest);
    const { ai } = budgetedModel(model, { budget: budgetOf(budgets) });
    const { answer, metadata } = await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    expect(metadata.model_refused).toBe('over_budget');
    expect(answer.response.answer).toBe(plain.answer);
    expect(model.calls).toHaveLength(0);
  });

  it('that found no answer by declining', async () => {
    const { response, metadata } = await ask(OFTEN, [replyOf([], { verdict: 'no_information' })]);
    expect(response.sources).toEqual([]);
    expect(metadata.model_refused).toBe('no_answer');
    expect(response.confidenceReason).toContain('the model found no answer in the passages');
  });

  it('that is not called because no search finds anything', async () => {
    for (const question of ['???', 'xqzt vbnm plok']) {
      const { ai, metadata } = await ask(question, [honest]);
      expect(ai.calls.map(({ options }) => options.schema?.name)).toEqual(['search_queries']);
      expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'not_asked' });
    }
  });
});

describe('the language of an answer', () => {
  const text =
    'Der Kessel wird alle 60 Tage entkalkt. Mit hartem Wasser wird er alle 30 Tage entkalkt, sonst heizt er nicht mehr.';
  const german = { ...descale, id: 'pflege/entkalken.md', title: 'Kessel entkalken', text };
  const kb = openSmallKb([...ARTICLES, german]);

  it('is that of the question when a source is in it', async () => {
    const script = replyOf([{ text: 'Der Kessel wird alle 60 Tage entkalkt.', from: 'Kessel' }]);
    const { metadata, response } = await ask('Wie oft wird der Kessel entkalkt?', [script], { kb });
    expect(metadata.answered_by).toBe('model');
    expect(response.answer).toContain('(pflege/entkalken.md, Kessel entkalken)');
  });

  it('is that of the sources otherwise', async () => {
    const script = replyOf([{ text: QUOTE, from: 'How often' }]);
    const { metadata } = await ask('Wie oft muss man den Boiler descale?', [script]);
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
    'reports embeddings as %s, and searches again the next time',
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

  it.each(['used', 'absent'] as const)('caches an answer whose embeddings were %s', async (semantic) => {
    const { retrieve, calls } = await search(semantic);
    const { edition: own } = openSmallKb();
    const options = { retrieve, timeLeftMs: () => 5000 };
    const { answer, metadata } = await answerQuestion(own, OFTEN, options);
    expect(metadata).toEqual({});
    expect((await answerQuestion(own, OFTEN, options)).answer).toBe(answer);
    expect(calls()).toBe(1);
  });

  it('does not cache the answer of a model', async () => {
    const ai = scriptedModel(honest);
    await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    await answerQuestion(edition, OFTEN, { ai, timeLeftMs: () => 5000 });
    expect(ai.calls).toHaveLength(4);
  });

  const plainOf = (own: typeof edition) => answerFromEdition(own, OFTEN).response;
});
