import type { HostArticle } from '../../../../contract/wire/host-article.ts';
import type { KnowledgeHit } from '../../../../contract/wire/knowledge.ts';
import { escapeMarkdown } from '../../../../documents/markdown/escape-markdown.ts';
import { client } from '../../session/deployment.ts';
import { t } from '../../texts/texts.ts';

/** What is proposed to be written, and where the writer comes from. */
export interface Proposal {
  id?: string;
  title?: string;
  content: string;
  /** Address of the page that shows what became of it. */
  back: string;
}

const MAX_PASSAGES = 3;
/** Least relevance of a passage that an outline quotes. */
const RELATED = 0.15;
const MAX_ID = 80;

/** An outline of what a gap needs: an article of its own, or a section of one that there is. */
export async function proposalForGap(
  gapId: string,
  article: HostArticle | undefined,
  signal: AbortSignal,
): Promise<Proposal> {
  const { gap, example_queries: questions } = await client.gaps.get(gapId, { signal });
  const back = `/gaps/${gapId}?written`;
  const answer = t('outline.answer');
  if (article !== undefined)
    return {
      content: `${article.content.trimEnd()}\n\n## ${escapeMarkdown(gap)}\n\n${answer}\n`,
      back,
    };
  const passages = await passagesFor(questions.length === 0 ? [gap] : questions, signal);
  const parts = [
    `# ${escapeMarkdown(gap)}`,
    answer,
    ...(questions.length < 2
      ? []
      : [
          `## ${t('outline.questions')}`,
          questions.map((question) => `- ${escapeMarkdown(question)}`).join('\n'),
        ]),
    ...(passages.length === 0 ? [] : [`## ${t('outline.known')}`]),
    ...passages.map(
      ({ title, url, text }) => `${text.trim()}\n\n([${escapeMarkdown(title)}](${url}))`,
    ),
  ];
  return { id: slugOf(gap), title: gap, content: `${parts.join('\n\n')}\n`, back };
}

/** The best passages of different articles for all questions. */
const passagesFor = async (
  questions: readonly string[],
  signal: AbortSignal,
): Promise<KnowledgeHit[]> => {
  const replies = await Promise.all(
    questions.map((query) => client.search({ query, limit: MAX_PASSAGES }, { signal })),
  );
  const hits = replies
    .flatMap((reply) => reply.hits)
    .filter(({ relevance }) => relevance >= RELATED);
  const byArticle = new Map<string, KnowledgeHit>();
  for (const hit of hits.toSorted((one, other) => other.relevance - one.relevance))
    if (!byArticle.has(hit.article_id)) byArticle.set(hit.article_id, hit);
  return [...byArticle.values()].slice(0, MAX_PASSAGES);
};

/** What an agent sent instead of a draft, below the article that the draft cites. */
export async function proposalForTicket(
  { helpdesk, ticketId }: { helpdesk: string; ticketId: string },
  article: HostArticle | undefined,
  signal: AbortSignal,
): Promise<Proposal> {
  const { lessons } = await client.tickets.lessons({ helpdesk, ticket_id: ticketId }, { signal });
  const [lesson] = lessons;
  const back = `/tickets/${encodeURIComponent(helpdesk)}/${encodeURIComponent(ticketId)}`;
  if (lesson === undefined) return { content: article?.content ?? '', back };
  const title = oneLine(lesson.title ?? '');
  const heading =
    title === '' ? [] : [`${article === undefined ? '#' : '##'} ${escapeMarkdown(title)}`];
  const body = article === undefined ? [] : [article.content.trimEnd()];
  const content = `${[...body, ...heading, ...lesson.added].join('\n\n')}\n`;
  return article === undefined ? { id: slugOf(title), title, content, back } : { content, back };
}

/** Why a proposal cannot be saved yet: the line in brackets stands there, or passages that not everybody may read. */
export function unfinishedPart(
  content: string,
): 'outline.unfinished' | 'outline.quoted' | undefined {
  if (content.includes(t('outline.answer'))) return 'outline.unfinished';
  return content.split('\n').includes(`## ${t('outline.known')}`) ? 'outline.quoted' : undefined;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** `Do you ship to Brazil?` -> `do-you-ship-to-brazil`. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, MAX_ID);
