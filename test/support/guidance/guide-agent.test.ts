import { describe, expect, it } from 'vitest';
import { unavailableRetrieval } from '../../../src/contract/wire/knowledge.ts';
import { AgentGuidance } from '../../../src/contract/wire/support-response.ts';
import { dangerIn } from '../../../src/language/danger.ts';
import type { Answer } from '../../../src/support/drafts/answer-passages.ts';
import { createDraftComposer } from '../../../src/support/drafts/generate-draft.ts';
import type { ModelOutcome } from '../../../src/support/drafts/write-with-model.ts';
import { guideAgent } from '../../../src/support/guidance/guide-agent.ts';
import { missingInformation } from '../../../src/support/message/intent-rules.ts';
import type { Knowledge } from '../../../src/support/retrieval/knowledge.ts';
import { knowledgeOf, passage, taxonomy, ticketOf } from '../drafts/tickets.ts';
import risks from './risks.json' with { type: 'json' };

const FANS = passage('1. Clean the fan.\n2. Lower the room temperature.', {
  steps: ['Clean the **fan**.', 'Lower the room temperature, see `Miner > Power`.'],
});
const HIDDEN = { ...FANS, url: 'http://localhost:8787/api/kb/text/fans.md' };
const SOURCE = { title: 'Fans and noise', url: 'https://docs.example.com/care/fans' };
const answerOf = (...passages: Answer['passages']): Answer => ({
  passages,
  hasPromptInjection: false,
});
const NOTHING = { knowledge: unavailableRetrieval(), answer: answerOf() };

interface Given {
  knowledge?: Knowledge;
  answer?: Answer;
  model?: ModelOutcome | undefined;
  metadata?: Record<string, unknown>;
}
const guide = (
  message: string,
  { knowledge = knowledgeOf(FANS), answer = answerOf(FANS), model, metadata }: Given = {},
) => {
  const ticket = ticketOf(message, { metadata }, answer);
  const danger = dangerIn(message)?.words;
  const classification = {
    primary_intent: 'noise',
    confidence: 0.93,
    ...(danger === undefined ? {} : { danger }),
  };
  const composed = createDraftComposer({ taxonomy, ticket })(
    classification,
    undefined,
    metadata,
    knowledge,
  );
  const missing = missingInformation(
    taxonomy.intents.find(({ id }) => id === 'noise'),
    ticket,
  );
  const now = Date.parse('2026-11-01T00:00:00Z');
  const guidance = guideAgent({
    taxonomy,
    classification,
    ticket,
    missing,
    knowledge,
    composed,
    model,
    now,
  });
  expect(AgentGuidance.safeParse(guidance).error).toBeUndefined();
  return { ...guidance, all: guidance.risks.join('\n') };
};
const aged = (last_updated: string) => {
  const { sources_consulted, ...knowledge } = knowledgeOf(FANS);
  return {
    knowledge: {
      ...knowledge,
      sources_consulted: sources_consulted.map((each) => ({ ...each, last_updated })),
    },
  };
};

const LOUD = 'The fan is loud';
const GERMAN = passage('Wenn der Lüfter zu laut ist, dann reinige ihn mit dem Pinsel.', {
  language: 'de',
});
const REFUSED = { model: 'm', refused: 'it failed', removed: 1, leftOut: [] };
const TRIED = { knowledge: knowledgeOf({ ...FANS, relevance: 0.7 }), answer: answerOf() };

it.each([
  [undefined, 'No article clearly answers this'],
  ['timeout', 'could not be searched in time'],
  ['unavailable', 'could not be searched in time'],
] as const)(
  'says of a draft without quotes whether the articles were searched: %s',
  (degraded, says) => {
    const { all } = guide(LOUD, { knowledge: unavailableRetrieval(degraded), answer: answerOf() });
    const others = ['No article clearly answers this', 'could not be searched in time'].filter(
      (each) => each !== says,
    );
    expect(all).toContain(says);
    expect(all).not.toContain(others[0]);
  },
);
it('recommends the steps of the draft in plain words, each with its source if that is public', () => {
  const steps = ['Clean the fan.', 'Lower the room temperature, see Miner > Power.'];
  expect(guide(LOUD).recommended_steps).toEqual(steps.map((step) => ({ step, ...SOURCE })));
  const { recommended_steps } = guide(LOUD, { answer: answerOf(HIDDEN) });
  expect(recommended_steps).toEqual(steps.map((step) => ({ step, title: SOURCE.title })));
});
it.each<[string, Given, string | RegExp]>([
  [
    'My Apollo II is loud',
    {},
    /^.+ \(93 % sure\), Apollo II; the draft quotes one article, coverage high\.$/,
  ],
  [LOUD, NOTHING, 'the draft quotes no article'],
  // Also those without a public address.
  [LOUD, { answer: answerOf(HIDDEN) }, 'the draft quotes one article'],
  [LOUD, { answer: answerOf(HIDDEN, FANS) }, 'quotes 2 articles'],
])('summarises the ticket in a sentence: %s', (message, given, expected) => {
  expect(guide(message, given).summary).toMatch(expected);
});
it('reports a closing message, and no missing facts', () => {
  const { summary, risks: all } = guide('Thank you, that fixed it!', {
    knowledge: unavailableRetrieval(),
  });
  expect(summary).toBe('The customer thanks, or says that it is solved.');
  expect(all).toEqual([expect.stringContaining('there seems to be nothing to answer')]);
});
it.each<[string, string, Given, string]>([
  ...(risks as [string, string, Given, string][]),
  [
    'that an article says what was tried',
    LOUD,
    TRIED,
    'an article comes close, but repeats what was tried',
  ],
  [
    'old sources',
    LOUD,
    aged('2021-03-01T00:00:00Z'),
    '"Fans and noise" was last updated on 2021-03-01',
  ],
  [
    'a second language',
    `${LOUD}, what can I do?`,
    { answer: answerOf(GERMAN) },
    'English, and quotes in German',
  ],
  [
    'an injection of an article',
    LOUD,
    { answer: { passages: [], hasPromptInjection: true } },
    'they were left out',
  ],
  ['why a model did not write', LOUD, { model: REFUSED }, 'written without a model: it failed'],
])('reports %s', (_, message, given, expected) =>
  expect(guide(message, given).all).toMatch(new RegExp(expected)),
);
it.each<[string, Given]>([
  ['The fan of my device is loud, what can I do?', {}],
  ['The fan is loud. What can I do??? Dust?', {}],
  [LOUD, aged('2026-03-01T00:00:00Z')],
])('has no risks when there are none: %s', (message, given) =>
  expect(guide(message, given).risks).toEqual([]),
);
it('omits questions without an answer, and removals of a refused draft', () => {
  expect(guide('How? What now? And when?', NOTHING).all).not.toContain('questions');
  expect(guide(LOUD, { model: REFUSED }).all).not.toContain('removed');
});
it('states that the draft does not answer, and lists the closest articles', () => {
  const weak = knowledgeOf({ ...FANS, relevance: 0.4 });
  const { all, closest_articles } = guide(LOUD, { knowledge: weak, answer: answerOf() });
  expect(all).toContain('neither does the draft');
  expect(closest_articles).toEqual([{ ...SOURCE, relevance_score: 0.4 }]);
  expect(guide(LOUD).closest_articles).toBeUndefined();
});
it('names the first steps that the draft of a model omits', () => {
  const leftOut = Array.from(
    { length: 6 },
    (_, at) => `${at + 1}. Turn the wheel.\n${'Wait. '.repeat(40)}`,
  );
  expect(
    guide(LOUD, { model: { model: 'm', refused: undefined, removed: 0, leftOut } }).all,
  ).toMatch(
    /leaves out steps that its articles have: “1\. Turn the wheel\. Wait\..{0,120}…”, .* and 2 more\./,
  );
});
it('stays within its bounds for any input', () => {
  const gaps = Array.from({ length: 20 }, (_, at) => `${at} ${'gap '.repeat(100)}`);
  const metadata = { attachments: Array.from({ length: 100 }, () => 'x'.repeat(300)) };
  guide('smoke!!! refund '.repeat(500), {
    knowledge: { ...unavailableRetrieval(), gaps },
    metadata,
  });
});

describe('the note', () => {
  const QUOTES_NOTHING =
    /quotes (?:nothing|no article)|no article clearly answers|neither does the draft/i;
  const cases = [
    LOUD,
    'My Apollo II is loud',
    'It smokes!',
    'Thank you, that fixed it!',
    'Der Lüfter ist viel zu laut und es hört nicht auf',
  ].flatMap((message) =>
    [
      [],
      [FANS],
      [HIDDEN],
      [HIDDEN, FANS],
      [{ ...FANS, url: 'ftp://docs.example.com/fans' }],
    ].flatMap((passages) =>
      [0.1, 0.69, 0.7, 0.95].flatMap((relevance) =>
        [undefined, REFUSED].map((model) => ({ message, passages, relevance, model })),
      ),
    ),
  );
  it.each(cases)(
    'never contradicts its draft: $message, $relevance ($#)',
    ({ message, passages, relevance, model }) => {
      const knowledge = knowledgeOf({ ...FANS, relevance });
      const {
        summary = '',
        all,
        quoted_articles: quoted = [],
      } = guide(message, { knowledge, answer: answerOf(...passages), model });
      const isQuoting = quoted.length > 0;
      if (isQuoting) expect(`${summary}\n${all}`).not.toMatch(QUOTES_NOTHING);
      else expect(summary).not.toMatch(/quotes (?:one|\d+) article/);
      if (/quotes (?:one|\d+) article/.test(summary))
        expect(quoted.length).toBe(Number(/(\d+) articles/.exec(summary)?.[1] ?? 1));
    },
  );
  it('lists what the draft quotes by title, with an address only where the public can open it', () => {
    const { quoted_articles } = guide(LOUD, { answer: answerOf(HIDDEN) });
    expect(quoted_articles).toEqual([{ title: SOURCE.title }]);
    expect(guide(LOUD).quoted_articles).toEqual([SOURCE]);
  });
});
