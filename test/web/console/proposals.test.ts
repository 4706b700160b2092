import { beforeEach, expect, it, vi } from 'vitest';
import { OUTLINE, openPlaceholder } from '../../../src/documents/markdown/article-outline.ts';
import { markdownToHtml } from '../../../src/documents/markdown/render-markdown.ts';
import {
  proposalForGap,
  proposalForTicket,
} from '../../../src/web/console/views/knowledge/proposals.ts';

const { gap, search, lessons } = vi.hoisted(() => ({
  gap: vi.fn(),
  search: vi.fn(),
  lessons: vi.fn(),
}));
vi.mock('../../../src/web/console/session/deployment.ts', () => ({
  client: { gaps: { get: gap }, search, tickets: { lessons } },
}));
vi.mock('../../../src/web/console/texts/texts.ts', () => ({ language: { value: 'en' } }));

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

it('proposes a heading and a line in brackets, and shows the rest to the writer alone', async () => {
  const { content, questions, passages } = await proposalForGap('g-1', undefined, signal);
  expect(content).toMatch(/^# Is .*\n\n\(Answer the question here, .*\)\n$/);
  expect(questions).toEqual([HOSTILE, '# Two']);
  expect(passages).toMatchObject([{ title: 'B', text: 'Quoted.' }]);
  expect(openPlaceholder(content)).toBe(OUTLINE.answer.en);
  expect(openPlaceholder(content.replace(OUTLINE.answer.en, 'Yes.'))).toBeUndefined();
});

it('adds what an agent wrote as a section without a heading, and puts what names a person in brackets', async () => {
  const added = ['One.', 'As [name] wrote, two.', 'See [this](https://kb.example.com).'];
  lessons.mockResolvedValue({ lessons: [{ title: HOSTILE, added }] });
  const place = { helpdesk: 'zammad', ticketId: '17' };
  const { content, title } = await proposalForTicket(place, ARTICLE, signal);
  expect(content).toBe(
    `Known.\n\n## ${OUTLINE.heading.en}\n\nOne.\n\n(${OUTLINE.personal.en} As [name] wrote, two.)\n\nSee [this](https://kb.example.com).\n`,
  );
  expect(title).toBeUndefined();
  const headed = content.replace(OUTLINE.heading.en, 'A heading');
  expect(openPlaceholder(headed)).toBe(OUTLINE.personal.en);
  expect(openPlaceholder(headed.replace(OUTLINE.personal.en, ''))).toBeUndefined();
  const own = await proposalForTicket(place, undefined, signal);
  expect(own).toMatchObject({ content: content.slice(content.indexOf('One.')) });
  expect(own).not.toHaveProperty('title');
});

it.each([
  ['no lesson', []],
  ['a lesson without a title and sentences', [{ title: null, added: [] }]],
])('leaves an article as it is with %s', async (_, known) => {
  lessons.mockResolvedValue({ lessons: known });
  const place = { helpdesk: 'zammad', ticketId: '17' };
  expect(await proposalForTicket(place, ARTICLE, signal)).toMatchObject({ content: 'Known.\n' });
});
