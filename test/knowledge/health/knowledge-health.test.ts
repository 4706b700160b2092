import { expect, it } from 'vitest';
import { KnowledgeHealth } from '../../../src/contract/wire/knowledge.ts';
import type { Article } from '../../../src/knowledge/articles/article.ts';
import { knowledgeHealth } from '../../../src/knowledge/health/knowledge-health.ts';
import { openSmallKb } from '../../answering/write/small-kb.ts';

const article = (id: string, text: string, changes: Partial<Article> = {}): Article => ({
  id,
  title: id.replace('.md', ''),
  url: `https://docs.example.com/${id.replace('.md', '')}`,
  text,
  intents: [],
  devices: [],
  lastUpdated: '2026-01-01T00:00:00Z',
  ...changes,
});
const of = (kind: string, ...articles: Article[]) =>
  KnowledgeHealth.parse(knowledgeHealth(openSmallKb(articles).edition)).findings.filter(
    (each) => each.kind === kind,
  );

const RINSE = 'After descaling, rinse the boiler of the machine with fresh water for 5 minutes.';
/** Two articles with a sentence that differs in a part. */
const differing = (
  sentence: string,
  part: string,
  instead: string,
  devices: string[][] = [[], []],
) =>
  of(
    'contradiction',
    article('a.md', `## Rinse\n\n${sentence}`, { devices: devices[0] ?? [] }),
    article('b.md', `## After\n\n${sentence.replace(part, instead)}`, {
      devices: devices[1] ?? [],
    }),
  );

it('reports the same sentence with another quantity in another article, with both places', () => {
  const place = { article_id: 'a.md', heading: 'Rinse', text: RINSE };
  const other = { article_id: 'b.md', heading: 'After', text: RINSE.replace('5', '15') };
  expect(differing(RINSE, '5', '15')).toMatchObject([
    { place, other, detail: '15 min instead of 5 min' },
  ]);
});
const GUIDE = 'Read the [guide to the boiler](https://docs.example.com/5-minutes) of the machine.';
it.each<[string, string, string, string, string[][]?]>([
  [
    'another version in a name',
    'Install the Barista driver 2013 on the computer of the office.',
    '2013',
    '2016',
  ],
  ['another address of a link', GUIDE, '5', '9'],
  ['one more quantity', RINSE, '5 minutes', '5 minutes at 90 °C'],
  ['quantities of different products', RINSE, '5', '15', [['Barista I'], ['Barista II']]],
])('does not report %s', (_, ...given) => expect(differing(...given)).toEqual([]));
it('reports an article whose sentences another one contains, but not two that share a few', () => {
  const sentences = ['boiler', 'grinder', 'tray', 'filter', 'pump', 'wand', 'tank', 'hopper'].map(
    (part) => `Clean the ${part} of the machine every week with a soft cloth and warm water.`,
  );
  const whole = article('whole.md', sentences.join('\n\n'));
  const copy = article('copy.md', sentences.slice(0, 5).join('\n\n'));
  expect(of('duplicate', whole, copy)).toMatchObject([
    {
      place: { article_id: 'copy.md' },
      other: { article_id: 'whole.md' },
      detail: '100 % of its sentences',
    },
  ]);
  const own = [
    'The warranty covers the machine for two whole years after delivery.',
    'Customers receive an invoice by mail on the first day of a month.',
    'Beans taste best within three weeks after they were roasted.',
    'A technician visits offices in larger cities on working days.',
  ];
  for (const shared of [sentences.slice(0, 3), [...sentences.slice(0, 4), ...own]])
    expect(of('duplicate', whole, article('other.md', shared.join('\n\n')))).toEqual([]);
});
it('reports articles a year older than the newest on their product, oldest first', () => {
  const [old, older, fresh] = ['2024-05-01', '2020-05-01', '2026-01-01'].map((day, at) =>
    article(`a${at}.md`, RINSE, { devices: ['Barista'], lastUpdated: `${day}T00:00:00Z` }),
  ) as [Article, Article, Article];
  const else_ = article('else.md', RINSE, {
    devices: ['Kettle'],
    lastUpdated: '2010-01-01T00:00:00Z',
  });
  const found = of('outdated', old, older, fresh, else_);
  expect(found.map(({ place }) => place.article_id)).toEqual(['a1.md', 'a0.md']);
  const detail = 'changed on 2020-05-01, the newest article about Barista on 2026-01-01';
  expect(found[0]).toMatchObject({ other: { article_id: 'a2.md' }, detail });
});
it('reports only links to missing articles', () => {
  const here = [
    'other.md',
    './other',
    'https://docs.example.com/other#rinse',
    '#here',
    'mailto:a@example.com',
  ];
  const dead = ['gone.md', '../gone.md', 'https://docs.example.com/gone'];
  const links = [...here, 'picture.png', 'https://www.example.com/other', ...dead].map(
    (link) => `[to it](${link})`,
  );
  const written = ['`[code](gone.md)`', ...links].join(' and ');
  const found = of('dead_link', article('a.md', `Read ${written}.`), article('other.md', RINSE));
  expect(found.map(({ detail }) => detail)).toEqual(dead);
});
it('reports headings without text below them', () => {
  const found = of(
    'empty_section',
    article('a.md', `## Rinse\n\n${RINSE}\n\n## Reset the machine\n\nTo do.`),
  );
  expect(found).toMatchObject([{ place: { article_id: 'a.md', heading: 'Reset the machine' } }]);
});
it('reports an article that a search for its title does not find among the first', () => {
  const same = [0, 1, 2, 3, 4].map((at) => article(`m${at}.md`, 'Nothing.', { title: 'Machine' }));
  expect(of('not_found_by_title', ...same)).not.toEqual([]);
  const different = [article('boiler.md', RINSE), article('grinder.md', 'Grind the beans.')];
  expect(of('not_found_by_title', ...different)).toEqual([]);
});
it('counts the listed findings', () => {
  const health = knowledgeHealth(openSmallKb().edition);
  expect(health.articles).toBe(openSmallKb().edition.articleCount);
  expect(Object.values(health.counts).reduce((sum, count) => sum + count, 0)).toBe(
    health.findings.length,
  );
});
