import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readAdapters } from '../../../src/ai/adapters/settings.ts';
import { chooseModels, contextNote } from '../../../tools/run/choose-models.ts';
import { ollamaAddress } from '../../../tools/run/find-ollama.ts';
import {
  type OllamaOptions,
  type PulledModel,
  startOllama,
} from '../../../tools/stand-ins/openai/ollama.ts';

const LLAMA: PulledModel = { name: 'llama3.1:8b', capabilities: ['completion', 'tools'], age: 3 };
const MISTRAL: PulledModel = { name: 'mistral:latest', capabilities: ['completion'], age: 2 };
const QWEN: PulledModel = {
  name: 'qwen3:8b',
  capabilities: ['completion', 'tools', 'thinking'],
  age: 1,
};
const NOMIC: PulledModel = {
  name: 'nomic-embed-text:latest',
  capabilities: ['embedding'],
  dimensions: 768,
  age: 0,
};
const CLOUD: PulledModel = {
  name: 'gpt-oss:120b-cloud',
  capabilities: ['completion'],
  isRemote: true,
  age: 0,
};

const ollama = async (...models: PulledModel[]) => start({ models });
const start = async (options: OllamaOptions) => {
  const server = await startOllama(options);
  onTestFinished(() => server.stop());
  return server;
};
const chosen = (host: string, variables: object = {}, isOff = false) =>
  chooseModels({ OLLAMA_HOST: host, ...variables }, { isOff });
/** Nothing listens there. */
const NOWHERE = '127.0.0.1:1';

describe('chooseModels()', () => {
  it('takes what an Ollama has to chat and to embed with, and says so', async () => {
    const { host, url } = await ollama(LLAMA, NOMIC);
    const { line, variables, ollama: found } = await chosen(host);
    expect(line).toBe(
      'Ollama was found: answers by llama3.1:8b, embeddings by nomic-embed-text:latest; --no-model for quotes only, CHAT_MODEL and EMBEDDING_MODEL for others',
    );
    expect(found).toEqual({ url, chat: 'llama3.1:8b' });
    expect(readAdapters({ ...variables, ENVIRONMENT: 'development' })).toMatchObject({
      openai: { url: `${url}/v1`, token: 'local' },
      chat: { model: 'llama3.1:8b', reasoningEffort: undefined },
      embedding: { model: 'nomic-embed-text:latest', dimensions: 768 },
    });
  });
  it.each<[string, PulledModel[], object, string, string]>([
    ['the one that was pulled last', [LLAMA, MISTRAL], {}, 'mistral:latest', 'none'],
    ['one that does not think first', [QWEN, LLAMA], {}, 'llama3.1:8b', 'none'],
    [
      'one that thinks when there is no other',
      [QWEN, NOMIC],
      {},
      'qwen3:8b',
      'nomic-embed-text:latest',
    ],
    ['none of another host', [CLOUD, LLAMA], {}, 'llama3.1:8b', 'none'],
    [
      'one of another host when it is named',
      [CLOUD, LLAMA],
      { CHAT_MODEL: CLOUD.name },
      CLOUD.name,
      'none',
    ],
    [
      'the one that is named',
      [LLAMA, MISTRAL],
      { CHAT_MODEL: 'llama3.1:8b' },
      'llama3.1:8b',
      'none',
    ],
    [
      'the one that is named without its tag',
      [LLAMA, MISTRAL],
      { CHAT_MODEL: 'mistral' },
      'mistral:latest',
      'none',
    ],
    [
      'no embeddings where they are not wanted',
      [LLAMA, NOMIC],
      { EMBEDDING_MODEL: 'none' },
      'llama3.1:8b',
      'none',
    ],
    [
      'of an older server those without a pooling to chat and those with one to embed',
      [
        { name: 'old-chat:7b', age: 1 },
        { name: 'old-embed:1', dimensions: 384 },
      ],
      {},
      'old-chat:7b',
      'old-embed:1',
    ],
  ])('chooses %s', async (_, models, variables, chat, embedding) => {
    const { host } = await ollama(...models);
    expect((await chosen(host, variables)).variables).toMatchObject({
      CHAT_MODEL: chat,
      EMBEDDING_MODEL: embedding,
    });
  });
  it('asks a model that thinks not to, unless a setting says how much', async () => {
    const { host } = await ollama(QWEN);
    expect((await chosen(host)).variables.REASONING_EFFORT).toBe('none');
    expect((await chosen(host, { REASONING_EFFORT: 'low' })).variables.REASONING_EFFORT).toBe(
      'low',
    );
  });
  it('says what is missing, and leaves quotes', async () => {
    const without = await chosen((await ollama(NOMIC)).host);
    expect(without.line).toMatch(
      /^Ollama was found, and it has no model that can chat here: ollama pull one/,
    );
    const cloudAlone = await chosen((await ollama(CLOUD)).host);
    expect(cloudAlone.line).toMatch(/no model that can chat here/);
    const empty = await chosen((await ollama()).host);
    expect(empty.line).toMatch(/no model that can chat here/);
    const other = await chosen((await ollama(LLAMA)).host, { CHAT_MODEL: 'phi4' });
    expect(other.line).toMatch(/does not have phi4 \(CHAT_MODEL\): ollama pull phi4/);
    for (const { variables } of [without, cloudAlone, empty, other])
      expect(readAdapters({ ...variables, ENVIRONMENT: 'development' })).toMatchObject({
        chat: undefined,
        embedding: undefined,
      });
    const noEmbedding = await chosen((await ollama(LLAMA)).host, { EMBEDDING_MODEL: 'bge-m3' });
    expect(noEmbedding.line).toContain('word vectors (it has no bge-m3 to embed with)');
  });
  it('takes settings before an Ollama, and no model before both', async () => {
    const server = await ollama(LLAMA);
    const key = { OPENAI_API_KEY: 'sk-secret-0000' };
    const byKey = await chosen(server.host, key);
    expect(byKey.line).toBe(
      'answers by gpt-4.1-mini, embeddings by text-embedding-3-small at api.openai.com, as OPENAI_API_KEY is set; --no-model for quotes only, CHAT_MODEL and EMBEDDING_MODEL for others',
    );
    expect(byKey.variables.OPENAI_BASE_URL).toBeUndefined();
    const byAddress = await chosen(server.host, {
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      EMBEDDING_MODEL: 'none',
    });
    expect(byAddress.line).toMatch(
      /^answers by gpt-4.1-mini, word vectors at 127.0.0.1:9, as OPENAI_BASE_URL is set;/,
    );
    for (const off of [
      await chosen(server.host, key, true),
      await chosen(server.host, { ...key, MODELS: 'none' }),
      await chosen(server.host, { CHAT_MODEL: 'none' }),
    ]) {
      expect(off.line).toMatch(
        /^no model, as (?:--no-model|MODELS=none|CHAT_MODEL=none) says: answers are quotes$/,
      );
      expect(readAdapters({ ...off.variables, ENVIRONMENT: 'development' })).toMatchObject({
        chat: undefined,
        embedding: undefined,
      });
    }
    expect(server.requests).toEqual([]);
  });
  it('finds an embedding model for an index that needs one', async () => {
    const index = { UPSTASH_VECTOR_REST_URL: 'http://127.0.0.1:9' };
    const { variables } = await chosen((await ollama(LLAMA, NOMIC)).host, index);
    expect(readAdapters({ ...variables, ENVIRONMENT: 'development' })).toMatchObject({
      embedding: { dimensions: 768 },
    });
  });
  it('finds none where none answers, at once', async () => {
    expect((await chosen(NOWHERE)).line).toMatch(
      /^no model was found: answers are quotes\. A running Ollama or OPENAI_API_KEY/,
    );
    const elsewhere = await chosen('192.168.1.20:11434');
    expect(elsewhere.line).toMatch(/OLLAMA_HOST is not this machine, so it is not used/);
  });
  it('waits for none that hangs, be it for the list or for what the models can do', async () => {
    const server = await ollama(LLAMA);
    const timed = async () => {
      const startedAt = performance.now();
      const { line } = await chosen(server.host);
      return { line, ms: performance.now() - startedAt };
    };
    server.faults.always({ kind: 'hang-before-headers' }, '/api/tags');
    const list = await timed();
    expect(list.line).toMatch(/^no model was found/);
    // Waited for, and no longer than that: a busy machine is late by itself.
    expect(list.ms).toBeGreaterThan(250);
    expect(list.ms).toBeLessThan(5000);
    server.faults.none();
    server.faults.always({ kind: 'hang-in-body' }, '/api/show');
    const details = await timed();
    expect(details.line).toMatch(/no model that can chat/);
    expect(details.ms).toBeLessThan(10_000);
  });
  it.each([
    ['a page', 'text/html', '<html>another service</html>'],
    ['an object of another form', 'application/json', '{"models": "many"}'],
    [
      'a list without an end',
      'application/json',
      `{"models": [${'{"name": "m:1"},'.repeat(200_000)}`,
    ],
  ])('takes %s at that port for no Ollama', async (_, type, body) => {
    const server = createServer(
      (__, response) => void response.setHeader('content-type', type).end(body),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect((await chosen(`127.0.0.1:${port}`)).line).toMatch(/^no model was found/);
  });
  it('follows no redirect to another place', async () => {
    const { url } = await ollama(LLAMA);
    const server = createServer(
      (request, response) =>
        void response.writeHead(302, { location: `${url}${request.url}` }).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect((await chosen(`127.0.0.1:${port}`)).line).toMatch(/^no model was found/);
  });
  it('refuses a variable that cannot be read', async () => {
    await expect(chosen(NOWHERE, { MODELS: 'some' })).rejects.toThrow(/MODELS/);
    await expect(chosen(NOWHERE, { REASONING_EFFORT: 'much' })).rejects.toThrow(/REASONING_EFFORT/);
  });
});

describe('ollamaAddress()', () => {
  it.each([
    [undefined, 'http://127.0.0.1:11434'],
    ['', 'http://127.0.0.1:11434'],
    ['127.0.0.1', 'http://127.0.0.1:11434'],
    ['localhost:11500', 'http://localhost:11500'],
    [':11500', 'http://127.0.0.1:11500'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:11500', 'http://127.0.0.1:11500'],
    ['[::]:11434', 'http://[::1]:11434'],
    ['[::1]', 'http://[::1]:11434'],
    ['http://127.0.0.1:11434/', 'http://127.0.0.1:11434'],
    ['http://localhost', 'http://localhost'],
    ['ollama.example.com', undefined],
    ['10.0.0.4:11434', undefined],
    ['127.0.0.1.example.com', undefined],
    ['http://127.0.0.1@example.com:11434', undefined],
    ['::::', undefined],
  ])('reads %j as %j', (host, address) => expect(ollamaAddress(host)).toBe(address));
});

describe('contextNote()', () => {
  it('warns of a loaded model whose context is too small for prompts with passages', async () => {
    const noteOf = async (context: number) => {
      const { url } = await start({ models: [LLAMA], context });
      const note = () => contextNote({ url, chat: 'llama3.1:8b' });
      expect(await note()).toEqual([]);
      const body = JSON.stringify({
        model: 'llama3.1:8b',
        messages: [{ role: 'user', content: 'Hello' }],
      });
      await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
      return note();
    };
    expect(await noteOf(4096)).toEqual([
      expect.stringMatching(/context of 4096 tokens.*OLLAMA_CONTEXT_LENGTH=16384$/),
    ]);
    expect(await noteOf(32_768)).toEqual([]);
  });
});

it('no test finds an Ollama that runs on this machine', () => {
  expect(process.env.OLLAMA_HOST).toBe(NOWHERE);
});
