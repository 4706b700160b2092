import { describe, expect, it, onTestFinished } from 'vitest';
import { modelNotes } from '../../../tools/run/model-notes.ts';
import { startOpenAIServer } from '../../../tools/stand-ins/openai/openai-server.ts';
import { PROVIDERS } from '../../../tools/stand-ins/openai/providers.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { startProduct } from '../node-for-test.ts';

/** Variables that lead to a server which plays this provider. */
const variablesFor = async (name: string) => {
  const provider = PROVIDERS.find((each) => each.name === name);
  const server = await startOpenAIServer({ provider, apiKey: 'local' });
  onTestFinished(() => server.stop());
  return {
    OPENAI_BASE_URL: server.url,
    OPENAI_API_KEY: 'local',
    CHAT_MODEL: provider?.chat?.model ?? 'none',
    EMBEDDING_MODEL: provider?.embeddings?.model ?? 'none',
    EMBEDDING_DIMENSIONS: `${provider?.embeddings?.dimensions ?? ''}`,
  };
};

describe('modelNotes()', () => {
  it('says nothing without a model, and of one that takes everything', async () => {
    expect(await modelNotes({})).toEqual([]);
    expect(await modelNotes(await variablesFor('vLLM'))).toEqual([]);
  });
  it('says in a line what each model refuses', async () => {
    expect(await modelNotes(await variablesFor('a gateway that says nothing'))).toEqual([
      expect.stringMatching(
        /^note: house-embedding refuses more than \d texts a request, encoding_format: it is asked without$/,
      ),
      'note: house-model refuses schemas and JSON mode (the prompt alone instead), temperature, stream_options: it is asked without',
    ]);
  });
  it('names what is wrong with a model', async () => {
    const variables = await variablesFor('DeepSeek');
    expect(await modelNotes({ ...variables, OPENAI_API_KEY: 'wrong' })).toEqual([
      expect.stringMatching(
        /^WRONG answers by a model: .*the key is refused.*check OPENAI_API_KEY/,
      ),
    ]);
    expect(await modelNotes({ ...variables, CHAT_MODEL: 'other' })).toEqual([
      expect.stringMatching(/check CHAT_MODEL/),
    ]);
  });
});

it('npm start says it before it is ready', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    'kb/bees.md': '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n',
  });
  const env = await variablesFor('DeepSeek');
  const product = await startProduct(
    ['--port', '0', '--state', `${folder}/state`, '--kb', `${folder}/kb`],
    { env },
  );
  onTestFinished(async () => void (await product.stop()));
  expect(product.output()).toMatch(
    /note: deepseek-chat refuses schemas \(JSON mode and the prompt instead\)[\s\S]*ready http/,
  );
});
