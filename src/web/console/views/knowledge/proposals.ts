import type { HostArticle } from '../../../../contract/wire/host-article.ts';
import type { KnowledgeHit } from '../../../../contract/wire/knowledge.ts';
import { OUTLINE } from '../../../../documents/markdown/article-outline.ts';
import { escapeMarkdown } from '../../../../documents/markdown/escape-markdown.ts';
import { client } from '../../session/deployment.ts';
import { language } from '../../texts/texts.ts';

/** What is proposed to be written, and where the writer comes from. */
export interface Proposal {
  id?: string;
  title?: string;
  content: string;
  /** Address of the page that shows what became of it. */
  back: string;
  /** What customers ask: for the writer alone, as are the passages. */
  questions?: readonly string[];
  /** What other articles say, which not everybody may read. */
  passages?: readonly Pick<KnowledgeHit, 'title' | 'url' | 'text'>[];
}

const MAX_PASSAGES = 3;
/** Least relevance of a passage that is shown. */
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
  const answer = OUTLINE.answer[language.value];
  if (article !== undefined)
    return {
      content: `${article.content.trimEnd()}\n\n## ${escapeMarkdown(gap)}\n\n${answer}\n`,
      back,
      questions,
    };
  const passages = await passagesFor(questions.length === 0 ? [gap] : questions, signal);
  const content = `# ${escapeMarkdown(gap)}\n\n${answer}\n`;
  return { id: slugOf(gap), title: gap, content, back, questions, passages };
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

/** What an agent sent instead of a draft, as a section of the article that the draft cites. What it answers is not known: no heading and no title is proposed. */
export async function proposalForTicket(
  { helpdesk, ticketId }: { helpdesk: string; ticketId: string },
  article: HostArticle | undefined,
  signal: AbortSignal,
): Promise<Proposal> {
  const { lessons } = await client.tickets.lessons({ helpdesk, ticket_id: ticketId }, { signal });
  const [lesson] = lessons;
  const back = `/tickets/${encodeURIComponent(helpdesk)}/${encodeURIComponent(ticketId)}`;
  if (lesson === undefined || lesson.added.length === 0)
    return { content: article?.content ?? '', back };
  const body =
    article === undefined
      ? []
      : [article.content.trimEnd(), `## ${OUTLINE.heading[language.value]}`];
  return { content: `${[...body, ...lesson.added.map(withoutPerson)].join('\n\n')}\n`, back };
}

/** A sentence that names a person, or holds a number or an address of one, in brackets. */
const withoutPerson = (sentence: string): string =>
  PERSONAL.test(sentence) ? `(${OUTLINE.personal[language.value]} ${sentence})` : sentence;

/** `[name]`, `[email]`: what stands in place of personal data. */
const PERSONAL = /\[\p{L}+\](?!\()/u;

/** `Do you ship to Brazil?` -> `do-you-ship-to-brazil`. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, MAX_ID);
