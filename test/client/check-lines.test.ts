import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { readCheckLines, saveCheckLines, writeCheckLines } from '../../client/check-lines.ts';
import type { Constellation } from '../../client/constellation.ts';
import { ConstellationError } from '../../client/constellation-error.ts';
import { KnowledgeCheckInput } from '../../src/contract/wire/checks.ts';
import { SAMPLE_CHECKS } from '../../tools/sample/files.ts';

const GOOD = '{"question": "Which port?", "contains": "8333"}';

describe('a file of checks', () => {
  it('has thirty of the sample knowledge base, and is written as it was read', () => {
    const text = readFileSync(SAMPLE_CHECKS, 'utf8');
    const { checks, broken } = readCheckLines(text);
    expect([checks.length, broken]).toEqual([30, []]);
    for (const { check } of checks) KnowledgeCheckInput.parse(check);
    expect(readCheckLines(writeCheckLines(checks.map(({ check }) => check))).checks).toEqual(
      checks,
    );
  });

  it.each<[name: string, line: string, problem: RegExp]>([
    ['no JSON', 'Which port?', /not a JSON object/],
    ['a list', '[1]', /not a JSON object/],
    ['null', 'null', /not a JSON object/],
    ['no question', '{"contains": "8333"}', /no question/],
    ['an empty question', '{"question": " ", "contains": "8333"}', /no question/],
    ['a question that is a number', '{"question": 1, "contains": "8333"}', /no question/],
    ['an unknown member', '{"question": "a", "contain": "b"}', /"contain"; known are question/],
    ['nothing expected', '{"question": "a"}', /contains or cites/],
    [
      'an answer and a decline',
      '{"question": "a", "contains": "b", "declined": true}',
      /declined alone/,
    ],
    ['a prototype', '{"__proto__": {"question": "a"}, "contains": "b"}', /__proto__/],
    ['too many characters', `{"question": "${'a'.repeat(20_000)}"}`, /more than 20000/],
  ])('names a line with %s by its number, and reads the others', (_, line, problem) => {
    const { checks, broken } = readCheckLines(`\uFEFF${GOOD}\r\n\r\n${line}\r\n${GOOD}`);
    expect(checks.map((each) => each.line)).toEqual([1, 4]);
    expect(broken).toEqual([{ line: 3, problem: expect.stringMatching(problem) }]);
  });

  it('ends after as many checks as a workspace may have', () => {
    const { checks, broken } = readCheckLines(`${GOOD}\n`.repeat(10_000));
    expect(checks).toHaveLength(2000);
    expect(broken).toEqual([
      { line: 2001, problem: expect.stringMatching(/those after it are not read/) },
    ]);
  });
});

describe('saving a file of checks', () => {
  const lines = (count: number) => readCheckLines(`${GOOD}\n`.repeat(count)).checks;
  const clientThat = (put: Constellation['checks']['put']) => {
    const spy = vi.fn(put);
    return { spy, client: { checks: { put: spy } } as unknown as Constellation };
  };
  const added = async (checks: readonly unknown[]) => ({
    added: checks.length,
    changed: 0,
    unchanged: 0,
  });

  it('stores a hundred at a time', async () => {
    const { spy, client } = clientThat(added);
    expect(await saveCheckLines(client, lines(250))).toEqual({
      written: { added: 250, changed: 0, unchanged: 0 },
      broken: [],
    });
    expect(spy).toHaveBeenCalledTimes(3);
  });

  it('names the one that is refused, and stores the others', async () => {
    const bad = { line: 7, check: { question: 'bad', contains: 'x' } };
    const { client } = clientThat(async (checks) => {
      if (checks.some(({ question }) => question === 'bad'))
        throw new ConstellationError('INVALID_QUERY', 'it is bad');
      return added(checks);
    });
    expect(await saveCheckLines(client, [...lines(6), bad, ...lines(3)])).toEqual({
      written: { added: 9, changed: 0, unchanged: 0 },
      broken: [{ line: 7, problem: 'it is bad' }],
    });
  });

  it('gives up after twenty that are refused, and at once when it is for another reason', async () => {
    const refusing = clientThat(() =>
      Promise.reject(new ConstellationError('INVALID_QUERY', 'full')),
    );
    const { broken } = await saveCheckLines(refusing.client, lines(2000));
    expect([broken.length, refusing.spy.mock.calls.length]).toEqual([21, 21]);
    expect(broken.at(-1)).toEqual({
      line: 21,
      problem: expect.stringMatching(/those after it are not stored/),
    });
    const down = clientThat(() => Promise.reject(new ConstellationError('UNREACHABLE', 'down')));
    await expect(saveCheckLines(down.client, lines(2))).rejects.toThrow('down');
  });
});
