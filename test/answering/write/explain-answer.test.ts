import { describe, expect, it } from 'vitest';
import { Explanation } from '../../../src/contract/core/navigator-response.ts';
import { createNavigator } from '../../../src/librarians/navigator/navigator-librarian.ts';
import { openSmallKb } from './small-kb.ts';

const { edition } = openSmallKb();
const navigator = createNavigator({ readEdition: async () => edition, log: () => {} });
const DESCALE = 'How do I descale the boiler?';
const explained = async (question: string) => {
  const response = await navigator(question, { metadata: { explain: true } });
  const explain = Explanation.parse(response.metadata?.explain);
  return { response, explain, outcomes: explain.passages.map(({ outcome }) => outcome) };
};

describe('an explanation of an answer', () => {
  it('shows the passages, their scores and their outcomes, by the search of the answer itself', async () => {
    await navigator(DESCALE);
    const { response, explain } = await explained(DESCALE);
    expect(response.metadata).not.toHaveProperty('cached');
    expect(explain).toMatchObject({
      edition: 'e1',
      semantic: 'absent',
      probability: response.confidence,
    });
    const [best] = explain.passages;
    expect(best).toMatchObject({
      title: 'Descale the boiler',
      file: 'care/descale.md',
      outcome: 'cited',
    });
    expect(best?.lexical).toBeGreaterThan(0);
    const scores = explain.passages.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    const cited = explain.passages.filter(
      ({ outcome }) => outcome === 'cited' || outcome === 'same_article',
    );
    expect(new Set(cited.map(({ file }) => file))).toEqual(new Set(['care/descale.md']));
  });
  it('cites nothing of an answer that declines', async () => {
    const { explain, outcomes } = await explained('Can I get a mortgage for a flat in Berlin?');
    expect(explain.probability).toBeLessThan(explain.thresholds.sure_from);
    expect(outcomes).not.toContain('cited');
  });
  it('names passages about another device', async () => {
    const { explain, outcomes } = await explained(
      'How is the upper burr of the Barista II grinder taken out?',
    );
    expect(explain.passages.find(({ file }) => file === 'care/grinder-ii.md')?.outcome).toBe(
      'cited',
    );
    expect(outcomes).toContain('other_device');
  });
  it.each([[undefined], ['true'], [1], [false]])('is absent for explain = %j', async (explain) => {
    expect((await navigator(DESCALE, { metadata: { explain } })).metadata).not.toHaveProperty(
      'explain',
    );
  });
});
