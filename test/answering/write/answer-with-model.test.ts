import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import { REFUSALS } from '../../../src/answering/write/answer-with-model.ts';
import { validateNavigatorResponse } from '../../../src/answering/write/validate-navigator-response.ts';
import type { AICompletion } from '../../../src/contract/core/librarian.ts';
import { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import {
  answerQuestion,
  type QuestionOptions,
} from '../../../src/librarians/navigator/answer-question.ts';
import { budgetOf } from '../../../src/platform/context/limits.ts';
import { budgetedModel } from '../../../src/platform/context/model-budget.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import cases from './answer-with-model.json' with { type: 'json' };
import {
  judging,
  type Reply,
  replyOf,
  type ScriptedStatement,
  scriptedModel,
  seeking,
} from './scripted-model.ts';
import { ARTICLES, OFTEN, openSmallKb, QUOTE } from './small-kb.ts';

type ModelRefusal = keyof typeof REFUSALS;

const SMALL = openSmallKb();
const DESCALE = 'How do I descale the boiler?';
const SAID = 'The boiler has to be descaled every 60 days, or every 30 days with hard water.';
const CITED = '([Descale the boiler](https://docs.example.com/care/descale.md), How often)';
const SAID_CITED = `${SAID} ${CITED}`;
const HONEST = { text: SAID, quote: QUOTE, from: 'How often' };
const TANK = 'Empty the water tank.';
const [descale] = ARTICLES as [(typeof ARTICLES)[number]];
const PLAIN = answerFromEdition(SMALL.edition, OFTEN, { isScreened: true }).response;
const HANGS: Reply = () => new Promise<AICompletion>(() => {});

interface Given extends Partial<QuestionOptions> {
  kb?: typeof SMALL;
  judge?: Reply | undefined;
  queries?: readonly string[];
  /** Reply to the call for queries. */
  model?: object;
  budgets?: Parameters<typeof budgetOf>[0];
}

/** Asks a question, and checks invariants of every answer. */
const ask = async (
  question: string,
  script: Reply | ScriptedStatement[] = [HONEST],
  { kb = SMALL, judge, queries, model: proposed, budgets, ...options }: Given = {},
) => {
  const ai = scriptedModel(Array.isArray(script) ? replyOf(script) : script);
  ai.judge = judge ?? ai.judge;
  if (queries !== undefined) ai.queries = seeking(...queries);
  if (proposed !== undefined) ai.queries = { text: JSON.stringify(proposed) };
  const model = budgets === undefined ? ai : budgetedModel(ai, { budget: budgetOf(budgets) }).ai;
  const given = { ai: model, timeLeftMs: () => 5000, ...options };
  const { answer, metadata } = await answerQuestion(kb.edition, question, given);
  const { response } = answer;
  expect(NavigatorResponse.safeParse(response).error?.issues).toBeUndefined();
  const broken = validateNavigatorResponse(response, kb.knowledge, {
    query: question,
    checked: response.answer.split('\n').map((line) => withoutEnd(line, answer.frame)),
    frame: answer.frame,
  });
  // The judge decides on paraphrases.
  const byWords = ['sentence-supported', 'not-contradicted', 'source-supports-answer'];
  expect(
    broken.filter(({ rule }) => metadata.answered_by !== 'model' || !byWords.includes(rule)),
  ).toEqual([]);
  const callNamed = (name: string) =>
    ai.calls.find(({ options: { schema } }) => schema?.name === name);
  return {
    ai,
    answer,
    metadata,
    response,
    callNamed,
    names: ai.calls.map((call) => call.options.schema?.name),
  };
};

/** A line of an answer without the reference at its end. */
const withoutEnd = (line: string, frame: readonly string[]): string => {
  const end = frame.find((part) => part !== '' && line.endsWith(` ${part}`));
  return end === undefined ? line : line.slice(0, -end.length - 1);
};

describe('an answer with a model', () => {
  it('consists of its words, with file, section, exact excerpt and usage', async () => {
    const { response, metadata, names } = await ask(OFTEN);
    const excerpts = [{ quote: QUOTE, start: descale.text.indexOf(QUOTE) }];
    expect(response).toMatchObject({
      answer: SAID_CITED,
      sources: [{ file: 'care/descale.md', section: 'How often', edition: 'e1', excerpts }],
      confidence: 'high',
      confidenceReason: expect.stringContaining('checked against the passages that it cites'),
    });
    expect(metadata).toEqual({
      answered_by: 'model',
      model: 'scripted-1',
      model_ms: expect.any(Number),
      usage: { calls: 2, input_tokens: 2000, output_tokens: 200, cost_usd: 0.001 },
    });
    expect(names).toEqual(['answer_from_passages', 'judged_statements']);
  });
  it('sends the judge every statement in one call, its quotes marked in their whole sections', async () => {
    const said = [
      { text: 'First you let all the water out.', quote: TANK, from: TANK },
      { text: QUOTE },
    ];
    const { ai, callNamed } = await ask(DESCALE, said);
    const { sections = [], statements = [] } = callNamed('judged_statements')?.given ?? {};
    expect(statements).toMatchObject([
      { id: 's1', quotes: 'q1', statement: said[0]?.text },
      { id: 's2', quotes: 'q2', statement: QUOTE },
    ]);
    expect(sections[0]?.text).toContain(`[q1]${TANK}[/q1]`);
    expect(sections[0]?.text).toContain('Pour in one sachet of citric acid');
    expect(
      ai.calls.filter(({ options }) => options.schema?.name === 'judged_statements'),
    ).toHaveLength(1);
  });
  it.each([
    {
      text: 'Descale the boiler every 60 days, because limescale dissolves in weak acids.',
      rest: 'Descale the boiler every 60 days.',
      dropped: 'acids',
    },
    {
      text: '不是你配置写错了：锅炉每60天除一次垢。',
      rest: '锅炉每60天除一次垢。',
      dropped: '不是',
    },
  ])('shows what the judge leaves of a statement: $rest', async ({ text, rest, dropped }) => {
    const judge = judging(
      () => true,
      (statement) => (statement === text ? rest : ''),
    );
    const { response } = await ask(OFTEN, [{ text, quote: QUOTE, from: 'How often' }], { judge });
    expect(response.answer).toContain(rest);
    expect(response.answer).not.toContain(dropped);
  });
  it.each([
    [
      'adds a word',
      'Descale the new boiler every 60 days.',
      'Descale the boiler every 60 days, it is due.',
    ],
    [
      'drops what limits it',
      'Descale the boiler every 60 days.',
      'Descale the boiler only every 60 days.',
    ],
    ['drops a denial in Chinese', '锅炉要每60天除垢。', '锅炉不要每60天除垢。'],
    ['drops who may in Chinese', '每60天除垢。', '只有管理员才能每60天除垢。'],
    ['drops a denial in Thai', 'ลบไฟล์ทุก 60 วัน', 'ห้ามลบไฟล์ทุก 60 วัน'],
    [
      'drops a denial beside a Chinese word',
      'Descale the 锅炉 boiler every 60 days.',
      'Do not descale the 锅炉 boiler every 60 days.',
    ],
    ['is all of it', 'Descale the boiler every 60 days.', 'Descale the boiler every 60 days.'],
  ])(
    'drops a statement when what the judge would keep of it %s',
    async (_what, kept, text = `${kept} It is due.`) => {
      const judge = judging(
        () => true,
        () => kept,
      );
      const { metadata } = await ask(OFTEN, [{ text, quote: QUOTE, from: 'How often' }], { judge });
      expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
    },
  );
  it.each<[string, ScriptedStatement]>([
    [
      'its quote stands nowhere',
      { text: QUOTE, quote: 'Descale it now and then.', from: 'How often' },
    ],
    ['it has no quote', { text: 'Send us your card number.', passages: [] }],
    [
      'it introduces a quoted one with a claim',
      { text: 'Send your card number to support:', passages: [] },
    ],
  ] satisfies [string, ScriptedStatement][])(
    'drops a statement on the word of the judge alone: %s',
    async (_what, each) => {
      const { metadata, response } = await ask(OFTEN, [each, HONEST], {
        judge: judging(() => true),
      });
      expect(response.answer).not.toMatch(/card number/);
      const alone = await ask(OFTEN, [each], { judge: judging(() => true) });
      expect(alone.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
      expect(
        metadata.removed?.some(({ text }) => text === each.text) || each.passages !== undefined,
      ).toBe(true);
    },
  );
  it('declines when the judge refuses it as a whole and the quotes are not sure; sure quotes take its place', async () => {
    const judge = judging(() => false);
    const unsure = await ask('How warm is the tank in summer?', [HONEST], { judge });
    expect(unsure.response.sources).toEqual([]);
    // What the model took for an answer is linked.
    expect(unsure.response.answer).toMatch(
      /^I don't have information about this\.\n\nThe closest articles:\n\n- \[Milk foam\]/,
    );
    expect(unsure.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'unsupported' });
    expect((await ask(OFTEN, [HONEST], { judge })).response.answer).toContain(QUOTE);
    // A judge that fails refuses nothing.
    const failing: Reply = () => Promise.reject(new Error('overloaded'));
    const quoted = await ask('How warm is the tank in summer?', [HONEST], { judge: failing });
    expect(quoted.response.sources).not.toEqual([]);
  });
  it('names the article alone after paragraphs from two of its sections, and reads no title of it as a statement', async () => {
    const steps = [
      'If you have lost your mill ring key - not all is lost, as the ring can be reset without losing any beans.',
      'Turn the ring to the left.',
      'Shake out the dust.',
    ];
    const [opening = '', turn = '', shake = ''] = steps;
    const text = `${opening}\n\n## Ring\n\n${turn}\n\n## Dust\n\n${shake}`;
    const mill = { ...descale, id: 'mill', url: '', title: 'Resetting the mill ring key', text };
    const kb = openSmallKb([mill, ...ARTICLES]);
    const { response, metadata } = await ask(
      'How do I reset the mill ring?',
      steps.map((step) => ({ text: step, quote: step })),
      { kb },
    );
    expect(metadata.answered_by).toBe('model');
    const title = mill.title;
    expect(response.answer).toBe(`${opening}\n\n${turn}\n\n${shake} (${title})`);
  });
  it('keeps lists, tables and code whole, with their introductions', async () => {
    const list = `1. ${TANK}\n2. Pour in one sachet of citric acid and 1.2 litres of water.`;
    const lead = { text: 'To descale the boiler:', quote: TANK, from: TANK };
    const { response } = await ask(DESCALE, [lead, { text: list, quote: TANK, from: TANK }]);
    expect(response.answer).toBe(
      `To descale the boiler:\n\n${list}\n\n([Descale the boiler](https://docs.example.com/care/descale.md), Steps)`,
    );
  });
  it('is returned when the question and the passage use different words', async () => {
    const text = 'Pour in one sachet of citric acid and 1.2 litres of water.';
    const { response, metadata } = await ask('How do I get rid of the limescale?', [
      { text, from: 'Steps' },
    ]);
    expect(metadata.answered_by).toBe('model');
    expect(response.confidence).toBe('high');
    expect(response.answer).not.toMatch(/not sure/);
  });
  it('comes from queries of the model when the first search is weak', async () => {
    const queries = ['how often descale boiler', 'x'.repeat(900)];
    const { names, metadata, callNamed } = await ask(
      'My espresso apparatus is full of chalk',
      [HONEST],
      { queries },
    );
    expect(names).toEqual(['search_queries', 'answer_from_passages', 'judged_statements']);
    expect(metadata).toMatchObject({ answered_by: 'model', usage: { calls: 3 } });
    expect(metadata.queries?.[0]).toBe('how often descale boiler');
    expect(callNamed('answer_from_passages')?.given.passages[0]?.title).toBe('Descale the boiler');
  });
  it.each([
    [
      'of the question when a source is in it',
      'Wie oft wird der Kessel entkalkt?',
      cases.german.statement,
      'Kessel',
    ],
    ['of the sources otherwise', 'Wie oft muss man den Boiler descale?', QUOTE, 'How often'],
  ])('is in the language %s', async (_what, question, text, from) => {
    const german = {
      ...descale,
      id: 'pflege/entkalken.md',
      title: 'Kessel entkalken',
      text: cases.german.text,
    };
    const kb = from === 'Kessel' ? openSmallKb([...ARTICLES, german]) : SMALL;
    const { metadata, response } = await ask(question, [{ text, from }], { kb });
    expect(metadata.answered_by).toBe('model');
    if (from === 'Kessel') expect(response.answer).toContain('([Kessel entkalken](');
  });
});

describe('the prompt', () => {
  it('marks truncated passages', async () => {
    const filler = Array.from(
      { length: 200 },
      (_, at) => `Kettle ${at} stands on a shelf of its own.`,
    ).join(' ');
    const text = `# Limescale\n\nThe limescale of the kettle is measured with a strip. ${filler}`;
    const kb = openSmallKb([...ARTICLES, { ...descale, id: 'long.md', title: 'Kettle', text }]);
    const options = { kb, wordVectors: shippedWordVectors };
    const { ai } = await ask(
      'How is the limescale of the kettle measured with a strip?',
      [HONEST],
      options,
    );
    const passages = ai.calls.flatMap(({ given }) => given.passages);
    const cut = passages.filter((passage) => 'ends' in passage).map(({ title }) => title);
    expect(new Set(cut)).toEqual(new Set(['Kettle']));
  });
  it('is never surer of a follow-up than of the same question asked in full', async () => {
    const history = [{ speaker: 'user' as const, text: OFTEN }];
    const full = (await ask(OFTEN, [HONEST])).answer;
    const { answer, metadata } = await ask('How often must it be descaled?', [HONEST], { history });
    expect([metadata.answered_by, answer.response.statements]).toEqual([
      'model',
      full.response.statements,
    ]);
    expect(answer.probability).toBeLessThan(full.probability);
    expect([full.response.confidence, answer.response.confidence]).toEqual(['high', 'medium']);
    expect(answer.response.confidenceReason).toMatch(/^Medium confidence/);
  });
  it('has whole sections, turns and question between tags of a fresh code, bounded, and allows eight ids', async () => {
    const turn = (at: number) => ({
      speaker: 'user' as const,
      text: `turn ${at} ${'x'.repeat(3000)}`,
    });
    const history = [
      ...Array.from({ length: 12 }, (_, at) => turn(at)),
      { speaker: 'user' as const, text: OFTEN },
    ];
    const { callNamed } = await ask('How often must it be descaled?', [HONEST], { history });
    const { messages, options, given } = callNamed('answer_from_passages')!;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content).not.toContain('boiler');
    expect(given.question).toBe('How often must it be descaled?');
    expect(given.passages[0]?.text).toContain('## How often\n\nDescale the boiler every 60 days');
    expect(given.passages[0]?.text).not.toContain('alert(1)');
    expect(String(given.earlier).split('\n')).toHaveLength(6);
    expect(JSON.stringify(given).length).toBeLessThan(40_000);
    expect(given.passages[0]?.passage).toBe('p1');
    const ids = Array.from({ length: 8 }, (_, at) => `p${at + 1}`);
    expect(JSON.stringify(options.schema)).toContain(`"enum":${JSON.stringify(ids)}`);
    const prompt = messages[1]?.content ?? '';
    const [code = ''] = /(?<=The code of the tags is )\w+/.exec(prompt) ?? [];
    const again = (await ask('How often must it be descaled?', [HONEST], { history })).callNamed(
      'answer_from_passages',
    );
    expect(again?.messages[1]?.content).not.toContain(code);
    // What services cache: the same text and schema in every call.
    expect(again?.messages[0]).toEqual(messages[0]);
    expect(prompt.lastIndexOf(`<question-${code}>`)).toBeGreaterThan(
      prompt.lastIndexOf(`</article-${code}>`),
    );
  });
  it('has the passages in the order of a reranker, or in search order when it fails', async () => {
    type Rank = NonNullable<QuestionOptions['reranker']>['rank'];
    const titlesBy = async (rank?: Rank) => {
      const { callNamed } = await ask(OFTEN, [HONEST], { reranker: rank && { model: 'r', rank } });
      return callNamed('answer_from_passages')?.given.passages.map(({ title }) => title) ?? [];
    };
    const plainOrder = await titlesBy();
    expect(await titlesBy(() => Promise.reject(new Error('no')))).toEqual(plainOrder);
    const [first = ''] = plainOrder;
    const othersFirst = await titlesBy(async (_, texts) =>
      texts.map((text) => (text.startsWith(first) ? 0 : 1)),
    );
    expect(othersFirst.toSorted()).toEqual(plainOrder.toSorted());
    expect(othersFirst[0]).not.toBe(first);
  });
});

describe('the confidence of an answer with a model', () => {
  const parts = (...answered: string[]) => ({
    parts: answered.map((each) => ({
      asked: 'how often descaled',
      passages: ['p1'],
      answered: each,
    })),
  });
  it.each([
    [
      'a part is answered in part',
      parts('in_part'),
      'low',
      /Parts of the question that are answered: 1 of 1/,
    ],
    [
      'a part is open',
      parts('yes', 'no'),
      'low',
      /Parts of the question that are answered: 1 of 2/,
    ],
    [
      'a part has no statement',
      parts('yes', 'yes'),
      'low',
      /Parts of the question that are answered: 1 of 2/,
    ],
  ])('is lower when %s', async (_what, more, level, reason) => {
    const sure = await ask(OFTEN, [{ text: QUOTE, from: 'How often' }]);
    const { response, answer } = await ask(
      OFTEN,
      replyOf([{ text: QUOTE, from: 'How often' }], more),
    );
    expect([sure.response.confidence, response.confidence]).toEqual(['high', level]);
    expect(answer.probability).toBeLessThan(sure.answer.probability);
    expect(response.confidenceReason).toMatch(reason);
  });
  it('is low when sources conflict, even if the model is sure', async () => {
    const { response } = await ask('What is the factory setting of the brewing temperature?', [
      {
        text: 'The factory setting of the brewing temperature is 92 degrees.',
        from: 'Brewing temperature',
      },
    ]);
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toMatch(/sources conflict \(Presets: 94 instead of 92\)/);
  });
  it('is lowered when the source is about another device, which the answer states first', async () => {
    const other = { ...descale, id: 'care/descale-ii.md', devices: ['Barista II'] };
    const kb = openSmallKb([...ARTICLES.filter(({ id }) => id !== 'care/grinder-ii.md'), other]);
    const text =
      'Remove the hopper and turn the upper burr to the left by 45 degrees to take it out.';
    const question = 'How far do I turn the upper burr of the Barista II grinder?';
    const { response, metadata } = await ask(question, [{ text, from: 'Clean the grinder' }], {
      kb,
    });
    expect(metadata.answered_by).toBe('model');
    expect(response.answer).toMatch(
      /^I don't have information about this for Barista II; what follows is about other devices\.\n\nRemove/,
    );
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toContain('about other devices');
  });
  it('is lowered by the share of removed statements; a removed sentence is not replaced', async () => {
    const invented = { text: 'Descale the boiler every 90 days.', from: 'How often' };
    const denied = { text: 'Citric acid is cheaper than vinegar.', quote: TANK, from: TANK };
    const judge = judging((statement) => statement !== denied.text);
    const { response, metadata, answer } = await ask(OFTEN, [{ text: QUOTE }, invented, denied], {
      judge,
    });
    expect(response.answer).toBe(
      `${QUOTE} ([Descale the boiler](https://docs.example.com/care/descale.md), How often)`,
    );
    expect(answer.probability).toBeLessThan(0.7);
    expect(metadata.removed).toEqual([
      { text: invented.text, reason: 'no quote of it stands in a passage' },
      { text: denied.text, reason: 'the judge: as scripted' },
    ]);
  });
});

describe('statements that are removed', () => {
  const invented = (text: string) => [{ text, quote: QUOTE, from: 'How often' }];
  type Refusal = [string, ModelRefusal, Reply | ScriptedStatement[]];
  it.each<Refusal>([
    ...(cases.refusals as [string, ModelRefusal, Partial<AICompletion>][]),
    [
      'a cut behind valid JSON',
      'cut',
      (call) => ({ ...replyOf([HONEST])(call), finish: 'length' }),
    ],
    ['a text without an end', 'malformed', { text: `"${'x'.repeat(100_000)}"` }],
    ['no statement', 'empty', []],
    ['an error', 'unavailable', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7'))],
    [
      'a thrown value that is not an error',
      'unavailable',
      () => Promise.reject({ toString: null }),
    ],
    ...(cases.unsupported as [string, ScriptedStatement][]).map(
      ([what, each]): Refusal => [what, 'unsupported', [each]],
    ),
    ...cases.inventions.map(
      ([what = '', text = '']): Refusal => [what, 'unsupported', invented(text)],
    ),
  ])('leave the quoted answer when the model returns %s: %s', async (_what, refused, script) => {
    const { response, metadata, ai } = await ask(OFTEN, script);
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: refused });
    const confidenceReason = `${PLAIN.confidenceReason} These are quotes, because ${REFUSALS[refused]}.`;
    expect(response).toEqual({ ...PLAIN, confidenceReason });
    // No retry, and no judge when literals decide.
    expect(ai.calls).toHaveLength(1);
  });
  it.each(cases.doubtful)('are decided by the judge when one %s', async (_what, text) => {
    const removed = await ask(OFTEN, invented(text), { judge: judging(() => false) });
    const refused = { answered_by: 'quotes', model_refused: 'unsupported', usage: { calls: 2 } };
    expect(removed.metadata).toMatchObject(refused);
    expect((await ask(OFTEN, invented(text))).response.answer).toContain(text);
  });
  it.each([
    [
      'is shown when it is a placeholder of the article',
      'Open Brew > <x.0> > General and set it to 4.',
      'model',
    ],
    [
      'is removed when the article does not contain it',
      'Open Brew > <y.0> > General and set it to 4.',
      'quotes',
    ],
    [
      'is shown when it is escaped',
      'Open `HKCU` > Brew > \\<x.0> > General and set it to 4.',
      'model',
    ],
    [
      'is removed behind an escaped backslash',
      'Open Brew > \\\\<img src=x> > General and set it to 4.',
      'quotes',
    ],
  ])('include text that looks like markup, which %s', async (_what, text, answeredBy) => {
    const quote = 'Open the key `HKCU` > Brew > <x.0> > General and set it to 4.';
    const kb = openSmallKb([
      ...ARTICLES,
      { ...descale, id: 'keys.md', title: 'Keys', text: `## Where\n\n${quote}\n` },
    ]);
    const question = 'Where is the key, and what is it set to?';
    expect(
      (await ask(question, [{ text, quote, from: 'HKCU' }], { kb })).metadata.answered_by,
    ).toBe(answeredBy);
  });
  it('include an address in angle brackets as the article writes it', async () => {
    for (const address of ['<https://kettle.example:9090/>', '\\<https://kettle.example:9090/>']) {
      const text = `Open ${address} and set the key to 4.`;
      const kb = openSmallKb([
        ...ARTICLES,
        { ...descale, id: 'keys.md', title: 'Keys', text: `## Where\n\n${text}\n` },
      ]);
      const { metadata } = await ask(
        'Where is the key, and what is it set to?',
        [{ text, quote: text, from: 'Open' }],
        { kb },
      );
      expect([address, metadata.answered_by]).toEqual([address, 'model']);
    }
  });
  it('include what introduces them', async () => {
    const { response, metadata } = await ask(
      OFTEN,
      [
        { text: QUOTE },
        { text: 'Then follow these steps:', quote: TANK, from: TANK },
        { text: '1. Wait for the moon.', quote: TANK, from: TANK },
      ],
      { judge: judging((text) => !text.includes('moon')) },
    );
    expect(response.answer).not.toMatch(/steps|moon/);
    expect(response.answer).toContain(QUOTE);
    expect(metadata.removed?.map(({ reason }) => reason)).toEqual([
      'nothing is left of what it introduces',
      'the judge: as scripted',
    ]);
  });
  it('leave the sentences of prose that stand beside an invented link', async () => {
    const text = `${QUOTE} See https://descale.example/plan.`;
    const { response } = await ask(OFTEN, [{ text, quote: QUOTE, from: 'How often' }]);
    expect(response.answer).toContain(QUOTE);
    expect(response.answer).not.toContain('descale.example');
  });
});

describe('a sentence that leads to a statement', () => {
  const list = { text: `1. ${TANK}`, quote: TANK, from: TANK };
  const shown = async (
    lead: ScriptedStatement | undefined,
    judge: Reply,
    statement: ScriptedStatement = list,
  ) =>
    (
      await ask(
        'Is descaling covered, and how do I do it?',
        lead ? [lead, statement] : [statement],
        { judge },
      )
    ).response.answer;

  it.each(cases.leads)(
    'is not shown without a quote, even if the judge confirms it: %s',
    async (text) => {
      const lead = { text, passages: [] };
      for (const judge of [judging((statement) => statement !== text), judging(() => true)])
        expect(await shown(lead, judge)).not.toContain(text);
    },
  );
  it('needs the judge', async () => {
    const text = 'Yes, the warranty covers this:';
    const noJudge: Reply = { finish: 'refused' };
    expect(await shown({ text, quote: TANK, from: TANK }, noJudge)).not.toContain('covers');
    expect(
      await shown(undefined, noJudge, { ...list, text: `${text}\n\n${list.text}` }),
    ).not.toContain('covers');
  });
});

describe('what the passages leave open', () => {
  const SEVERAL = 'How often must the boiler be descaled, and is it sold in green?';
  const open = (missing: string) => ({
    parts: [
      { asked: 'how often descaled', passages: ['p1'], answered: 'yes' },
      { asked: 'sold in green', passages: [], answered: 'no' },
    ],
    missing,
  });
  const said = (
    missing: string,
    judge?: Reply,
    statements: ScriptedStatement[] = [{ text: QUOTE, from: 'How often' }],
  ) => ask(SEVERAL, replyOf(statements, open(missing)), { judge });
  const NAMED = 'I found nothing about “sold in green”.';

  it('is said in the words of the model when the judge confirms them', async () => {
    const missing = 'The articles do not say whether it is sold in green.';
    const { response } = await said(missing);
    expect(response.answer).toContain(QUOTE);
    expect(response.answer.endsWith(missing)).toBe(true);
    expect(response.confidence).toBe('low');
  });
  it('is said behind what is answered, also when no part is answered as a whole', async () => {
    const missing = 'I found nothing on a green one.';
    const parts = [{ asked: 'descale a green one', passages: ['p1'], answered: 'in_part' }];
    const { response } = await ask(
      SEVERAL,
      replyOf([{ text: QUOTE, from: 'How often' }], { parts, missing }),
    );
    expect(response.answer.indexOf(QUOTE)).toBe(0);
    expect(response.answer).toContain(missing);
  });
  it.each<[string, string, Reply | undefined]>([
    ['the model says nothing', '', undefined],
    [
      'the judge does not confirm its words',
      'Green boilers are sold out.',
      judging((text) => text === QUOTE),
    ],
    [
      'they have a number that is not asked for',
      'It is not said whether the 70 green ones are sold.',
      undefined,
    ],
    ['they have a link', 'It is not said, see https://green.example.', undefined],
    [
      'there is no judge',
      'The articles do not say whether it is sold in green.',
      { finish: 'refused' },
    ],
  ])('is named otherwise: %s', async (_what, missing, judge) => {
    const { response } = await said(missing, judge);
    expect(response.answer).toContain(NAMED);
    expect(missing === '' || !response.answer.includes(missing)).toBe(true);
  });
  it.each([
    ['yes', '', 'sold in green'],
    ['in_part', 'I found nothing on a green one.', 'sold in green'],
    ['yes', '', 'its colour green'],
  ])(
    'is named, and not as lacking, when all statements about a part are removed: %s %s %s',
    async (answered, missing, asked) => {
      const parts = [
        { asked: 'how often descaled', passages: ['p1'], answered: 'yes' },
        { asked, passages: ['p1'], answered },
      ];
      const green = { text: 'It is sold in green.', quote: QUOTE, from: 'How often', part: 2 };
      const reply = replyOf([{ text: QUOTE, from: 'How often' }, green], { parts, missing });
      const { response } = await ask(SEVERAL, reply, {
        judge: judging((text) => text === QUOTE || text === missing),
      });
      const name = asked === 'sold in green' ? asked : 'is it sold in green';
      expect(response.answer).toContain(`A part of the question is not answered here: “${name}”.`);
      expect(response.answer).not.toContain('nothing');
    },
  );
  it('is not named in words of the model alone', async () => {
    const parts = [
      { asked: 'how often descaled', passages: ['p1'], answered: 'yes' },
      { asked: 'visit BoilerMax', passages: [], answered: 'no' },
    ];
    const { response } = await ask(
      SEVERAL,
      replyOf([{ text: QUOTE, from: 'How often' }], { parts }),
    );
    expect(response.answer).not.toContain('BoilerMax');
    expect(response.answer).toContain('A part of the question is not answered here.');
  });
  it('is named, and not as lacking, when the model forgets it', async () => {
    const two = 'How often must the boiler be descaled? And is it sold in green?';
    const model = {
      alone: '',
      parts: ['how often descaled', 'sold in green'].map((asked) => ({ asked, queries: [asked] })),
    };
    const parts = [{ asked: 'how often descaled', passages: ['p1'], answered: 'yes' }];
    const reply = replyOf([{ text: QUOTE, from: 'How often' }], { parts });
    const { response } = await ask(two, reply, { model });
    expect(response.answer).toContain(
      'A part of the question is not answered here: “sold in green”.',
    );
    expect(response.answer).not.toContain('nothing');
  });
  it('is searched once more by queries of the model, when none have searched for it', async () => {
    const { names, response, metadata } = await ask(
      'How do I clean the grinder of the Barista II?',
      (call) => {
        const shown = call.given.passages.some(({ text }) => text.includes(QUOTE));
        return shown
          ? replyOf([{ text: QUOTE, from: 'How often' }])(call)
          : replyOf([], { parts: [{ asked: 'boiler', passages: [], answered: 'no' }] })(call);
      },
      { queries: ['how often descale the boiler'] },
    );
    const answers = names.filter((name) => name === 'answer_from_passages').length;
    expect(answers).toBeLessThanOrEqual(2);
    if (metadata.answered_by === 'model') expect(response.answer).toContain(QUOTE);
  });
  it('is searched once more where it is answered in part', async () => {
    const answers: string[] = [];
    const { names } = await ask(
      OFTEN,
      (call) => {
        answers.push(call.messages.at(-1)?.content ?? '');
        const parts = [{ asked: 'cleaning the grinder', passages: ['p1'], answered: 'in_part' }];
        return answers.length === 1
          ? replyOf([{ text: QUOTE, from: 'How often' }], { parts })(call)
          : replyOf([])(call);
      },
      { queries: ['clean the burrs of the grinder'] },
    );
    expect(names.filter((name) => name === 'answer_from_passages')).toHaveLength(2);
    expect(answers[1]).toContain('cleaning the grinder');
  });
});

it('takes no word of the model for one of the customer in the second round', async () => {
  const parts = [
    { asked: 'how often descaled', passages: ['p1'], answered: 'yes' },
    { asked: '777 days of the grinder', passages: [], answered: 'no' },
  ];
  const asked: string[] = [];
  const { names, response } = await ask(
    OFTEN,
    (call) => {
      asked.push(call.messages.at(-1)?.content ?? '');
      if (asked.length === 1) return replyOf([{ text: QUOTE, from: 'How often' }], { parts })(call);
      const [passage] = call.given.passages;
      const quote = passage?.text.split('. ')[0] ?? '';
      return replyOf([{ text: 'Clean the grinder every 777 days.', quote, from: quote }])(call);
    },
    { queries: ['clean the burrs of the grinder'], judge: judging(() => true) },
  );
  expect(names.filter((name) => name === 'answer_from_passages')).toHaveLength(2);
  expect(asked[1]).toContain(OFTEN);
  expect(response.answer).toContain(QUOTE);
  expect(response.answer).not.toContain('777 days.');
});

const doubtful = {
  text: 'Limescale is calcium carbonate that weak acids dissolve.',
  quote: TANK,
  from: TANK,
};
/** It quotes the same. */
const again = { ...doubtful, text: 'Weak acids dissolve limescale.' };
const verdicts = ['stated', 'not_stated'];
const judgements = verdicts.flatMap((verdict) =>
  ['s1', 's2'].map((id) => ({ id, finds: '', verdict, keep: '' })),
);
const uses: Reply = (call) => ({
  ...replyOf([{ text: QUOTE, from: 'How often' }, doubtful, again])(call),
  usage: { inputTokens: 7000, outputTokens: 500 },
});
it.each<[string, Reply | undefined, Given?, RegExp?]>([
  ...(cases.judgeFaults as [string, Partial<AICompletion>][]),
  ['throws', () => Promise.reject(new Error('no'))],
  ['returns two different verdicts', { text: JSON.stringify({ judgements }) }],
  ['hangs', HANGS, { timeLeftMs: () => 400 }, /no judge \(timeout\)/],
  ['lacks budget', undefined, { budgets: { tokens: 8000 } }, /no judge \(over_budget\)/],
])(
  'a judge that fails and %s leaves the sentences that are quoted, in place of what the model says',
  async (_what, judge, options, reason = /./) => {
    const { response, metadata } = await ask(OFTEN, uses, { judge, ...options });
    expect(response.answer).toMatch(
      /^Descale the boiler every 60 days.*\n\nTo descale the boiler:\n\n1\. Empty the water tank\.\n\n\(/,
    );
    expect(response.answer).not.toContain('carbonate');
    expect(response.confidence).toBe('low');
    const removed = [doubtful, again].map(({ text }) => ({
      text,
      reason: expect.stringMatching(reason),
    }));
    expect(metadata).toMatchObject({ answered_by: 'model', removed });
  },
);

describe('quotes replace the answer of a model', () => {
  it.each([
    ['at the deadline', 400, 100, 400],
    ['after eleven seconds even if more time is left', 30_000, 10_900, 11_100],
  ])('that hangs, %s', async (_when, timeLeftMs, pendingMs, answeredMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const signals: (AbortSignal | undefined)[] = [];
    const hangs: Reply = (call) => {
      signals.push(call.options.signal);
      return HANGS(call);
    };
    let answered: Awaited<ReturnType<typeof ask>> | undefined;
    const pending = ask(OFTEN, hangs, { timeLeftMs: () => timeLeftMs }).then((reply) => {
      answered = reply;
    });
    await vi.advanceTimersByTimeAsync(pendingMs);
    expect(answered).toBeUndefined();
    await vi.advanceTimersByTimeAsync(answeredMs - pendingMs);
    await pending;
    const timeout = { answered_by: 'quotes', model_refused: 'timeout', degraded: ['model'] };
    expect(answered).toMatchObject({ metadata: timeout, response: { answer: PLAIN.answer } });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
  it.each<[string, Given, ModelRefusal]>([
    ['has no time left', { timeLeftMs: () => 100 }, 'timeout'],
    ['exceeds the budget of tokens', { budgets: { tokens: 500 } }, 'over_budget'],
    ['exceeds the budget of cost', { budgets: { cost_micros: 0 } }, 'over_budget'],
  ])('that %s, without calling it', async (_what, options, refused) => {
    const { response, metadata, ai } = await ask(OFTEN, [HONEST], options);
    expect(metadata.model_refused).toBe(refused);
    expect(response.answer).toBe(PLAIN.answer);
    expect(ai.calls).toHaveLength(0);
  });
  it('that found no answer by declining', async () => {
    const { response, metadata } = await ask(
      OFTEN,
      replyOf([], { parts: [{ asked: 'how often', passages: [], answered: 'no' }] }),
    );
    expect(response.sources).toEqual([]);
    expect(metadata.model_refused).toBe('no_answer');
    expect(response.confidenceReason).toContain('the model found no answer in the passages');
  });
  it('that sees no part in a question without a subject by asking back', async () => {
    const { response } = await ask('It does not work', [HONEST], {
      judge: undefined,
      model: { alone: '', parts: [] },
    });
    expect(response).toMatchObject({ outOfDomain: false, sources: [] });
    expect(response.answer).toContain('what exactly happens');
  });
  it('that has no part on the subject of the articles by declining, after one short call', async () => {
    const { names, response, metadata } = await ask('What is the capital of France?', [HONEST], {
      judge: undefined,
      model: { alone: '', parts: [] },
    });
    expect(names).toEqual(['search_queries']);
    expect(response).toMatchObject({ outOfDomain: true, sources: [] });
    expect(metadata).toMatchObject({
      answered_by: 'quotes',
      model_refused: 'not_asked',
      usage: { calls: 1 },
    });
  });
  it.each(['???', 'xqzt vbnm plok'])(
    'that is not called because no search finds anything: %s',
    async (question) => {
      const { names, metadata } = await ask(question);
      expect(names).toEqual(['search_queries']);
      expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'not_asked' });
    },
  );
});
