import { expect, it } from 'vitest';
import { HostArticleReply } from '../../../src/contract/wire/host-article.ts';
import { takeInArticle } from '../../../src/knowledge/articles/normalise-article.ts';
import {
  type SourceArticle,
  toHostArticle,
} from '../../../src/knowledge/sources/article-source.ts';

const ARTICLE: SourceArticle = {
  id: '360012',
  title: 'Refunds',
  url: 'https://help.example.com/360012',
  body: '<h2>Refunds</h2><p>Within 5 days.</p>',
  format: 'html',
  updatedAtMs: Date.UTC(2026, 0, 15, 9),
  labels: ['billing', 'intent:refund_status', 'Device: Apollo II', 'seasonal'],
  locale: 'en-us',
};
const LABELS = { billing: { intent: 'refund', device: 'Apollo III' } };
const listed = (change: Partial<SourceArticle> = {}, labels = LABELS) =>
  toHostArticle({ ...ARTICLE, ...change }, { prefix: 'zendesk-', labels });

it('returns the fields of the host contract', () => {
  expect(listed()).toEqual({
    id: 'zendesk-360012',
    title: 'Refunds',
    url: 'https://help.example.com/360012',
    content: '<h2>Refunds</h2><p>Within 5 days.</p>',
    metadata: {
      intent: ['refund', 'refund_status'],
      device: ['Apollo III', 'Apollo II'],
      format: 'html',
      last_updated: '2026-01-15T09:00:00.000Z',
      language: 'en-us',
    },
  });
});
it.each([
  ['nothing', {}, undefined, undefined],
  ['the source', {}, ['staff'], ['staff']],
  ['a label', { labels: ['audience:legal'] }, ['staff'], ['legal']],
  ['a label by the settings', { labels: ['internal'] }, undefined, ['staff']],
  ['the tool', { audience: ['legal'] }, ['staff'], ['legal']],
  [
    'the tool and a label',
    { audience: ['legal', 'sales'], labels: ['audience:sales'] },
    undefined,
    ['sales'],
  ],
  [
    'the tool and another label',
    { audience: ['legal'], labels: ['audience:sales'] },
    undefined,
    ['none'],
  ],
  ['the tool, which names none', { audience: [] }, ['staff'], ['none']],
])('has the audience of %s', (_, change, audience, expected) => {
  const labels = { internal: { audience: 'staff' } };
  const { metadata } = toHostArticle({ ...ARTICLE, ...change }, { prefix: '', labels, audience });
  expect(metadata?.audience).toEqual(expected);
});
it('ignores labels without a meaning', () => {
  const labels = ['constructor', 'seasonal', 'intent:', '__proto__'];
  expect(listed({ labels }).metadata).toMatchObject({ intent: [], device: [] });
});
it.each([
  ['begins with a word', 'Within <b>5 days</b>.<ul><li>By card</li></ul>'],
  [
    'has a line like a heading of Markdown',
    '<p>Within <b>5 days</b>.</p><ul><li>By card</li></ul>\n# not a heading',
  ],
  ['is a fragment', '<div><p>Within <b>5 days</b>.</p><ul><li>By card</li></ul></div>'],
])('marks HTML as HTML that %s', (_, body) => {
  const { article } = takeInArticle(HostArticleReply.parse(listed({ body })), {
    articleUrl: () => '',
  });
  expect(article.text).toContain('Within **5 days**.\n\n- By card');
});
it('keeps Markdown unchanged', () => {
  expect(listed({ body: '## Refunds', format: 'markdown' }).content).toBe('## Refunds');
});
it('contains only the id of an article that cannot be read, if it is known', () => {
  const settings = { prefix: 'zendesk-', labels: {} };
  expect(toHostArticle({ unreadableId: '77' }, settings)).toEqual({ id: 'zendesk-77' });
  expect(toHostArticle({ unreadableId: undefined }, settings)).toEqual({});
});
