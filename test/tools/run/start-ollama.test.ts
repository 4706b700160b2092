import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startOllama } from '../../../tools/stand-ins/openai/ollama.ts';
import { quotingModel } from '../../../tools/stand-ins/quoting-model.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { startProduct } from '../node-for-test.ts';

type Running = Awaited<ReturnType<typeof startProduct>>;
const running: Running[] = [];
afterEach(async () => void (await Promise.all(running.splice(0).map((product) => product.stop()))));

const HIVE = 'Where does the hive of the queen stand?';
const folder = temporaryFolder();
writeFiles(folder, {
  'kb/bees.md': '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n',
  'kb/hens.md': '# Hens\n\nHens lay fewer eggs in November.\n',
});

/** As somebody starts it who has configured nothing; only the port of the Ollama is another one. */
const start = async (OLLAMA_HOST: string, more: readonly string[] = []): Promise<Running> => {
  const args = [
    '--port',
    '0',
    '--state',
    `${folder}/state`,
    '--kb',
    `${folder}/kb`,
    '--no-helpdesk',
    ...more,
  ];
  const product = await startProduct(args, { env: { OLLAMA_HOST } });
  running.push(product);
  return product;
};
const adaptersOf = async (product: Running) =>
  ((await product.get('/healthz')) as { adapters: object }).adapters;
const ask = async (product: Running) => product.ask({ query: HIVE, librarian: 'navigator' });

describe('npm start beside an Ollama', { timeout: 400_000 }, () => {
  it('answers and embeds with it without any configuration, without it after --no-model, and with another embedding model later', async () => {
    const pulled = [
      { name: 'llama3.1:8b', capabilities: ['completion', 'tools'] },
      { name: 'nomic-embed-text:latest', capabilities: ['embedding'], dimensions: 768 },
    ];
    const ollama = await startOllama({ models: pulled });
    onTestFinished(() => ollama.stop());
    ollama.answerWith(quotingModel);

    const first = await start(ollama.host);
    expect(first.output()).toMatch(
      /^Ollama was found: answers by llama3\.1:8b, embeddings by nomic-embed-text:latest; --no-model for quotes only/m,
    );
    expect(first.output()).toMatch(
      /^note: Ollama runs llama3\.1:8b with a context of 4096 tokens/m,
    );
    expect(await adaptersOf(first)).toMatchObject({
      model: 'llama3.1:8b',
      embeddings: 'nomic-embed-text:latest',
    });
    const texts = ollama.sent('/v1/embeddings').flatMap(({ input }) => input);
    expect(texts).toContainEqual(expect.stringContaining('behind the orchard wall'));
    const before = ollama.sent('/v1/chat/completions').length;
    expect((await ask(first)).answer).toContain('behind the orchard wall');
    const asked = ollama.sent('/v1/chat/completions').slice(before);
    expect(asked.length).toBeGreaterThan(0);
    for (const { model, store } of asked)
      expect([model, store]).toEqual(['llama3.1:8b', undefined]);
    expect(JSON.stringify(asked)).toContain('behind the orchard wall');
    await first.stop();

    const requests = ollama.requests.length;
    const quotes = await start(ollama.host, ['--no-model']);
    expect(quotes.output()).toMatch(/^no model, as --no-model says: answers are quotes$/m);
    expect(await adaptersOf(quotes)).toMatchObject({ model: 'none' });
    expect((await ask(quotes)).answer).toContain('behind the orchard wall');
    expect(ollama.requests).toHaveLength(requests);
    await quotes.stop();

    const other = await startOllama({
      models: [
        ...pulled.slice(0, 1),
        { name: 'bge-m3:latest', capabilities: ['embedding'], dimensions: 1024 },
      ],
    });
    onTestFinished(() => other.stop());
    other.answerWith(quotingModel);
    const again = await start(other.host);
    expect(again.output()).toMatch(/embeddings by bge-m3:latest/);
    const embedded = other.sent('/v1/embeddings').flatMap(({ input }) => input);
    expect(embedded).toContainEqual(expect.stringContaining('behind the orchard wall'));
    expect((await ask(again)).answer).toContain('behind the orchard wall');
    // The Ollama ends while the product runs.
    await other.stop();
    expect((await ask(again)).answer).toContain('behind the orchard wall');
  });
  it('is not kept waiting by one that hangs, and answers with quotes', async () => {
    const ollama = await startOllama({
      models: [{ name: 'llama3.1:8b', capabilities: ['completion'] }],
    });
    onTestFinished(() => ollama.stop());
    ollama.faults.always({ kind: 'hang-before-headers' });
    const product = await start(ollama.host);
    expect(product.output()).toMatch(/^no model was found: answers are quotes/m);
    expect(ollama.requests.map(({ path }) => path)).toEqual(['/api/tags']);
    expect((await ask(product)).answer).toContain('behind the orchard wall');
  });
});
