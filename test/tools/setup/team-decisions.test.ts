import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deployedConfig, functionsInOrder } from '../../../tools/release/function-config.ts';
import { makeDecisions } from '../../../tools/setup/team-decisions.ts';
import { temporaryFolder } from '../folder-for-test.ts';

const folder = temporaryFolder();

/** Decides with these replies; what was asked, reported and written. */
const decide = async (
  given: Record<string, string>,
  { replies, dryRun = false }: { replies?: Record<string, string>; dryRun?: boolean } = {},
) => {
  const file = join(folder, 'production.env');
  writeFileSync(file, 'A=1');
  const asked: string[] = [];
  const reported: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return Object.entries(replies ?? {}).find(([word]) => question.includes(word))?.[1] ?? '';
  };
  const run = {
    dryRun,
    report: (outcome: string, step: string) => void reported.push(`${outcome} ${step}`),
  };
  const decided = makeDecisions(run, { given, file, ask: replies === undefined ? undefined : ask });
  const failure = await decided.then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { asked, reported, failure, given, written: readFileSync(file, 'utf8') };
};

describe('makeDecisions()', () => {
  it.each([
    ['yes', 'yes'],
    [' Y ', 'yes'],
    ['no', 'no'],
    ['', 'no'],
  ])('writes what %j means for Workers AI', async (reply, value) => {
    const { written, given } = await decide(
      { KEEP_ANSWERS: 'none' },
      { replies: { 'Workers AI': reply } },
    );
    expect(written).toBe(`A=1\nWORKERS_AI=${value}\n`);
    expect(given.WORKERS_AI).toBe(value);
  });
  it('asks for both, and for neither again', async () => {
    const first = await decide({}, { replies: { Keep: 'all', 'Workers AI': 'yes' } });
    expect(first.asked).toHaveLength(2);
    expect(first.written).toBe('A=1\nKEEP_ANSWERS=all\n\nWORKERS_AI=yes\n');
    expect(first.reported.map((line) => line.split(' ')[0])).toEqual(['changed', 'changed']);
    expect((await decide(first.given, { replies: {} })).asked).toEqual([]);
  });
  it.each([
    { OPENAI_API_KEY: 'sk-1' },
    { OPENAI_BASE_URL: 'https://x.example/v1' },
    { MODELS: 'none' },
    { CHAT_MODEL: 'none' },
  ])('does not ask for Workers AI with %j', async (given) => {
    const { asked } = await decide({ KEEP_ANSWERS: 'none', ...given }, { replies: {} });
    expect(asked).toEqual([]);
  });
  it('refuses a reply that is neither, and writes nothing', async () => {
    const { failure, written } = await decide(
      { KEEP_ANSWERS: 'none' },
      { replies: { 'Workers AI': 'perhaps' } },
    );
    expect(failure).toMatch(/^Cannot use perhaps: answer yes or no$/);
    expect(written).toBe('A=1');
  });
  it('says what it would ask, and what follows without a terminal', async () => {
    const dry = await decide({}, { dryRun: true, replies: {} });
    expect([dry.asked, dry.written]).toEqual([[], 'A=1']);
    expect(dry.reported[1]).toBe(
      'would do ask whether Workers AI answers, and write WORKERS_AI into the file',
    );
    const alone = await decide({});
    expect(alone.reported[1]).toMatch(
      /^skipped WORKERS_AI is not set, and no other model: answers are quotes/,
    );
    expect(alone.written).toBe('A=1');
  });
});

describe('the configuration that is deployed', () => {
  const bound = (variables: Record<string, string>) =>
    functionsInOrder()
      .filter(
        (one) =>
          deployedConfig(one, { record: { kv: {}, d1: {}, functions: {} }, variables }).ai
            ?.binding === 'AI',
      )
      .map(({ id }) => id)
      .sort();
  it('has the binding of Workers AI where the answer was yes', () => {
    const withoutModels = new Set(['a2a', 'sources', 'webhooks']);
    const withModels = functionsInOrder().flatMap(({ id }) => (withoutModels.has(id) ? [] : [id]));
    expect(bound({ WORKERS_AI: 'yes' })).toEqual(withModels.sort());
    expect(bound({ WORKERS_AI: 'no' })).toEqual([]);
    expect(bound({})).toEqual([]);
  });
  it('has it in the navigator alone where only the reranker runs there', () => {
    const RERANK_MODEL = '@cf/baai/bge-reranker-base';
    expect(bound({ RERANK_MODEL })).toEqual(['navigator']);
    expect(bound({ RERANK_MODEL, RERANK_BASE_URL: 'https://rerank.example/v1' })).toEqual([]);
  });
});
