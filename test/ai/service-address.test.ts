import { describe, expect, it } from 'vitest';
import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { openaiChat } from '../../src/ai/openai-chat.ts';

const REPLY = JSON.stringify({
  choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }],
});
const VECTORS = JSON.stringify({ data: [{ index: 0, embedding: [1, 0] }] });

/** The addresses that are called for a chat completion, where only these exist, and the headers of the last call. */
const calls = async (baseURL: string, exists: (url: URL) => boolean = () => true) => {
  const urls: string[] = [];
  let headers = new Headers();
  const fetch = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input));
    urls.push(`${url.host}${url.pathname}${url.search}`);
    headers = new Headers(init?.headers);
    if (!exists(url)) return new Response('404 page not found', { status: 404 });
    const body = url.pathname.endsWith('/embeddings') ? VECTORS : REPLY;
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  };
  const config = { apiKey: 'key', baseURL, fetch: fetch as typeof globalThis.fetch };
  const chat = openaiChat({ ...config, model: 'gpt-4o' });
  const ask = () => chat.complete([{ role: 'user', content: 'Hi' }]);
  const embed = () =>
    new OpenAIEmbeddingProvider({ ...config, model: 'ada', dimensions: 2 }).embed('a');
  return { ask, embed, urls, headers: () => headers };
};
const CHAT = '/chat/completions';

describe('the address of a service', () => {
  it.each([
    ['https://ai.example/v1', `ai.example/v1${CHAT}`],
    ['https://ai.example/v1/', `ai.example/v1${CHAT}`],
    ['https://ai.example/v1//', `ai.example/v1${CHAT}`],
    ['https://ai.example/v1/chat/completions', `ai.example/v1${CHAT}`],
    ['https://ai.example/api/v3', `ai.example/api/v3${CHAT}`],
    ['https://ai.example/v1beta/openai/', `ai.example/v1beta/openai${CHAT}`],
    ['https://ai.example/inference', `ai.example/inference${CHAT}`],
    ['https://r.openai.azure.com', `r.openai.azure.com/openai/v1${CHAT}`],
    ['https://r.openai.azure.com/', `r.openai.azure.com/openai/v1${CHAT}`],
    ['https://r.services.ai.azure.com/openai/v1/', `r.services.ai.azure.com/openai/v1${CHAT}`],
    [
      'https://r.openai.azure.com/openai/deployments/mine',
      `r.openai.azure.com/openai/deployments/mine${CHAT}?api-version=2024-10-21`,
    ],
    [
      'https://r.openai.azure.com/openai/deployments/mine/chat/completions?api-version=2025-01-01-preview',
      `r.openai.azure.com/openai/deployments/mine${CHAT}?api-version=2025-01-01-preview`,
    ],
    [
      'https://r.openai.azure.com?api-version=2024-10-21',
      `r.openai.azure.com/openai/deployments/gpt-4o${CHAT}?api-version=2024-10-21`,
    ],
    [
      'https://gateway.example/openai?api-version=2024-10-21',
      `gateway.example/openai/deployments/gpt-4o${CHAT}?api-version=2024-10-21`,
    ],
  ])('%s leads to %s', async (baseURL, url) => {
    const { ask, urls } = await calls(baseURL);
    await ask();
    expect(urls).toEqual([url]);
  });
  it('tries the version when it is missing, and remembers it', async () => {
    const { ask, urls } = await calls('http://127.0.0.1:11434', ({ pathname }) =>
      pathname.startsWith('/v1/'),
    );
    await ask();
    await ask();
    expect(urls).toEqual([
      `127.0.0.1:11434${CHAT}`,
      `127.0.0.1:11434/v1${CHAT}`,
      `127.0.0.1:11434/v1${CHAT}`,
    ]);
  });
  it('is reported as none after both', async () => {
    const { ask, urls } = await calls('https://ai.example', () => false);
    await expect(ask()).rejects.toMatchObject({ reason: 'refused', why: 'address' });
    expect(urls).toHaveLength(2);
  });
  it('sends the key to a dated API of Azure in its header, and embeds with the model’s own deployment', async () => {
    const { ask, embed, urls, headers } = await calls(
      'https://r.openai.azure.com/openai/deployments/mine?api-version=2024-10-21',
    );
    await ask();
    expect([headers().get('api-key'), headers().get('authorization')]).toEqual(['key', null]);
    await embed();
    expect(urls[1]).toBe(
      'r.openai.azure.com/openai/deployments/ada/embeddings?api-version=2024-10-21',
    );
  });
  it.each([
    'https://ai.example/v1?key=1',
    'https://ai.example/v1?api-version=2024&x=1',
    'https://ai.example/v1#a',
    'https://u:p@ai.example/v1',
  ])('cannot be %s', (baseURL) => {
    expect(() => openaiChat({ apiKey: 'key', baseURL, model: 'm' })).toThrow(RangeError);
  });
});
