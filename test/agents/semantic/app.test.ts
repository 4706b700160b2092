import { describe, expect, it } from 'vitest';
import { createApp, type SemanticAppOptions } from '../../../src/agents/semantic/semantic-agent.ts';
import { describeLibrarian } from '../../../src/contract/conformance/describe-librarian.ts';
import { type AIClient, LibrarianInfo } from '../../../src/contract/librarian.ts';
import { statesLackOfInformation } from '../../../src/contract/navigator-response.ts';
import { DataSourceError } from '../../../src/http/coded-error.ts';
import { EditionUnavailable } from '../../../src/search/edition-reader.ts';
import { servedLibrarian } from '../../conformance/served-librarian.ts';
import { judging, replyOf, scriptedModel } from '../../navigator/scripted-model.ts';
import { openSmallKb } from '../../navigator/small-kb.ts';
import { ask, identityOf, userContext } from '../../signing/callers.ts';
import { askAgent } from '../agents-for-test.ts';
import EXPECTED from './app.json' with { type: 'json' };

const { edition } = openSmallKb();
const QUESTION = 'How often must the boiler be descaled?';
const identity = await identityOf('semantic');
const appOf = (options: Partial<SemanticAppOptions> = {}) =>
  createApp({ ...identity, log: () => undefined, editionFor: async () => edition, ...options });
const searched = async (query: string, options?: unknown, parts: Partial<SemanticAppOptions> = {}) => {
  const body = options === undefined ? { query } : { query, options };
  return askAgent(appOf(parts), { type: 'semantic', body });
};
const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';
const SUMMARY = `How often:\n${QUOTE} The display shows the drop symbol when it is due. (care/descale.md, How often)`;

describe('POST /v1/agents/semantic', () => {
  it('returns documents with scores and locations, and a summary that cites them', async () => {
    const { reply, status } = await searched(QUESTION);
    const [{ content, score, ...document }] = reply.result.documents;
    expect([status, { ...reply, result: { ...reply.result, documents: [document] } }]).toMatchObject([200, EXPECTED]);
    expect(document).toEqual(EXPECTED.result.documents[0]);
    expect(content).toContain('Descale the boiler every 60 days');
    expect(score).toBeGreaterThan(0.7);
    expect(reply.result.summary).toBe(SUMMARY);
    expect(reply.source_attribution.confidence).toBe(score);
  });

  it('searches for the subject of a request for documents', async () => {
    const { reply } = await searched('Please find all documents about the water filter');
    expect(reply.metadata.searched_for).toBe('the water filter');
    expect(reply.result.documents[0].metadata.source).toBe('parts/water-filter.md');
    expect(reply.query).toBe('Please find all documents about the water filter');
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
    const all = (await searched('boiler', { similarity_threshold: 0, limit: 50 })).reply.result;
    const scores = all.documents.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect(scores.length).toBeGreaterThan(2);
    const some = (await searched('boiler', { similarity_threshold: scores[1], limit: 50 })).reply.result;
    expect(some).toMatchObject({ document_count: 2, similarity_threshold: scores[1] });
    const one = (await searched('boiler', { similarity_threshold: 0, limit: 1 })).reply.result;
    expect(one.documents).toEqual(all.documents.slice(0, 1));
  });

  it.each([
    ...[1.1, '0.5', null].map((similarity_threshold) => ({ similarity_threshold })),
    ...[0, 51, 2.5].map((limit) => ({ limit })),
  ])('refuses the options %o with INVALID_QUERY', async (options) => {
    const { reply, status } = await searched(QUESTION, options);
    expect([status, reply.success, reply.metadata.error_code]).toEqual([400, false, 'INVALID_QUERY']);
    expect(reply.metadata.suggestion).toContain('similarity_threshold');
  });

  it('names the nearest document when nothing reaches the threshold', async () => {
    const { reply, status } = await searched('Which port does wifi use?');
    expect(status).toBe(200);
    expect(reply).toMatchObject({
      success: true,
      result: { documents: [], document_count: 0 },
      source_attribution: { confidence: 0 },
      metadata: { summary_by: 'none', best_score: expect.any(Number) },
    });
    expect(reply.metadata.best_score).toBeLessThan(0.7);
    const document = 'network/wifi.md, Settings';
    expect(reply.metadata.nearest[0]).toEqual({ document, score: reply.metadata.best_score });
    for (const named of [document, 'similarity_threshold']) expect(reply.result.summary).toContain(named);
    expect(statesLackOfInformation(reply.result.summary)).toBe(true);
  });

  it('reads the rows of a table as lines', async () => {
    const { reply } = await searched('Which encryption and band settings?', { similarity_threshold: 0 });
    expect(reply.result.summary).toContain('Encryption: WPA2');
    expect(reply.result.summary).not.toContain('|');
  });

  it('summarises only passages of the documents above the threshold', async () => {
    const { documents, summary } = (await searched('boiler', { similarity_threshold: 0, limit: 2 })).reply.result;
    const cited = [...summary.matchAll(/\(([\w/-]+\.md)/g)].map(([, file]) => file);
    expect(cited.length).toBeGreaterThan(0);
    const listed = documents.map(({ metadata }: { metadata: { source: string } }) => metadata.source);
    for (const file of cited) expect(listed).toContain(file);
  });

  it('states that it found nothing when no word of the question is known', async () => {
    const { reply } = await searched('unicorn');
    expect(reply).toMatchObject({ success: true, result: { document_count: 0 }, metadata: { best_score: 0 } });
    expect(statesLackOfInformation(reply.result.summary)).toBe(true);
  });

  it('answers SERVICE_UNAVAILABLE before the first sync', async () => {
    const editionFor = async () => {
      throw new EditionUnavailable('Cannot answer yet: no knowledge base has been synced');
    };
    const { reply, status } = await searched(QUESTION, undefined, { editionFor });
    expect([status, reply.metadata.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(reply.error).toBe('Cannot answer yet: no knowledge base has been synced');
  });

  it('reads the knowledge base of the workspace that the context names', async () => {
    const seen: string[] = [];
    const editionFor: SemanticAppOptions['editionFor'] = async ({ context }) => {
      seen.push(context.workspace);
      return edition;
    };
    await askAgent(appOf({ editionFor }), { type: 'semantic', context: userContext({ workspace: 'acme' }) });
    expect(seen).toEqual(['acme']);
  });

  it('refuses a context without kb:read', async () => {
    const context = userContext({ capabilities: ['sql:read'] });
    const { status } = await askAgent(appOf(), { type: 'semantic', context });
    expect(status).toBe(401);
  });
});

describe('With a model', () => {
  it('its summary is used when the documents support it, with their citations', async () => {
    const text = 'The boiler is to be descaled every 60 days, with hard water every 30 days.';
    const ai = scriptedModel(replyOf([{ text, quote: QUOTE }]));
    const { reply } = await searched(QUESTION, undefined, { ai });
    expect(reply.result.summary).toBe(`${text.slice(0, -1)} (care/descale.md, How often).`);
    expect(reply.metadata).toMatchObject({ summary_by: 'model', model: 'scripted-1' });
  });

  it.each([
    ['another number', 'Descale the boiler every 90 days.'],
    ['another name', 'Descale the boiler every 60 days, says Barista.'],
    ['an address', 'Descale the boiler every 60 days, see https://evil.example/days.'],
    [
      'a statement that the judge rejects',
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

  it('the quotes are used when it fails', async () => {
    const ai: AIClient = { model: 'm', complete: () => Promise.reject(new Error('429')) };
    const { reply } = await searched(QUESTION, undefined, { ai });
    expect(reply.metadata).toMatchObject({ summary_by: 'quotes', summary_refused: 'unavailable' });
  });

  it('the quotes are used before the deadline when it does not answer', async () => {
    const ai: AIClient = { model: 'm', complete: () => new Promise<never>(() => undefined) };
    const asking = { type: 'semantic' as const, body: { query: QUESTION }, timeoutMs: 400 };
    const { reply, status } = await askAgent(appOf({ ai }), asking);
    expect([status, reply.metadata.summary_refused]).toEqual([200, 'timeout']);
  });

  it('is not called when nothing was found', async () => {
    const ai = scriptedModel();
    await searched('unicorn', undefined, { ai });
    expect(ai.calls).toEqual([]);
  });
});

describe('The semantic agent as a librarian', () => {
  it('answers with the summary, and names the articles as sources', async () => {
    const { reply } = await ask('semantic', appOf(), { query: QUESTION });
    expect(reply).toMatchObject({
      answer: SUMMARY,
      sources: [{ name: 'Descale the boiler', url: 'https://docs.example.com/care/descale.md', type: 'document' }],
      metadata: { semantic: { success: true, result: { document_count: 1 } } },
    });
    expect(reply).not.toHaveProperty('partial');
  });

  it('answers partially when nothing was found', async () => {
    const { reply } = await ask('semantic', appOf(), { query: 'unicorn' });
    expect(reply).toMatchObject({ partial: true, confidence: 0, sources: [] });
  });

  it('describes itself with examples', async () => {
    const response = await appOf().request('/librarians/semantic');
    const info = LibrarianInfo.parse(await response.json());
    expect(info.examples?.length).toBeGreaterThan(20);
  });
});

const served = (editionFor: SemanticAppOptions['editionFor']) => servedLibrarian('semantic', appOf({ editionFor }));
const failing = served(() => Promise.reject(new DataSourceError('Cannot read the edition: status is 503')));
describeLibrarian(
  'the semantic agent, over signed HTTP,',
  served(async () => edition),
  {
    answers: { query: QUESTION },
    fails: { query: QUESTION, librarian: failing, code: 'DATA_SOURCE_ERROR' },
    declines: { query: 'Who won the football final in Madrid?' },
    delegates: 'never',
    waits: { query: QUESTION, librarian: served(() => new Promise<never>(() => undefined)) },
  },
  { describe, it },
);
