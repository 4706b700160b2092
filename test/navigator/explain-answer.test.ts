import { describe, expect, it } from 'vitest';
import { Explanation } from '../../src/contract/navigator-response.ts';
import { createNavigator } from '../../src/navigator/navigator-librarian.ts';
import { openSmallKb } from './small-kb.ts';

const { edition } = openSmallKb();
const navigator = createNavigator({ readEdition: async () => edition, log: () => {} });
const explained = async (question: string, metadata: object = { explain: true }) => {
  const response = await navigator(question, { metadata: { ...metadata } });
  return { response, explain: Explanation.parse(response.metadata?.explain) };
};

describe('an explanation of an answer', () => {
  it('shows the passages, their scores and their outcomes', async () => {
    const { response, explain } = await explained('How do I descale the boiler?');
    expect(explain).toMatchObject({ edition: 'e1', semantic: 'absent', probability: response.confidence });
    const [best] = explain.passages;
    expect(best).toMatchObject({ title: 'Descale the boiler', file: 'care/descale.md', outcome: 'cited' });
    expect(best?.lexical).toBeGreaterThan(0);
    const scores = explain.passages.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    const cited = explain.passages.filter(({ outcome }) => outcome === 'cited' || outcome === 'same_article');
    expect(new Set(cited.map(({ file }) => file))).toEqual(new Set(['care/descale.md']));
  });

  it('is also returned for a cached answer, and for one that declines', async () => {
    const question = 'How do I descale the boiler?';
    await navigator(question);
    const { response, explain } = await explained(question);
    expect([response.metadata?.cached, explain.passages[0]?.outcome]).toEqual([true, 'cited']);
    const { explain: declined } = await explained('Can I get a mortgage for a flat in Berlin?');
    expect(declined.probability).toBeLessThan(declined.thresholds.sure_from);
    expect(declined.passages.every(({ outcome }) => outcome !== 'cited')).toBe(true);
  });

  it('names passages about another device', async () => {
    const { explain } = await explained('How is the upper burr of the Barista II grinder taken out?');
    const outcomes = new Map(explain.passages.map(({ file, outcome }) => [file, outcome]));
    expect(outcomes.get('care/grinder-ii.md')).toBe('cited');
    expect([...outcomes.values()]).toContain('other_device');
  });

  it.each([[undefined], ['true'], [1], [false]])('is absent for explain = %j', async (explain) => {
    const { metadata } = await navigator('How do I descale the boiler?', { metadata: { explain } });
    expect(metadata).not.toHaveProperty('explain');
  });
});
