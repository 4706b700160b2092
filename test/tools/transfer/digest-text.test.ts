import { describe, expect, it } from 'vitest';
import { HealthKind, type KnowledgeGap } from '../../../src/contract/wire/knowledge.ts';
import { Overview } from '../../../src/contract/wire/overview.ts';
import { markdownToHtml } from '../../../src/documents/markdown/render-markdown.ts';
import { digestHtml, digestMail } from '../../../tools/transfer/digest-mail.ts';
import { digestMarkdown, digestOf } from '../../../tools/transfer/digest-text.ts';

const NONE = { answered: 0, hedged: 0, declined: 0, clarifying: 0, closes: 0, person: 0, error: 0 };
const [FROM, TO, BEFORE] = [
  '2026-11-13T10:00:00Z',
  '2026-11-20T10:00:00Z',
  '2026-11-06T10:00:00Z',
] as const;
const URL_OF_CONSOLE = 'https://help.example.com';

const gapOf = (gap: string, asked: number): KnowledgeGap => ({
  id: `g-${gap.length}`,
  kind: 'question',
  gap,
  missing: null,
  intent: null,
  product: null,
  count: asked + 3,
  example_queries: [gap],
  state: 'open',
  first_seen: FROM,
  last_seen: TO,
  closed_at: null,
  checked_edition: null,
  weeks: [0, 0, 0, 0, 0, 0, 3, asked],
});
const overview = (changes: Partial<Overview> = {}): Overview =>
  Overview.parse({
    from: FROM,
    to: TO,
    before: BEFORE,
    tickets: null,
    checks: null,
    unread: [],
    answers: {
      are_kept: true,
      now: {
        total: 6,
        verdicts: { ...NONE, answered: 3, hedged: 1, declined: 1, closes: 1 },
        disliked: 0,
      },
      before: { total: 8, verdicts: { ...NONE, answered: 8 }, disliked: 0 },
      interfaces: [
        {
          interface: 'widget',
          total: 6,
          verdicts: { ...NONE, answered: 3, hedged: 1, declined: 1 },
        },
      ],
      disliked: [],
    },
    gaps: {
      open: 9,
      asked: 1,
      most_asked: [gapOf('Do you ship to Brazil?', 4)],
      closed: 0,
      last_closed: [],
    },
    articles: {
      articles: 3,
      counts: Object.fromEntries(HealthKind.options.map((kind) => [kind, 0])),
      findings: [],
    },
    ...changes,
  });

describe('digestMarkdown()', () => {
  it('counts each outcome by itself, with the number of the days before and by channel', () => {
    const written = digestMarkdown(digestOf(overview()));
    expect(written).toContain('| questions | 5 | 8 |');
    expect(written).toContain('| answered | 3 | 8 |');
    expect(written).toContain('| not sure | 1 | 0 |');
    expect(written).toContain('| widget | 6 | 3 | 1 | 1 | 0 | 0 | 0 |');
  });
  it('lists what was not answered most often, and how many more there are', () => {
    const gaps = {
      open: 20,
      asked: 14,
      most_asked: [gapOf('Is it loud?', 4)],
      closed: 0,
      last_closed: [],
    };
    const written = digestMarkdown(digestOf(overview({ gaps })));
    expect(written).toContain(
      '## Most often not answered\n\n- Is it loud? (4 times)\n- … and 13 more',
    );
  });
  it('says why there are no numbers, and omits what the key may not read', () => {
    const answers = {
      ...overview().answers,
      are_kept: false,
      now: { total: 0, verdicts: NONE, disliked: 0 },
    };
    const changes = {
      answers,
      gaps: null,
      articles: null,
      unread: [{ part: 'gaps', missing: 'support:analyze' }],
    };
    const written = digestMarkdown(digestOf(overview(changes as Partial<Overview>))); // parsed there
    expect(written).toContain('are not kept');
    expect(written).not.toMatch(/##|questions \|/);
    expect(written).toContain('Without unanswered questions: the key lacks support:analyze.');
  });
  it.each([
    ['2026-11-19T10:00:00Z', 1, '4 times in 7 days'],
    [FROM, 7, '4 times'],
    ['2026-11-10T10:00:00Z', 10, '7 times in 14 days'],
    ['2026-10-23T10:00:00Z', 28, '7 times'],
  ])(
    'says from %s how often a question was not answered, and leads to its rows',
    (from, days, remark) => {
      const { lists } = digestOf(overview({ from }));
      expect(lists).toMatchObject([{ path: `/gaps?days=${days}`, items: [{ remark }] }]);
    },
  );
  it('leads from what was answered since to the gaps closed in these days', () => {
    const last = { ...gapOf('Is it loud?', 0), state: 'closed' as const, closed_at: TO };
    const gaps = { open: 0, asked: 0, most_asked: [], closed: 1, last_closed: [last] };
    const { lists } = digestOf(overview({ gaps }));
    expect(lists).toMatchObject([
      { path: '/gaps?state=closed&days=7', items: [{ remark: '2026-11-20' }] },
    ]);
  });
  it('names each part that could not be read, in every form', async () => {
    const digest = digestOf(overview({ articles: null, unread: [{ part: 'articles' }] }));
    const sentence = 'Without articles: they could not be read just now.';
    expect(digestMarkdown(digest)).toContain(sentence);
    expect(await digestHtml(digest, URL_OF_CONSOLE)).toContain(sentence);
  });
});

describe('digestHtml() and digestMail()', () => {
  const hostile = overview({
    gaps: {
      open: 1,
      asked: 1,
      closed: 0,
      last_closed: [],
      most_asked: [gapOf('<b onload=x>a</b> [b](https://evil.example.com)\n# c "\'', 1)],
    },
  });
  it('show words of customers as text in every form', async () => {
    const page = await digestHtml(digestOf(hostile), URL_OF_CONSOLE);
    expect(page).toContain(
      '&lt;b onload=x&gt;a&lt;/b&gt; [b](https://evil.example.com) # c &quot;&#39;',
    );
    expect(
      [...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => new URL(href ?? '').origin),
    ).toSatisfy(
      (origins: string[]) =>
        origins.length > 0 && origins.every((origin) => origin === URL_OF_CONSOLE),
    );
    expect(markdownToHtml(digestMarkdown(digestOf(hostile)))).not.toMatch(/<b>|<b |<a |<h1> *c/);
  });
  it('link each number to its rows', async () => {
    const page = await digestHtml(digestOf(overview()), URL_OF_CONSOLE);
    const rows = `${URL_OF_CONSOLE}/answers?verdict=hedged&amp;from=${encodeURIComponent(FROM)}&amp;to=${encodeURIComponent(TO)}`;
    expect(page).toContain(rows);
    expect(page).toContain(`${URL_OF_CONSOLE}/gaps/g-22`);
    expect(page).not.toMatch(/<style|<script|<img|<link/);
  });
  it('has the text beside the HTML in a mail', async () => {
    const options = {
      url: URL_OF_CONSOLE,
      from: 'a@example.com',
      to: 'b@example.com',
      boundary: 'digest-1',
    };
    const mail = await digestMail(digestOf(overview()), options);
    const [head = '', text = '', page = ''] = mail.split('--digest-1');
    expect(head).toContain('Subject: Questions and articles, 2026-11-13 to 2026-11-20\r\n');
    expect(head).toMatch(/^From: a@example\.com\r\nTo: b@example\.com\r\n/);
    const decoded = (part: string) =>
      Buffer.from(part.split('\r\n\r\n')[1] ?? '', 'base64').toString();
    expect(decoded(text)).toContain('Do you ship to Brazil? (4 times)');
    expect(decoded(page)).toContain('<h1');
    expect(mail.split('\r\n').every((line) => line.length <= 78)).toBe(true);
  });
});
