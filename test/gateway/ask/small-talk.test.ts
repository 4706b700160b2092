import { describe, expect, it } from 'vitest';
import type { AIClient, Librarian } from '../../../src/contract/core/librarian.ts';
import { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';
import { AgentSuccess, DisplayModel } from '../../../src/contract/wire/agent-response.ts';
import SAFETY from '../../../src/gateway/ask/safety.json' with { type: 'json' };
import REPLIES from '../../../src/gateway/ask/small-talk.json' with { type: 'json' };
import { fixedReply, readPersonWays, replyTo } from '../../../src/gateway/ask/small-talk.ts';
import { outcomeOf } from '../../../src/gateway/history/keep-answers.ts';
import { resultFormatter } from '../../../src/librarians/agents/format/result-formatter.ts';
import { isDeclined } from '../../../src/librarians/delegation/abstention.ts';
import cases from '../../language/small-talk.json' with { type: 'json' };
import { LIBRARIANS } from '../../librarians/concierge/decide.ts';
import { READER, replyOf, startGateway } from '../gateway-for-test.ts';

const start = (options: Parameters<typeof startGateway>[0] = {}) =>
  startGateway({
    infos: LIBRARIANS,
    keys: { [READER]: { capabilities: ['kb:read'] } },
    ...options,
  });
const declines: Record<string, Librarian> = {
  navigator: async () => ({
    answer: 'I have no information about this.',
    sources: [],
    partial: true,
    confidence: 0.1,
    metadata: { closest: [] },
  }),
};

describe('POST /v1/ask', () => {
  it.each([
    ['Thanks, that helped', 'thanks', REPLIES.en.thanks, 'closes'],
    ['danke, hat geklappt', 'thanks', REPLIES.de.thanks, 'closes'],
    ['hello!', 'greeting', REPLIES.en.greeting, 'closes'],
    ['au revoir', 'goodbye', REPLIES.fr.goodbye, 'closes'],
    ['I want to talk to a person', 'person', REPLIES.en.person, 'person'],
    ['Ich möchte mit einem Menschen sprechen', 'person', REPLIES.de.person, 'person'],
  ])('replies to %j without asking anybody', async (query, kind, answer, verdict) => {
    const ai: AIClient = { model: 'm', complete: () => Promise.reject(new Error('asked')) };
    const { ask, asked } = await start({ ai });
    const { status, body } = await ask({ query });
    expect([status, body.answer, body.metadata?.small_talk, body.partial]).toEqual([
      200,
      answer,
      kind,
      undefined,
    ]);
    expect(asked).toEqual([]);
    expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
    expect(isDeclined(body)).toBe(false);
    expect(outcomeOf(body).verdict).toBe(verdict);
  });
  it.each([
    ['Mein Gerät raucht und riecht verbrannt!', 'de'],
    ['There is smoke coming out of the power supply, what do I do?', 'en'],
    ['Me ha dado una descarga eléctrica al tocar el equipo', 'es'],
    ["De la fumée sort de l'appareil", 'fr'],
  ] as const)('puts safety first for %j, and asks no one', async (query, language) => {
    const ai: AIClient = { model: 'm', complete: () => Promise.reject(new Error('asked')) };
    const { ask, asked } = await start({ ai });
    const { body } = await ask({ query, librarian: 'navigator' });
    expect(body.answer).toBe(`${SAFETY[language]}\n\n${REPLIES[language].person}`);
    expect(body).toMatchObject({ sources: [], metadata: { danger: true, small_talk: 'person' } });
    expect([asked, isDeclined(body), outcomeOf(body).verdict]).toEqual([[], false, 'person']);
  });
  it.each([
    'How hot may the case get, and is there a risk of fire?',
    'How do I configure the firewall?',
    'How do I burn an SD card?',
    'Wie laut ist der Lüfter?',
  ])('asks about %j, which reports no danger', async (query) => {
    const { ask, asked } = await start();
    await ask({ query });
    expect(asked).toHaveLength(1);
  });
  it('replies to thanks for a named librarian, too', async () => {
    const { ask, asked } = await start();
    expect((await ask({ query: 'thx', librarian: 'navigator' })).body.metadata?.small_talk).toBe(
      'thanks',
    );
    expect(asked).toEqual([]);
  });
  it.each([
    'Thanks, but how?',
    'hat nicht geklappt',
    'How do I contact support?',
    'hi how do I reset my password',
  ])('asks about %j', async (query) => {
    const { ask, asked } = await start();
    await ask({ query });
    expect(asked.map(({ query: sent }) => sent)).toContain(query);
  });
  it('answers the question behind thanks', async () => {
    const { ask, asked } = await start();
    await ask({ query: 'Thanks! And how long does shipping to Canada take?' });
    expect(asked).toHaveLength(1);
  });
  it('takes the language of a short thank-you from the conversation', async () => {
    const { ask } = await start();
    const history = [{ speaker: 'user', text: 'Wie lange dauert der Versand nach Kanada?' }];
    expect((await ask({ query: 'super', metadata: { history } })).body.answer).toBe(
      REPLIES.de.thanks,
    );
  });
  it('sends librarians no turns with a question that stands alone', async () => {
    const { ask, asked } = await start();
    const history = [
      { speaker: 'user', text: 'How loud is it?' },
      { speaker: 'assistant', text: '45 dBA.' },
    ];
    await ask({ query: 'What does the warranty cover?', metadata: { history } });
    await ask({ query: 'And in Eco?', metadata: { history } });
    expect(asked.map(({ context }) => context?.metadata?.history)).toEqual([undefined, history]);
  });
});

it('fixedReply() puts safety first in every language that the product speaks', () => {
  expect(Object.keys(SAFETY).toSorted()).toEqual(Object.keys(REPLIES).toSorted());
  // The word is English, too.
  const explosion = 'Det var en explosion i enheten och jag vet inte vad jag ska göra';
  expect(fixedReply(explosion)?.response.answer).toContain(SAFETY.sv);
  expect(fixedReply('Устройство дымится!')?.response.answer).toContain(SAFETY.ru);
});

describe('routes of single librarians', () => {
  const ALL = { [READER]: { capabilities: ['kb:read', 'sql:read', 'web:search'] } };
  const contact = 'https://example.com/contact';
  const AGENTS = ['analytics', 'semantic', 'web_search', 'hybrid'] as const;
  const MESSAGES = [
    ['thanks!', 'thanks', REPLIES.en.thanks],
    ['Ich möchte mit einem Menschen sprechen', 'person', contact],
    ['Mein Gerät raucht und riecht verbrannt!', 'person', SAFETY.de],
  ] as const;
  const reply = async (path: string, query: string) => {
    const { send, asked } = await start({
      keys: ALL,
      personWays: () => ({ handsOver: false, contact }),
    });
    const response = await send(path, { query });
    return { status: response.status, text: await response.text(), asked };
  };
  it.each(MESSAGES)('reply to %j without a librarian', async (query, kind, text) => {
    const navigated = await reply('/v1/navigate', query);
    const navigator = NavigatorResponse.parse(JSON.parse(navigated.text));
    expect([navigated.status, navigator.answer, navigated.asked]).toEqual([
      200,
      expect.stringContaining(text),
      [],
    ]);
    expect(navigator).toMatchObject({ sources: [], outOfDomain: true, confidence: 'high' });
    expect(navigator.metadata).toMatchObject({ small_talk: kind });
    for (const type of AGENTS) {
      const asked = await reply(`/v1/agents/${type}`, query);
      const agent = AgentSuccess.parse(JSON.parse(asked.text));
      expect([type, agent.type, asked.asked]).toEqual([type, type, []]);
      expect(resultFormatter.toText(agent)).toContain(text.slice(0, 20));
      expect(agent.metadata).toMatchObject({
        small_talk: kind,
        ...(text === SAFETY.de ? { danger: true } : {}),
      });
    }
  });
  it.each(MESSAGES)('reply to %j in each format', async (query, _kind, text) => {
    const [first = ''] = text.split('\n');
    for (const type of AGENTS) {
      for (const format of ['markdown', 'text'] as const)
        expect((await reply(`/v1/agents/${type}?format=${format}`, query)).text).toContain(
          first.slice(0, 20),
        );
      const { text: shown } = await reply(`/v1/agents/${type}?format=display`, query);
      const { blocks } = DisplayModel.parse(JSON.parse(shown));
      expect(blocks).toEqual([{ kind: 'text', text: expect.stringContaining(first.slice(0, 8)) }]);
    }
  });
  it('stream the reply', async () => {
    const { send, asked } = await start({ keys: ALL });
    for (const path of ['/v1/navigate', '/v1/agents/semantic']) {
      const response = await send(
        path,
        { query: 'My battery is on fire' },
        { accept: 'text/event-stream' },
      );
      expect(await response.text()).toMatch(/event: done\ndata: .*Your safety comes first/);
    }
    expect(asked).toEqual([]);
  });
  it('refuse them as ever to a key without the right', async () => {
    const { send } = await start();
    expect((await send('/v1/agents/analytics', { query: 'thanks' })).status).toBe(401);
  });
});

describe('a request for a person', () => {
  const QUERY = 'Can I speak to a human please?';
  const ways = { handsOver: true, contact: 'https://example.com/contact' };
  it.each([
    [{ handsOver: false }, [REPLIES.en.person], { handover: false }],
    [
      { ...ways, handsOver: false },
      ['[contact us](https://example.com/contact)'],
      { contact: ways.contact },
    ],
    [{ handsOver: true }, [REPLIES.en.person], { handover: true }],
    [
      ways,
      ['[contact us](https://example.com/contact)'],
      { handover: true, contact: ways.contact },
    ],
  ])('gets the way to one: %j', async (known, texts, metadata) => {
    const { ask } = await start({ personWays: () => known });
    const { body } = await ask({ query: QUERY });
    for (const text of texts) expect(body.answer).toContain(text);
    expect(body.metadata).toMatchObject({ small_talk: 'person', ...metadata });
  });
  it('reads that a person can take over only in a client that has a form for it', async () => {
    const { send } = await start({ personWays: () => ways });
    const headers = { 'constellation-interface': 'widget' };
    const { body } = await replyOf(send('/v1/ask', { query: QUERY }, headers));
    expect(body.answer).toMatch(new RegExp(`^${REPLIES.en.handover}`));
  });
  it('about something is answered from articles', async () => {
    const { ask, asked } = await start();
    const { body } = await ask({ query: 'How do I talk to a person about a refund?' });
    expect([asked.length, body.answer]).toEqual([1, 'navigator']);
  });
  it('about something that no article answers gets the way to one in place of a declination', async () => {
    const { ask } = await start({ librarianOf: declines, personWays: () => ways });
    const { body } = await ask({ query: 'How do I talk to a person about a refund?' });
    expect(body.metadata).toMatchObject({ small_talk: 'person', contact: ways.contact });
    expect(isDeclined(body)).toBe(false);
    const other = await ask({ query: 'How do I add a page to my site?' });
    expect(isDeclined(other.body)).toBe(true);
  });
});

it('thanks in words that no article answers get the reply to thanks in place of a declination', async () => {
  const query = 'Thanks, you have been a great help!';
  const { ask } = await start({ librarianOf: declines });
  expect((await ask({ query })).body).toMatchObject({
    answer: REPLIES.en.thanks,
    metadata: { small_talk: 'thanks' },
  });
  const { ask: askAnswered } = await start();
  expect((await askAnswered({ query })).body.answer).toBe('navigator');
});

describe('readPersonWays()', () => {
  it.each([
    [{}, { handsOver: false }],
    [{ HANDOVER: '{"acme": "zendesk"}' }, { handsOver: true }],
    [
      { HANDOVER: '{"globex": "list"}', CONTACT_URL: 'mailto:help@example.com' },
      { handsOver: false, contact: 'mailto:help@example.com' },
    ],
    [
      { HANDOVER: 'nonsense', CONTACT_URL: '{"acme": "https://a.example/"}' },
      { handsOver: false, contact: 'https://a.example/' },
    ],
    [{ CONTACT_URL: '{"globex": "https://a.example/"}' }, { handsOver: false }],
  ])('reads %j', (variables, expected) => {
    expect(readPersonWays(variables)('acme')).toEqual(expected);
  });
  it.each(['javascript:alert(1)', '{"acme": "ftp://x"}', '{', 'call us'])(
    'refuses the contact %j',
    (CONTACT_URL) => {
      expect(() => readPersonWays({ CONTACT_URL })).toThrow('CONTACT_URL');
    },
  );
});

it.each(Object.entries(cases.byLanguage))('replyTo() replies in %s', (language) => {
  const kinds = ['thanks', 'greeting', 'goodbye', 'person'] as const;
  const texts = kinds.map((kind) => replyTo({ kind, language }, { handsOver: false }).answer);
  expect(texts).toEqual(kinds.map((kind) => REPLIES[language as keyof typeof REPLIES][kind]));
});
