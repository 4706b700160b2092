import type { AnswerInterface, AnswerVerdict } from '../../src/contract/wire/answers.ts';
import type { HealthKind, KnowledgeGap } from '../../src/contract/wire/knowledge.ts';
import type { Overview } from '../../src/contract/wire/overview.ts';
import { escapeMarkdown } from '../../src/documents/markdown/escape-markdown.ts';

/** A line of a digest: words of customers and writers, and a remark beside them. */
interface DigestItem {
  words: string;
  remark: string;
  /** Path and query in the console. */
  path: string;
}

/** A list of a digest, with the number of all that it is the beginning of. */
export interface DigestList {
  title: string;
  items: readonly DigestItem[];
  total: number;
  path: string;
}

/** A number of a digest, with the one of the days before. */
interface DigestCount {
  label: string;
  number: number;
  before: number;
  path: string;
}

/** What a digest says, for each of its forms. */
export interface Digest {
  title: string;
  /** Why there are no numbers; absent when there are. */
  notice?: string;
  /** A sentence for each part that is not shown. */
  unread: readonly string[];
  counts: readonly DigestCount[];
  /** A row for each channel: its name, its questions, and those by outcome in the order of `counts`. */
  channels: readonly { name: string; numbers: readonly number[] }[];
  lists: readonly DigestList[];
}

const OUTCOMES = {
  answered: 'answered',
  hedged: 'not sure',
  declined: 'declined',
  clarifying: 'asked back',
  person: 'asked for a person',
  error: 'failed',
} as const satisfies Partial<Record<AnswerVerdict, string>>;
const OUTCOME_NAMES = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]; // keys of the record above

/** As the console names them. */
const CHANNELS: Readonly<Partial<Record<AnswerInterface, string>>> = {
  rest: 'API',
  stream: 'streaming API',
  chat: 'chat completions',
  mcp: 'MCP',
  a2a: 'A2A',
  client: 'typed client',
  command_line: 'command line',
};

const HEALTH_TEXTS: Readonly<Record<HealthKind, string>> = {
  contradiction: 'contradicts another article',
  duplicate: 'copy of another article',
  outdated: 'older than its product’s newest article',
  dead_link: 'a link leads nowhere',
  empty_section: 'a heading with nothing below',
  not_found_by_title: 'not found by its own title',
};

/** What the overview of some days says, in people's words. */
export function digestOf(overview: Overview): Digest {
  const { from, to, answers, gaps, articles, tickets } = overview;
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  const findings = Object.values(articles?.counts ?? {}).reduce((sum, number) => sum + number, 0);
  const lists: DigestList[] = [
    {
      title: 'Most often not answered',
      items: (gaps?.most_asked ?? []).map((gap) => ({
        ...gapItem(gap),
        remark: occurrencesOf(gap, days),
      })),
      total: gaps?.asked ?? 0,
      path: `/gaps?days=${days}`,
    },
    {
      title: 'Answered since',
      items: (gaps?.last_closed ?? []).map((gap) => ({
        ...gapItem(gap),
        remark: (gap.closed_at ?? '').slice(0, 10),
      })),
      total: gaps?.closed ?? 0,
      path: `/gaps?state=closed&days=${days}`,
    },
    {
      title: 'Answers that did not help',
      items: (answers?.disliked ?? []).map(({ id, question, feedback }) => {
        const comment = feedback?.comment;
        return {
          words: question,
          remark: comment === undefined ? '' : `“${comment}”`,
          path: `/answers/${id}`,
        };
      }),
      total: answers?.now.disliked ?? 0,
      path: `/answers?${new URLSearchParams({ feedback: 'down', from, to })}`,
    },
    {
      title: 'Articles to look at',
      items: (articles?.findings ?? []).map(({ kind, place }) => ({
        words: place.title,
        remark: HEALTH_TEXTS[kind],
        path: `/knowledge?${new URLSearchParams({ article: place.article_id })}`,
      })),
      total: findings,
      path: '/knowledge?health=all',
    },
    {
      title: 'Tickets',
      items: [
        {
          words: 'wait for a reply',
          remark: String(tickets?.waiting ?? 0),
          path: '/tickets?outcome=waiting',
        },
        { words: 'failed', remark: String(tickets?.failed ?? 0), path: '/operations?state=dead' },
      ].filter(({ remark }) => remark !== '0'),
      total: 0,
      path: '/tickets',
    },
  ];
  return {
    title: `Questions and articles, ${from.slice(0, 10)} to ${to.slice(0, 10)}`,
    ...(answers === null || answers.now.total > 0 ? {} : { notice: noticeOf(answers) }),
    unread: overview.unread.map(
      ({ part, missing }) =>
        `Without ${PARTS[part]}: ${missing === undefined ? 'they could not be read just now' : `the key lacks ${missing}`}.`,
    ),
    counts: countsOf(overview),
    channels: (answers?.interfaces ?? []).map(({ interface: name, total, verdicts }) => ({
      name: CHANNELS[name] ?? name,
      numbers: [total - verdicts.closes, ...OUTCOME_NAMES.map((verdict) => verdicts[verdict])],
    })),
    lists: lists.filter(({ items }) => items.length > 0),
  };
}

/** As a sentence names them. */
const PARTS: Readonly<Record<Overview['unread'][number]['part'], string>> = {
  answers: 'answers',
  gaps: 'unanswered questions',
  articles: 'articles',
  tickets: 'tickets',
  checks: 'checks',
};

const noticeOf = ({ are_kept: areKept }: NonNullable<Overview['answers']>): string =>
  areKept
    ? 'No question was asked in these days.'
    : 'Answers of this workspace are not kept, so nothing is known about them (docs/answers-kept.md).';

const countsOf = ({ answers, from, to }: Overview): DigestCount[] => {
  if (answers === null || answers.now.total === 0) return [];
  const { now, before } = answers;
  const address = (filter: Record<string, string>) =>
    `/answers?${new URLSearchParams({ ...filter, from, to })}`;
  return [
    {
      label: 'questions',
      // Thanks and greetings ask nothing.
      number: now.total - now.verdicts.closes,
      before: before.total - before.verdicts.closes,
      path: address({}),
    },
    ...OUTCOME_NAMES.map((verdict) => ({
      label: OUTCOMES[verdict],
      number: now.verdicts[verdict],
      before: before.verdicts[verdict],
      path: address({ verdict }),
    })),
  ];
};

const gapItem = ({ id, gap }: KnowledgeGap): Omit<DigestItem, 'remark'> => ({
  words: gap,
  path: `/gaps/${id}`,
});

/** How often a gap occurred. Counts are stored by week: the days are rounded up to whole weeks. */
const occurrencesOf = ({ weeks }: KnowledgeGap, days: number): string => {
  const weekCount = Math.ceil(days / DAYS_A_WEEK);
  const count = times(weeks.slice(-weekCount).reduce((sum, number) => sum + number, 0));
  return days === weekCount * DAYS_A_WEEK ? count : `${count} in ${weekCount * DAYS_A_WEEK} days`;
};

const DAY_MS = 86_400_000;
const DAYS_A_WEEK = 7;

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** A digest as Markdown. */
export function digestMarkdown({ title, notice, unread, counts, channels, lists }: Digest): string {
  const table = counts.map(({ label, number, before }) => `| ${label} | ${number} | ${before} |`);
  const rows = channels.map(({ name, numbers }) => `| ${[name, ...numbers].join(' | ')} |`);
  const head = ['channel', ...counts.map(({ label }) => label)];
  return [
    `# ${title}`,
    notice ?? '',
    ...unread,
    table.length === 0 ? '' : ['| | number | before |', '| --- | --- | --- |', ...table].join('\n'),
    rows.length === 0
      ? ''
      : [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n'),
    ...lists.flatMap(({ title: heading, items, total }) => {
      const more = total > items.length ? [`- … and ${total - items.length} more`] : [];
      const lines = items.map(
        ({ words, remark }) => `- ${text(words)}${remark === '' ? '' : ` (${text(remark)})`}`,
      );
      return [`## ${heading}`, [...lines, ...more].join('\n')];
    }),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const MAX_TEXT = 200;

/** One line of a customer's or a writer's words. */
export function oneLine(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT).toWellFormed()} …` : line;
}

const text = (words: string): string => escapeMarkdown(oneLine(words));
