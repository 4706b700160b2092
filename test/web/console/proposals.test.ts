import { beforeEach, expect, it, vi } from 'vitest';
import { markdownToHtml } from '../../../src/documents/markdown/render-markdown.ts';
import {
  proposalForGap,
  proposalForTicket,
  unfinishedPart,
} from '../../../src/web/console/views/knowledge/proposals.ts';

const { gap, search, lessons } = vi.hoisted(() => ({
  gap: vi.fn(),
  search: vi.fn(),
  lessons: vi.fn(),
}));
vi.mock('../../../src/web/console/session/deployment.ts', () => ({
  client: { gaps: { get: gap }, search, tickets: { lessons } },
}));
vi.mock('../../../src/web/console/texts/texts.ts', () => ({ t: (key: string) => `<${key}>` }));

const { signal } = new AbortController();
const HOSTILE = 'Is [this](https://evil.example.com) <b>it</b>?';
const ARTICLE = { id: 'a.md', title: 'A', content: 'Known.\n', metadata: {} } as never; // what is read
beforeEach(() => {
  gap.mockResolvedValue({ gap: HOSTILE, example_queries: [HOSTILE, '# Two'] });
  search.mockResolvedValue({
    hits: [
      {
        article_id: 'b',
        title: 'B',
        url: 'https://kb.example.com/b',
        text: 'Quoted.',
        relevance: 0.9,
      },
    ],
  });
});

it('writes the words of customers as text', async () => {
  for (const article of [undefined, ARTICLE]) {
    const { content } = await proposalForGap('g-1', article, signal);
    expect(markdownToHtml(content)).not.toMatch(/<b>|href="https:\/\/evil|<h1>Two/);
    expect(markdownToHtml(content)).toContain('Is [this](https://evil.example.com) &lt;b&gt;');
  }
});

it('cannot be saved while the line in brackets or passages of other articles stand there', async () => {
  const { content } = await proposalForGap('g-1', undefined, signal);
  expect(unfinishedPart(content)).toBe('outline.unfinished');
  const answered = content.replace('<outline.answer>', 'Yes.');
  expect(answered).toContain('Quoted.');
  expect(unfinishedPart(answered)).toBe('outline.quoted');
  expect(unfinishedPart(answered.slice(0, answered.indexOf('## <outline.known>')))).toBeUndefined();
});

it('adds what an agent wrote below the title of the ticket', async () => {
  lessons.mockResolvedValue({ lessons: [{ title: HOSTILE, added: ['One.', 'Two.'] }] });
  const place = { helpdesk: 'zammad', ticketId: '17' };
  const { content } = await proposalForTicket(place, ARTICLE, signal);
  expect(content).toMatch(/^Known\.\n\n## Is .*\n\nOne\.\n\nTwo\.\n$/);
  expect(markdownToHtml(content)).not.toMatch(/<b>|href/);
});

it.each([
  ['no lesson', []],
  ['a lesson without a title and sentences', [{ title: null, added: [] }]],
])('leaves an article as it is with %s', async (_, known) => {
  lessons.mockResolvedValue({ lessons: known });
  const place = { helpdesk: 'zammad', ticketId: '17' };
  expect(await proposalForTicket(place, ARTICLE, signal)).toMatchObject({ content: 'Known.\n' });
});
