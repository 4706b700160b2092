import * as z from 'zod';
import { AskRequest, Statements } from '../core/ask.ts';
import { ErrorInfo } from '../core/error-info.ts';
import { KnowledgeFile } from '../core/knowledge-file.ts';
import { LibrarianId, Link, MemoryId, Query } from '../core/names.ts';
import { LibrarianResponse } from '../core/response.ts';
import type { GatewayCall } from './gateway-call.ts';
import { HostArticle } from './host-article.ts';
import { KnowledgeGap } from './knowledge.ts';
import { MemoryInput } from './memory.ts';

/** Bounds of the conversation that a call of `ask` may bring: turns, characters of each and of all together. */
export const ASK_HISTORY = { maxTurns: 12, maxTurn: 2000, maxLength: 12_000 };

const asked = AskRequest.shape;

/** Arguments of the tool `ask`. */
export const AskArguments = z.strictObject({
  query: Query.describe(
    'The question, in any language, 1 to 4,000 characters. Ask one thing at a time.',
  ),
  librarian: LibrarianId.optional().describe(
    'The librarian to ask. Leave it out: the concierge chooses.',
  ),
  conversation_id: asked.conversation_id.describe(
    'Your own id of a conversation, 1 to 128 visible ASCII characters. Its turns are stored; later questions are read in their context. Needs rights to memories.',
  ),
  history: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        text: z.string().max(ASK_HISTORY.maxTurn),
      }),
    )
    .max(ASK_HISTORY.maxTurns)
    .refine(
      (turns) =>
        turns.reduce((length, { text }) => length + text.length, 0) <= ASK_HISTORY.maxLength,
      {
        error: `is longer than ${ASK_HISTORY.maxLength} characters`,
      },
    )
    .optional()
    .describe('What was said before, oldest first, when no conversation_id is given.'),
  timeout_ms: asked.timeout_ms.describe('Milliseconds to wait at most.'),
});

const answered = LibrarianResponse.shape;

/** Result of the tool `ask`: the members of the Response that a model works with, without its trace. */
export const AskResult = z.object({
  answer: answered.answer,
  sources: answered.sources,
  confidence: answered.confidence,
  partial: answered.partial,
  /** Each checked statement with the exact words of its sources. */
  statements: Statements.optional(),
  /** The external librarian that answered: its claims, which are not checked here. */
  reported_by: LibrarianId.optional(),
  /** The id of the answer, where the workspace keeps answers. */
  answer_id: z.uuid().optional(),
  /** Articles that come closest, when nothing answers. */
  closest: z
    .array(z.object({ title: z.string().max(500), url: Link.optional() }))
    .max(50)
    .optional(),
});

/** Arguments of the tool `read_article`. */
export const ReadArticleArguments = z.strictObject({
  id: KnowledgeFile.describe(
    'Id of the article, such as `orders/shipping.md`, from search or from a source.',
  ),
  offset: z.int().min(0).max(10_000_000).default(0).describe('Where to start, in UTF-16 units.'),
  limit: z
    .int()
    .min(100)
    .max(50_000)
    .default(20_000)
    .describe('How much to read, in UTF-16 units.'),
});

/** Result of the tool `read_article`: a part of the article. */
export const ReadArticleResult = z.object({
  ...HostArticle.shape,
  content: z.string().max(50_000),
  offset: z.int().min(0),
  /** Length of the whole article. */
  total_length: z.int().min(0),
  /** Offset of the next part; absent at the end. */
  next_offset: z.int().min(0).optional(),
});

/** Arguments of the tool `list_gaps`. */
export const ListGapsArguments = z.strictObject({
  state: z.enum(['open', 'closed', 'all']).default('open'),
  limit: z.int().min(1).max(200).default(20),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page.'),
});

/** Result of the tool `list_gaps`. */
export const ListGapsResult = z.object({
  gaps: z.array(KnowledgeGap).max(200),
  total: z.int().min(0),
  next_cursor: z.string().max(200).nullable(),
  edition: z.string().max(200).nullable(),
});

const stored = MemoryInput.shape;

/** Arguments of the tool `remember`. */
export const RememberArguments = z.strictObject({
  content: stored.content.describe('One statement that stands on its own.'),
  type: stored.type.default('fact').describe('Free-form: `fact`, `decision`, `preference`.'),
  confidence: stored.confidence,
  conversation_id: stored.conversation_id,
  person_id: stored.person_id.describe('Whom it is about: an id, never a name or address.'),
});

/** Arguments of the tool `recall`. */
export const RecallArguments = z.strictObject({
  query: Query,
  limit: z.int().min(1).max(50).default(10),
  conversation_id: MemoryId.optional(),
});

/** Name of our error among the `_meta` of a failed call. */
export const ERROR_META = 'dev.constellation/error';

/** The `_meta` of a failed call of a tool. */
export const ToolFailure = z.object({ [ERROR_META]: ErrorInfo });
export type ToolFailure = z.infer<typeof ToolFailure>;

/** Longest request: fits the longest ticket in any script, with its envelope. */
export const MAX_MCP_BYTES = 320 * 1024;

/** The holder of the credentials of a request to the function mcp, as the gateway has authenticated it. */
export interface McpCaller {
  workspace: string;
  /** Decide which tools, resources and prompts are listed; every call is checked again by its route. */
  capabilities: readonly string[];
}

/** Answers a request of MCP, with calls of the gateway in the name of its caller. `body` is undefined when the request still holds it. */
export type AnswerMcp = (
  sent: { request: Request; body: unknown },
  caller: McpCaller,
  call: GatewayCall,
) => Promise<Response>;
