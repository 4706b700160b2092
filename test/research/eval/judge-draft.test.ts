import { describe, expect, it } from 'vitest';
import { judgeDraft } from '../../../research/eval/judge-draft.ts';
import { Taxonomy } from '../../../src/contract/wire/taxonomy.ts';
import lamps from './lamp-draft.json' with { type: 'json' };

const taxonomy = Taxonomy.parse(lamps.taxonomy);
const articles = new Map(lamps.articles.map(({ url, ...article }) => [url, article]));
const references = lamps.articles.map(({ title, url }) => ({ title, url }));

const judge = (body: string, more: { references?: typeof references } = {}) => {
  const markdown = `Hello Ana,\n\nthank you for writing about your Lumen 2.\n\n${body}\n\nTell us if it stays dark.\n\nThe lamp team`;
  return judgeDraft(
    {
      text: markdown,
      markdown,
      template: 'dark',
      language: 'en',
      references,
      auto_send: false,
      ...more,
    },
    { taxonomy, articles },
  );
};

const LEAD = 'This is what our documentation says:';

describe('judgeDraft()', () => {
  it('accepts quotes, headings, rows and links to articles', () => {
    const judged = judge(
      `${LEAD}\n\n**Check the switch**\n\nPress it once. A bulb lasts for 2,000 hours.\n\n| Code | Meaning |\n| --- | --- |\n| \`L1\` | Miner &gt; Pools is empty |\n\n- [Dark lamps](https://lamps.example/dark)`,
    );
    expect(judged.unsupported).toEqual([]);
    expect(judged.fromSources).toBeGreaterThanOrEqual(4);
    expect(judged.fromTemplate).toBeGreaterThanOrEqual(4);
  });
  it('accepts the questions of the template', () => {
    expect(judge('- Which bulb is in it?').unsupported).toEqual([]);
  });
  it.each([
    [
      'in no template when the draft has no source',
      'We send you a new bulb.',
      [],
      'neither template nor source',
    ],
    [
      'that its article does not make',
      'A bulb lasts for 9,000 hours.',
      references,
      'not said by its sources',
    ],
    [
      'between two of the template',
      'Tell us if it stays dark. Your refund is on its way.',
      references,
      'Your refund is',
    ],
  ])('reports a statement %s', (_, body, cited, problem) => {
    expect(judge(body, { references: cited }).unsupported).toEqual([
      expect.stringContaining(problem),
    ]);
  });
  it('reports a statement of an article that the draft does not cite', () => {
    const said = 'A lamp can be sent back within 30 days.';
    const [problem] = judge(said, { references: references.slice(0, 1) }).unsupported;
    expect(problem).toContain('not said by its sources');
    expect(judge(said).unsupported).toEqual([]);
  });
  it('ignores references that are not articles', () => {
    const invented = [{ title: 'Invented', url: 'https://lamps.example/invented' }];
    expect(judge('Press it once.', { references: invented }).unsupported).toHaveLength(1);
  });
});
