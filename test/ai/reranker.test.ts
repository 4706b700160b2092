import { describe, expect, it, vi } from 'vitest';
import { rerankApi, workersAIReranker } from '../../src/ai/reranker.ts';

const DOCUMENTS = ['first', 'second', 'third'];

const apiReplying = (reply: unknown, status = 200) => {
  const sent: { url: string; body: unknown; authorization: string | null }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    sent.push({
      url: `${input}`,
      body: JSON.parse(`${init?.body}`),
      authorization: headers.get('authorization'),
    });
    return new Response(JSON.stringify(reply), {
      status,
      headers: { 'content-type': 'application/json' },
    });
  };
  return {
    sent,
    reranker: rerankApi({
      baseURL: 'https://rerank.example/v1',
      apiKey: 'k',
      model: 'rerank-3',
      fetch,
    }),
  };
};

describe('rerankApi()', () => {
  const scores = [
    { index: 2, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ];
  it.each([
    ['Cohere', { id: 'x', results: scores, meta: {} }],
    [
      'Jina',
      {
        model: 'm',
        usage: {},
        results: scores.map((score) => ({ ...score, document: { text: 'x' } })),
      },
    ],
    ['Voyage', { object: 'list', data: scores, model: 'm' }],
  ])('reads scores as %s writes them', async (_who, reply) => {
    const { sent, reranker } = apiReplying(reply);
    expect(await reranker.rank('q', DOCUMENTS)).toEqual([0.1, Number.NEGATIVE_INFINITY, 0.9]);
    const body = { model: 'rerank-3', query: 'q', documents: DOCUMENTS };
    expect(sent).toEqual([
      { url: 'https://rerank.example/v1/rerank', body, authorization: 'Bearer k' },
    ]);
  });
  it.each([
    ['another shape', { scores: [1, 2] }, 200],
    ['an error', { message: 'no' }, 500],
    ['a refusal', { message: 'no' }, 401],
  ])('throws at %s', async (_what, reply, status) => {
    await expect(apiReplying(reply, status).reranker.rank('q', DOCUMENTS)).rejects.toThrow(
      'Cannot rerank',
    );
  });
});
it('workersAIReranker() calls the binding with contexts and reads its scores', async () => {
  const run = vi.fn(async (..._input: unknown[]) => ({ response: [{ id: 1, score: 0.7 }] }));
  const none = Number.NEGATIVE_INFINITY;
  expect(await workersAIReranker({ run }).rank('q', DOCUMENTS)).toEqual([none, 0.7, none]);
  const input = { query: 'q', contexts: DOCUMENTS.map((text) => ({ text })), top_k: 3 };
  expect(run.mock.calls).toEqual([['@cf/baai/bge-reranker-base', input, {}]]);
});
