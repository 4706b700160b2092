import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '../../../src/dev/run/product.ts';
import type { SetupRun } from '../../../src/dev/setup/account.ts';
import { askFirstQuestion } from '../../../src/dev/setup/first-question.ts';
import { grant, startEmbedded } from '../../functions/product-for-test.ts';

const OWNER = 'ck_setup_0123456789abcdef';
const EMPTY = 'ck_empty_0123456789abcdef';

let folder: string;
let product: Product;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-first-question-'));
  mkdirSync(join(folder, 'kb'));
  writeFileSync(join(folder, 'kb', 'bees.md'), '# Where is the hive?\n\nThe hive stands behind the orchard wall.\n');
  product = await startEmbedded({ kb: { folder: join(folder, 'kb') } });
  await grant(product, OWNER, { capabilities: ['kb:read', 'kb:write'] });
  await grant(product, EMPTY, { capabilities: ['kb:read', 'kb:write'], workspaces: ['empty'] });
});
afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (key: string, { hasHost = true, question }: { hasHost?: boolean; question?: string } = {}) => {
  const reported: string[] = [];
  const run: SetupRun = {
    ...{ file: '', record: { kv: {}, d1: {}, functions: {} }, dryRun: false, progress: () => {} },
    ...{ signal: new AbortController().signal, wrangler: () => Promise.reject(new Error('is not needed')) },
    report: (outcome, step) => reported.push(`${outcome} ${step}`),
  };
  await askFirstQuestion(run, { url: product.url.origin, key, question, hasHost });
  return reported;
};

describe('askFirstQuestion()', () => {
  it('syncs the knowledge base, asks the title of an article, and does not sync the next time', async () => {
    const answered = expect.stringMatching(
      /^ok asked “Where is the hive\?”, answered from “Where is the hive\?”: .*orchard/,
    );
    expect(await ask(OWNER)).toEqual(['ok first sync: 1 articles', answered]);
    expect(await ask(OWNER)).toEqual([answered]);
  });

  it('asks a given question', async () => {
    expect(await ask(OWNER, { question: 'What stands behind the wall?' })).toEqual([
      expect.stringMatching(/^ok asked “What stands behind the wall\?”, answered from /),
    ]);
  });

  it('explains how to fill an empty knowledge base instead of asking', async () => {
    expect(await ask(EMPTY, { hasHost: false })).toEqual([
      expect.stringMatching(
        /^skipped first question: the knowledge base is empty\. npm run push-kb -- --folder <docs>/,
      ),
    ]);
  });
});
