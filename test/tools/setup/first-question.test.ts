import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '../../../tools/run/product.ts';
import type { SetupRun } from '../../../tools/setup/account.ts';
import { askFirstQuestion } from '../../../tools/setup/first-question.ts';
import { grant, startEmbedded } from '../../functions/product-for-test.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const OWNER = 'ck_setup_0123456789abcdef';
const EMPTY = 'ck_empty_0123456789abcdef';

const folder = temporaryFolder();
let product: Product;
beforeAll(async () => {
  writeFiles(folder, {
    'bees.md': '# Where is the hive?\n\nThe hive stands behind the orchard wall.\n',
  });
  product = await startEmbedded({ kb: { folder } });
  await grant(product, OWNER, { capabilities: ['kb:read', 'kb:write'] });
  await grant(product, EMPTY, { capabilities: ['kb:read', 'kb:write'], workspaces: ['empty'] });
});
afterAll(() => product?.stop());

const ask = async (
  key: string,
  { hasHost = true, question }: { hasHost?: boolean; question?: string } = {},
) => {
  const reported: string[] = [];
  const run: SetupRun = {
    file: '',
    record: { kv: {}, d1: {}, functions: {} },
    dryRun: false,
    progress: () => {},
    signal: new AbortController().signal,
    wrangler: () => Promise.reject(new Error('is not needed')),
    report: (outcome, step) => reported.push(`${outcome} ${step}`),
  };
  await askFirstQuestion(run, { url: product.url.origin, key, question, hasHost });
  return reported;
};

describe('askFirstQuestion()', () => {
  const answered = (question: string) =>
    expect.stringMatching(
      new RegExp(`^ok asked “${question}”, answered from “Where is the hive\\?”: .*orchard`),
    );

  it('syncs the knowledge base, asks the title of an article, and does not sync the next time', async () => {
    const first = answered('Where is the hive\\?');
    expect(await ask(OWNER)).toEqual(['ok first sync: 1 articles', first]);
    expect(await ask(OWNER)).toEqual([first]);
    const question = 'What stands behind the wall?';
    expect(await ask(OWNER, { question })).toEqual([answered('What stands behind the wall\\?')]);
  });
  it('explains how to fill an empty knowledge base instead of asking', async () => {
    const skipped =
      /^skipped first question: the knowledge base is empty\. npx constellation push-kb --folder <docs>/;
    expect(await ask(EMPTY, { hasHost: false })).toEqual([expect.stringMatching(skipped)]);
  });
});
