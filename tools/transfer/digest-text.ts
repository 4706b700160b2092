import type { AnswerSummary, AnswerVerdict } from '../../src/contract/wire/answers.ts';
import type { KnowledgeGap, KnowledgeHealth } from '../../src/contract/wire/knowledge.ts';
import { escapeMarkdown } from '../../src/documents/markdown/render-markdown.ts';

/** What a digest tells of some days. */
export interface DigestData {
  /** ISO 8601 days, the last one included. */
  from: string;
  to: string;
  /** Number of answers by verdict, of these days and of as many before them; undefined where answers are not kept. */
  verdicts: { now: Record<AnswerVerdict, number>; before: Record<AnswerVerdict, number> } | undefined;
  /** Newest first. */
  declined: readonly AnswerSummary[];
  unhelpful: readonly AnswerSummary[];
  /** Most frequent first. */
  openGaps: readonly KnowledgeGap[];
  openGapCount: number;
  /** Closed in these days. */
  closedGaps: readonly KnowledgeGap[];
  health: KnowledgeHealth;
}

const MAX_LISTED = 10;
const MAX_TEXT = 200;

const HEALTH_TEXTS: Readonly<Record<keyof KnowledgeHealth['counts'], string>> = {
  contradiction: 'contradicting quantities',
  duplicate: 'copies of other articles',
  outdated: 'older than their product’s newest article',
  dead_link: 'links to articles that there are not',
  empty_section: 'headings with nothing below',
  not_found_by_title: 'articles that their own title does not find',
};

/** The digest as Markdown: what was asked and declined, what is missing, what was fixed, which articles to look at. */
export const digestText = (data: DigestData): string =>
  [
    `# Questions and articles, ${data.from} to ${data.to}`,
    verdictsText(data.verdicts),
    list('Declined', grouped(data.declined)),
    list(
      'Did not help, people say',
      data.unhelpful.map(({ question, feedback }) => {
        const comment = feedback?.comment;
        return `${text(question)}${comment === undefined ? '' : ` – “${text(comment)}”`}`;
      }),
    ),
    list(
      `Missing in the articles (${data.openGapCount} open)`,
      data.openGaps.map(({ gap, count }) => `${text(gap)} (asked ${times(count)})`),
    ),
    list(
      'Fixed',
      data.closedGaps.map(({ gap }) => text(gap)),
    ),
    healthText(data.health),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

const verdictsText = (verdicts: DigestData['verdicts']): string => {
  if (verdicts === undefined)
    return 'Answers of this workspace are not kept, so nothing is known about them (docs/answers-kept.md).';
  const total = (counts: Record<AnswerVerdict, number>): number =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const all = total(verdicts.now);
  const rows = Object.entries(verdicts.now).map(([verdict, count]) => {
    const share = all === 0 ? 0 : Math.round((100 * count) / all);
    // Both records have the same keys.
    return `| ${verdict} | ${count} | ${share} % | ${verdicts.before[verdict as AnswerVerdict]} |`;
  });
  return [
    `${all} ${all === 1 ? 'question' : 'questions'}, ${total(verdicts.before)} in the days before.`,
    ['| | number | share | before |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
};

/** The same question counts once, with how often it was asked. */
const grouped = (answers: readonly AnswerSummary[]): string[] => {
  const groups = Map.groupBy(answers, ({ question }) =>
    question
      .trim()
      .toLowerCase()
      .replaceAll(/[\s?.!]+/g, ' ')
      .trim(),
  );
  return [...groups.values()]
    .toSorted((one, other) => other.length - one.length)
    .map(
      ([first, ...others]) =>
        `${text(first?.question ?? '')}${others.length === 0 ? '' : ` (${times(others.length + 1)})`}`,
    );
};

const healthText = ({ counts, findings, articles }: KnowledgeHealth): string => {
  const kinds = Object.entries(HEALTH_TEXTS).flatMap(([kind, what]) => {
    const count = counts[kind as keyof KnowledgeHealth['counts']];
    const first = findings.find((finding) => finding.kind === kind)?.place;
    return count === 0 || first === undefined ? [] : [`${count} ${what}, such as ${text(first.title)}`];
  });
  return list(`Articles to look at (of ${articles})`, kinds);
};

const list = (title: string, items: readonly string[]): string => {
  if (items.length === 0) return '';
  const more = items.length > MAX_LISTED ? [`… and ${items.length - MAX_LISTED} more`] : [];
  return [`## ${title}`, [...items.slice(0, MAX_LISTED), ...more].map((item) => `- ${item}`).join('\n')].join('\n\n');
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** One line of a customer's or a writer's words, as text. */
const text = (words: string): string => {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return escapeMarkdown(line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)} …` : line);
};
