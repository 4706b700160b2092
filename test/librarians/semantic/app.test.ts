import { afterEach, describe, expect, it, vi } from 'vitest';
import { statesLackOfInformation } from '../../../src/contract/core/lack-of-information.ts';
import { type AIClient, LibrarianInfo } from '../../../src/contract/core/librarian.ts';
import { KnowledgeStats } from '../../../src/contract/wire/knowledge.ts';
import { EditionUnavailable } from '../../../src/knowledge/edition/edition-reader.ts';
import { createApp } from '../../../src/librarians/semantic/semantic-agent.ts';
import { judging, replyOf, scriptedModel } from '../../answering/write/scripted-model.ts';
import { openSmallKb } from '../../answering/write/small-kb.ts';
import {
  ask,
  callFrom,
  identityOf,
  targetOf,
  userContext,
} from '../../platform/context/callers.ts';
import { askAgent, atDeadline, startClock, stopClock } from '../agents/agents-for-test.ts';
import EXPECTED from './app.json' with { type: 'json' };

type SemanticAppOptions = Parameters<typeof createApp>[0];

const { edition } = openSmallKb();
const QUESTION = 'How often must the boiler be descaled?';
const identity = await identityOf('semantic');
const appOf = (options: Partial<SemanticAppOptions> = {}) =>
  createApp({ ...identity, log: () => undefined, editionFor: async () => edition, ...options });
const searched = async (
  query: string,
  options?: unknown,
  parts: Partial<SemanticAppOptions> = {},
) => {
  const body = options === undefined ? { query } : { query, options };
  return askAgent(appOf(parts), { type: 'semantic', body });
};
const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';
const SUMMARY = `How often:\n${QUOTE} The display shows the drop symbol when it is due. (Descale the boiler, How often)`;

const unavailable: SemanticAppOptions['editionFor'] = async () => {
  throw new EditionUnavailable('Cannot answer yet: no knowledge base has been synced');
};

afterEach(startClock);

describe('POST /v1/agents/semantic', () => {
  it('returns documents with scores and locations, and a summary that cites them', async () => {
    const { reply, status } = await searched(QUESTION);
    const [{ content, score, ...document }] = reply.result.documents;
    expect([
      status,
      { ...reply, result: { ...reply.result, documents: [document] } },
    ]).toMatchObject([200, EXPECTED]);
    expect(document).toEqual(EXPECTED.result.documents[0]);
    expect(content).toContain('Descale the boiler every 60 days');
    expect(score).toBeGreaterThan(0.7);
    expect(reply.result.summary).toBe(SUMMARY);
    expect(reply.source_attribution.confidence).toBe(score);
  });
  it('searches for the subject of a request for documents', async () => {
    const query = 'Please find all documents about the water filter';
    const { reply } = await searched(query);
    expect([reply.query, reply.metadata.searched_for]).toEqual([query, 'the water filter']);
    expect(reply.result.documents[0].metadata.source).toBe('parts/water-filter.md');
  });
  it('does not lower the score of a document that lacks the word for the kind of text', async () => {
    const scoreOf = async (query: string) => (await searched(query)).reply.metadata.best_score;
    const plain = await scoreOf('the water filter');
    expect(await scoreOf('What is our policy on the water filter?')).toBe(plain);
    expect(await scoreOf('Explain the water filter')).toBe(plain);
    expect(await scoreOf('unicorn water filter')).toBeLessThan(plain);
    expect(await scoreOf('policy')).toBe(0);
  });
  it('applies a threshold and a limit, best first', async () => {
    const found = async (options: object) =>
      (await searched('boiler', { similarity_threshold: 0, ...options })).reply.result;
    const all = await found({ limit: 50 });
    const scores = all.documents.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect(scores.length).toBeGreaterThan(2);
    const some = await found({ similarity_threshold: scores[1], limit: 50 });
    expect(some).toMatchObject({ document_count: 2, similarity_threshold: scores[1] });
    expect((await found({ limit: 1 })).documents).toEqual(all.documents.slice(0, 1));
    const { documents, summary } = await found({ limit: 2 });
    const cited = [...summary.matchAll(/\(([\w ]+)(?:, [^()]*)?\)/g)].map(([, title]) => title);
    const listed = documents.map(({ metadata }: { metadata: { title: string } }) => metadata.title);
    expect([cited.length > 0, cited.filter((title) => !listed.includes(title))]).toEqual([
      true,
      [],
    ]);
  });
  it.each([
    ...[1.1, '0.5', [0.5]].map((similarity_threshold) => ({ similarity_threshold })),
    ...[0, 51, 2.5].map((limit) => ({ limit })),
  ])('refuses the options %o with INVALID_QUERY', async (options) => {
    const { reply, status } = await searched(QUESTION, options);
    expect([status, reply.success, reply.metadata.error_code]).toEqual([
      400,
      false,
      'INVALID_QUERY',
    ]);
    expect(reply.metadata.suggestion).toContain('similarity_threshold');
  });
  it('names the nearest document when nothing reaches the threshold', async () => {
    const { reply, status } = await searched('Which port does wifi use?');
    const { result, metadata } = reply;
    const none = {
      documents: [],
      document_count: 0,
      summary: 'I found nothing that answers this question.',
    };
    expect([status, reply]).toMatchObject([
      200,
      { success: true, result: none, source_attribution: { confidence: 0 } },
    ]);
    expect([metadata.summary_by, metadata.best_score < 0.7]).toEqual(['none', true]);
    const place = {
      title: expect.any(String),
      file: 'network/wifi.md',
      url: expect.any(String),
      heading: 'Settings',
    };
    const document = expect.stringMatching(/^[\w-]+.*, Settings$/);
    expect(metadata.nearest[0]).toEqual({ document, score: metadata.best_score, ...place });
    expect(statesLackOfInformation(result.summary)).toBe(true);
  });
  it('reads the rows of a table as lines', async () => {
    const { reply } = await searched('Which encryption and band settings?', {
      similarity_threshold: 0,
    });
    expect(reply.result.summary).toContain('Encryption: WPA2');
    expect(reply.result.summary).not.toContain('|');
  });
  it('states that it found nothing when no word of the question is known, without asking a model', async () => {
    const ai = scriptedModel();
    const { reply } = await searched('unicorn', undefined, { ai });
    expect(reply).toMatchObject({
      success: true,
      result: { document_count: 0 },
      metadata: { best_score: 0 },
    });
    expect([statesLackOfInformation(reply.result.summary), ai.calls]).toEqual([true, []]);
  });
  it('answers SERVICE_UNAVAILABLE before the first sync', async () => {
    const { reply, status } = await searched(QUESTION, undefined, { editionFor: unavailable });
    expect([status, reply.metadata.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(reply.error).toBe('Cannot answer yet: no knowledge base has been synced');
  });
  it('reads the knowledge base of the workspace that the context names', async () => {
    const editionFor = vi.fn<SemanticAppOptions['editionFor']>(async () => edition);
    await askAgent(appOf({ editionFor }), {
      type: 'semantic',
      context: userContext({ workspace: 'acme' }),
    });
    expect(editionFor.mock.calls.map(([{ context }]) => context.workspace)).toEqual(['acme']);
  });
  it('refuses a context without kb:read', async () => {
    const context = userContext({ capabilities: ['sql:read'] });
    expect((await askAgent(appOf(), { type: 'semantic', context })).status).toBe(401);
  });
});

describe('With a model', () => {
  it('its summary is used when the documents support it, with their citations', async () => {
    const text = 'The boiler is to be descaled every 60 days, with hard water every 30 days.';
    const { reply } = await searched(QUESTION, undefined, {
      ai: scriptedModel(replyOf([{ text, quote: QUOTE }])),
    });
    expect(reply.result.summary).toBe(`${text.slice(0, -1)} (Descale the boiler, How often).`);
    expect(reply.metadata).toMatchObject({ summary_by: 'model', model: 'scripted-1' });
  });
  it.each([
    ['another number', 'Descale the boiler every 90 days.'],
    ['another name', 'Descale the boiler every 60 days, says Barista.'],
    ['an address', 'Descale the boiler every 60 days, see https://evil.example/days.'],
    [
      'what the judge rejects',
      'The manufacturer recommends professional maintenance and cleaning services.',
    ],
    ['a negation that is not in the document', 'Never descale the boiler every 60 days.'],
  ])('the quotes are used when it answers %s', async (_, text) => {
    const ai = scriptedModel(replyOf([{ text, quote: QUOTE }]));
    ai.judge = judging(() => false);
    const { reply } = await searched(QUESTION, undefined, { ai });
    expect(reply.result.summary).toBe(SUMMARY);
    expect(reply.metadata).toMatchObject({ summary_by: 'quotes', summary_refused: 'unsupported' });
  });
  it.each([
    ['fails', 'unavailable', () => Promise.reject(new Error('429'))],
    ['does not answer before the deadline', 'timeout', () => new Promise<never>(() => undefined)],
  ])('the quotes are used when it %s', async (_, summary_refused, complete) => {
    stopClock();
    const called = Promise.withResolvers<void>();
    const ai: AIClient = {
      model: 'm',
      complete: () => {
        called.resolve();
        return complete();
      },
    };
    const asked = searched(QUESTION, undefined, { ai });
    await called.promise;
    const { reply, status } = await atDeadline(asked);
    expect([status, reply.metadata]).toMatchObject([
      200,
      { summary_by: 'quotes', summary_refused },
    ]);
  });
});

describe('The semantic agent as a librarian', () => {
  it('answers with the summary, and names the articles as sources', async () => {
    const { reply } = await ask('semantic', appOf(), { query: QUESTION });
    expect(reply).toMatchObject({
      answer: SUMMARY,
      sources: [
        {
          name: 'Descale the boiler',
          url: 'https://docs.example.com/care/descale.md',
          type: 'document',
        },
      ],
      metadata: { semantic: { success: true, result: { document_count: 1 } } },
    });
    expect(reply).not.toHaveProperty('partial');
    const nothing = await ask('semantic', appOf(), { query: 'unicorn' });
    expect(nothing.reply).toMatchObject({ partial: true, confidence: 0, sources: [] });
  });
  it('describes itself with examples', async () => {
    const { examples } = LibrarianInfo.parse(
      await (await appOf().request('/librarians/semantic')).json(),
    );
    expect(examples?.length).toBeGreaterThan(20);
  });
});
it("GET /v1/knowledge/stats reports the embedding cache of the caller's workspace only", async () => {
  const none = { hits: 0, storeHits: 0, misses: 0, coalesced: 0, failures: 0, storeFaults: 0 };
  const figures = { ...none, hits: 3, storeHits: 1, misses: 4 };
  const { target } = targetOf(
    appOf({ statistics: (workspace) => (workspace === 'acme' ? figures : none) }),
  );
  const statsOf = async (workspace: string) => {
    const request = { to: 'semantic', method: 'GET', path: '/v1/knowledge/stats' };
    const { answer } = await callFrom('gateway', userContext({ workspace }), {
      targets: { semantic: target },
      request,
    });
    return KnowledgeStats.parse(answer.ok ? answer.json() : answer).embedding_cache;
  };
  expect(await statsOf('acme')).toMatchObject({ hits: 3, store_hits: 1, misses: 4, hit_rate: 0.5 });
  expect(await statsOf('globex')).toMatchObject({ hits: 0, store_hits: 0, misses: 0, hit_rate: 0 });
});
