import type * as z from 'zod';
import { languageOfAsker } from '../../../answering/write/answer-phrases.ts';
import type { Progress } from '../../../contract/core/ask.ts';
import { readAs } from '../../../contract/core/error-info.ts';
import type { HttpRoute } from '../../../contract/routes/http-route.ts';
import { ROUTES, type RouteName } from '../../../contract/routes/http-routes.ts';
import { HostArticle } from '../../../contract/wire/host-article.ts';
import {
  KnowledgeSearchRequest,
  KnowledgeSearchResponse,
} from '../../../contract/wire/knowledge.ts';
import {
  AskArguments,
  AskResult,
  ListGapsArguments,
  ListGapsResult,
  ReadArticleArguments,
  ReadArticleResult,
  RecallArguments,
  RememberArguments,
} from '../../../contract/wire/mcp.ts';
import { MemorySearchResponse, MemoryStored } from '../../../contract/wire/memory.ts';
import { SupportRequest, SupportResponse } from '../../../contract/wire/support-response.ts';
import { covers } from '../../../platform/context/capabilities.ts';
import { citedText } from '../cited-text.ts';
import type { Routes } from '../gateway-routes.ts';
import { linksOf, linkTo, type ResourceLink } from './uris.ts';

/** What a tool gives: its structured content, the text for a model, and the sources. */
export interface ToolReply {
  structured: object;
  /** The structured content as JSON when absent. */
  text?: string | undefined;
  links?: readonly ResourceLink[] | undefined;
}

interface Reporting {
  signal: AbortSignal;
  progress?: Progress | undefined;
}

export interface Tool {
  title: string;
  description: string;
  /** The route that it translates to, and whose capability the key needs. */
  route: RouteName;
  input: z.ZodType;
  output: z.ZodType;
  /** Whether it changes something. */
  writes?: true;
  /** Gets arguments as `input` has parsed them. */
  run: (routes: Routes, given: unknown, reporting: Reporting) => Promise<ToolReply>;
}

/** What a result has of the metadata of an answer. */
const Evidence = AskResult.pick({
  statements: true,
  closest: true,
  reported_by: true,
  answer_id: true,
});

const MEMORIES = '/v1/workspaces/{workspace_id}/memories';

/** Checks the types of one tool, which the list of all no longer tells apart. */
const tool = <Input extends z.ZodType>({
  run,
  ...rest
}: Omit<Tool, 'input' | 'run'> & {
  input: Input;
  run: (routes: Routes, given: z.output<Input>, reporting: Reporting) => Promise<ToolReply>;
}): Tool => ({
  ...rest,
  // What the schema of this tool has parsed.
  run: (routes, given, reporting) => run(routes, given as z.output<Input>, reporting),
});

/** All tools, in the order of `tools/list`. */
const TOOLS: Readonly<Record<string, Tool>> = {
  ask: tool({
    title: 'Ask a question',
    description:
      'Answers a question from the team’s own knowledge base, with a source for every statement. Says so when nothing answers it, and ' +
      'names the closest articles. Cite the sources by their numbers and addresses; do not add facts that the answer does not state.',
    route: 'POST /v1/ask',
    input: AskArguments,
    output: AskResult,
    run: async (routes, { history, ...question }, { signal, progress }) => {
      const turns = history?.map(({ role, text }) => ({ speaker: role, text }));
      const body = {
        ...question,
        ...(turns === undefined ? {} : { metadata: { history: turns } }),
      };
      const before = (history ?? []).flatMap(({ role, text }) => (role === 'user' ? [text] : []));
      const cited = citedText({
        listsSources: true,
        language: languageOfAsker({ question: question.query, before }),
      });
      const response = await routes.ask(body, {
        signal,
        isLive: progress !== undefined,
        progress: (event) => {
          cited.add(event);
          progress?.(event);
        },
      });
      cited.end(response);
      const { answer, sources = [], confidence, partial, metadata = {} } = response;
      const { statements, closest, reported_by, answer_id } = metadata;
      const kept = readAs(Evidence, { statements, closest, reported_by, answer_id });
      return {
        structured: { answer, sources, confidence, partial, ...(kept.ok ? kept.value : {}) },
        text: cited.content(),
        links: linksOf(sources, kept.ok ? kept.value.statements : undefined),
      };
    },
  }),
  search: tool({
    title: 'Search the knowledge base',
    description:
      'Finds passages of articles, best first, each with its heading, text and relevance (0 to 1). For an answer, use ask.',
    route: 'POST /v1/knowledge/search',
    input: KnowledgeSearchRequest,
    output: KnowledgeSearchResponse,
    run: async (routes, body, { signal }) => {
      const found = KnowledgeSearchResponse.parse(
        await routes.json('POST', '/v1/knowledge/search', { body, signal }),
      );
      const links = new Map(
        found.hits.map(({ article_id: file, title: name, url, relevance, last_updated }) => [
          file,
          linkTo({ name, url, file, relevance, lastUpdated: last_updated }),
        ]),
      );
      return { structured: found, links: [...links.values()].flatMap((link) => link ?? []) };
    },
  }),
  read_article: tool({
    title: 'Read an article',
    description:
      'Reads an article by its id, in parts where it is long: continue with next_offset.',
    route: 'GET /api/kb/articles/{id}',
    input: ReadArticleArguments,
    output: ReadArticleResult,
    run: async (routes, { id, offset, limit }, { signal }) => {
      const article = HostArticle.parse(await routes.article(id, { signal }));
      const { length } = article.content;
      const end = Math.min(length, offset + limit);
      return {
        structured: {
          ...article,
          content: article.content.slice(offset, end),
          offset,
          total_length: length,
          ...(end < length ? { next_offset: end } : {}),
        },
        links: [linkTo({ name: article.title, url: article.url, file: id })].flatMap(
          (link) => link ?? [],
        ),
      };
    },
  }),
  list_gaps: tool({
    title: 'List gaps of the knowledge base',
    description: 'Lists what customers ask and no article answers, most frequent first.',
    route: 'GET /v1/knowledge/gaps',
    input: ListGapsArguments,
    output: ListGapsResult,
    run: async (routes, query, { signal }) => ({
      structured: ListGapsResult.parse(
        await routes.json('GET', '/v1/knowledge/gaps', { query, signal }),
      ),
    }),
  }),
  analyze_ticket: tool({
    title: 'Analyze a support ticket',
    description:
      'Classifies a customer’s message, finds the articles for it, drafts a reply grounded in them, and lists what to check before sending.',
    route: 'POST /v1/support/analyze',
    input: SupportRequest,
    output: SupportResponse,
    run: async (routes, body, { signal }) => {
      const analysis = SupportResponse.parse(
        await routes.json('POST', '/v1/support/analyze', { body, signal }),
      );
      const { references = [] } = analysis.draft;
      return {
        structured: analysis,
        links: references.flatMap(({ title: name, url }) => linkTo({ name, url }) ?? []),
      };
    },
  }),
  remember: tool({
    title: 'Remember a statement',
    description:
      'Stores one statement in the workspace, where recall finds it. Stores what a person has said or decided, no secrets.',
    route: `POST ${MEMORIES}`,
    input: RememberArguments,
    output: MemoryStored,
    writes: true,
    run: async (routes, body, { signal }) => ({
      structured: MemoryStored.parse(
        await routes.json('POST', routes.memories(), { body, signal }),
      ),
    }),
  }),
  recall: tool({
    title: 'Recall statements',
    description: 'Finds stored statements by their words and meaning, best first.',
    route: `POST ${MEMORIES}/search`,
    input: RecallArguments,
    output: MemorySearchResponse,
    run: async (routes, { query, limit, conversation_id }, { signal }) => {
      const options = {
        limit,
        ...(conversation_id === undefined ? {} : { conversationId: conversation_id }),
      };
      const body = { query, options };
      return {
        structured: MemorySearchResponse.parse(
          await routes.json('POST', `${routes.memories()}/search`, { body, signal }),
        ),
      };
    },
  }),
};

/** The tools whose routes a caller may use, by name. */
export function toolsFor(capabilities: readonly string[]): Map<string, Tool> {
  return new Map(Object.entries(TOOLS).filter(([, { route }]) => allows(capabilities, route)));
}

/** Whether a caller may use a route. */
export function allows(capabilities: readonly string[], route: RouteName): boolean {
  const { capability }: HttpRoute = ROUTES[route];
  return capability === undefined || covers(capabilities, capability);
}
