import * as z from 'zod';
import {
  AskRequest,
  LibrarianAskRequest,
  NavigateRequest,
  ProgressEvent,
} from '../../src/contract/core/ask.ts';
import { ErrorBody, type ErrorCode, HTTP_STATUS } from '../../src/contract/core/error-info.ts';
import {
  Healthz,
  LibrarianDescription,
  LibrarianDirectory,
  ProtectedResource,
} from '../../src/contract/core/librarian.ts';
import { NavigatorResponse } from '../../src/contract/core/navigator-response.ts';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import * as contract from '../../src/contract/index.ts';
import {
  AgentCard,
  GatewayKeys,
  JsonRpcMessage,
  TaskErasureQuery,
} from '../../src/contract/wire/a2a.ts';
import {
  CallerAccess,
  SignedIn,
  SignInOptions,
  SignInRequest,
} from '../../src/contract/wire/access.ts';
import {
  AgentError,
  AgentFormat,
  AgentReply,
  AgentRequest,
} from '../../src/contract/wire/agent-response.ts';
import {
  AnswerFeedback,
  AnswerFeedbackRequest,
  AnswerReplay,
  AnswerReplayRequest,
  AnswerStatistics,
  AnswerStatisticsQuery,
  AnswersErasureQuery,
  AnswersPage,
  AnswersQuery,
  KeptAnswer,
} from '../../src/contract/wire/answers.ts';
import { AuditPage, AuditQuery } from '../../src/contract/wire/audit.ts';
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ChatError,
  ChatModel,
  ChatModels,
} from '../../src/contract/wire/chat-completions.ts';
import {
  KnowledgeCheckInput,
  KnowledgeChecks,
  KnowledgeChecksPreview,
  KnowledgeChecksPreviewed,
  KnowledgeChecksPut,
  KnowledgeChecksQuery,
  KnowledgeChecksRun,
  KnowledgeChecksStarted,
  KnowledgeChecksWritten,
  KnowledgeCheckTried,
} from '../../src/contract/wire/checks.ts';
import {
  ContextPreview,
  ContextRankerPut,
  ContextRankers,
  ContextRequest,
  ContextResult,
  ContextTemplate,
  ContextTemplatePut,
  ContextTemplates,
  MemoryBatchRequest,
  MemorySearchRequest,
  RankerWeights,
} from '../../src/contract/wire/context-engine.ts';
import {
  EditionActivated,
  EditionActivation,
  EditionChanges,
  EditionChangesQuery,
  EditionList,
} from '../../src/contract/wire/editions.ts';
import {
  ArticleListing,
  ArticleListingQuery,
  ArticlePut,
  ArticleText,
  ArticleWritten,
  HostArticle,
  HostErrorBody,
} from '../../src/contract/wire/host-article.ts';
import { type HttpRoute, ROUTES, type RouteName } from '../../src/contract/wire/http-routes.ts';
import {
  KnowledgeGap,
  KnowledgeGapReport,
  KnowledgeGapReported,
  KnowledgeGapsRequest,
  KnowledgeGapsResponse,
  KnowledgeHealth,
  KnowledgeSearchRequest,
  KnowledgeSearchResponse,
  KnowledgeStats,
  RetrievalRequest,
  WeakKnowledgeRetrieval,
} from '../../src/contract/wire/knowledge.ts';
import {
  Memory,
  MemoryBatchResponse,
  MemoryErasure,
  MemoryErasureQuery,
  MemoryInput,
  MemoryListingQuery,
  MemoryPage,
  MemorySearchResponse,
  MemoryStats,
  MemoryStored,
} from '../../src/contract/wire/memory.ts';
import {
  GapRecordPage,
  GapRecordsQuery,
  GapsRestore,
  Inventory,
  InventoryQuery,
  MemoriesRestore,
  Restored,
  TicketsRestore,
} from '../../src/contract/wire/moving.ts';
import {
  ResponsesEvent,
  ResponsesReply,
  ResponsesRequest,
} from '../../src/contract/wire/openai-responses.ts';
import { Overview, OverviewQuery } from '../../src/contract/wire/overview.ts';
import { SupportRequest, SupportResponse } from '../../src/contract/wire/support-response.ts';
import { SyncAccepted, SyncRequest, SyncStatus } from '../../src/contract/wire/sync.ts';
import {
  TaxonomyAccuracy,
  TaxonomyPut,
  TaxonomyStored,
  TaxonomyWritten,
} from '../../src/contract/wire/taxonomy.ts';
import {
  HandoverAccepted,
  HandoverErasureQuery,
  HandoverRequest,
  HandoversPage,
  HandoversRequest,
  LessonsQuery,
  LessonsResponse,
  ReplayRequest,
  ReplayResponse,
  TicketDraft,
  TicketFeedbackRequest,
  TicketOnDesk,
  TicketOutcomes,
  TicketPlaceRequest,
  TicketsRequest,
  TicketsResponse,
} from '../../src/contract/wire/tickets.ts';

/** What a route takes and gives, with a request that works on the sample knowledge base. */
interface Shapes {
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Schema of the reply; a text is its media type; undefined: 204 without a body. */
  reply: z.ZodType | string | undefined;
  /** Status of success; 200 (204 without a body) when absent. */
  status?: number;
  /** Further statuses that are no failure, with what they say; `true` for those with the reply as their body. */
  also?: Record<number, { description: string; hasReply?: true }>;
  /** Media types of the reply beside JSON. */
  media?: Record<string, z.ZodType>;
  /** Statuses of failures that no code stands for. */
  refusals?: Record<number, string>;
  /** Events of a stream before its last one. */
  events?: z.ZodType;
  /** The body of every error; `ErrorBody` when absent. */
  error?: z.ZodType;
  /** Codes beside those that every route has. */
  errors?: readonly ErrorCode[];
  example: { path?: Record<string, string>; query?: Record<string, string>; body?: unknown };
}

const Erased = z.object({ erased: z.int().min(0) });
const workspace_id = 'default';
const person = { person_id: 'p-1024' };
const article = { id: 'guides/opening-hours.md' };
const hours = {
  title: 'Opening hours',
  content: '# Opening hours\n\nThe shop is open on weekdays from 9:00 to 17:00.\n',
};
const check = { question: 'How long does shipping to Canada take?', cites: 'orders/shipping.md' };
/** In tests an answer of that id is kept first. */
const answer = { id: '5f0d3a2e-6c1b-4d5e-9f80-3a4b5c6d7e8f' };
/** Tests put one that is kept in its place. */
const edition = { id: 'e000001-0a1b2c3d' };
const text = z.string();
const agent = {
  query: z.object({ format: AgentFormat.optional() }),
  body: AgentRequest,
  reply: AgentReply,
  media: { 'text/markdown': text, 'text/plain': text },
  error: AgentError,
  events: ProgressEvent,
};
/** The reply has not changed since the caller has read it, by its `ETag`. */
const unchanged = { 304: { description: 'Not changed.' } };
/** Codes of whatever a question is asked of. */
const asked = [
  ...([
    'NOT_FOUND',
    'DATA_SOURCE_ERROR',
    'AI_UNAVAILABLE',
    'LOOP_DETECTED',
    'MAX_DEPTH_EXCEEDED',
  ] as const),
];
const refusedFrames = {
  403: 'A web page of an origin that is not configured.',
  404: 'An unknown method.',
  413: 'The body is too long.',
};

const SHAPES: Record<RouteName, Shapes> = {
  'POST /v1/ask': {
    body: AskRequest,
    reply: LibrarianResponse,
    events: ProgressEvent,
    errors: asked,
    example: { body: { query: 'How long does shipping to Canada take?' } },
  },
  'POST /v1/navigate': {
    body: NavigateRequest,
    reply: NavigatorResponse,
    events: ProgressEvent,
    errors: asked,
    example: { body: { query: 'How do I swap the fan?' } },
  },
  'POST /v1/agents/analytics': {
    ...agent,
    errors: asked,
    example: { body: { query: 'How many iPhone 17 are in stock?' } },
  },
  'POST /v1/agents/semantic': {
    ...agent,
    errors: asked,
    example: { body: { query: 'warranty', options: { limit: 3 } } },
  },
  'POST /v1/agents/web_search': {
    ...agent,
    errors: asked,
    example: { body: { query: 'What does an iPhone 17 cost elsewhere?' } },
  },
  'POST /v1/agents/hybrid': {
    ...agent,
    errors: asked,
    example: { body: { query: 'How many iPhone 17 are in stock, and how long is the warranty?' } },
  },
  'GET /v1/answers': {
    query: AnswersQuery.extend({ format: z.literal('jsonl').optional() }),
    reply: AnswersPage,
    media: { 'application/x-ndjson': text },
    example: { query: { verdict: 'declined', limit: '10' } },
  },
  'DELETE /v1/answers': {
    query: AnswersErasureQuery,
    reply: Erased,
    example: { query: person },
  },
  'GET /v1/answers/{id}': { reply: KeptAnswer, errors: ['NOT_FOUND'], example: { path: answer } },
  'DELETE /v1/answers/{id}': { reply: undefined, errors: ['NOT_FOUND'], example: { path: answer } },
  'GET /v1/answers/statistics': {
    query: AnswerStatisticsQuery,
    reply: AnswerStatistics,
    example: { query: { bucket: 'day', librarian: 'navigator' } },
  },
  'GET /v1/overview': { query: OverviewQuery, reply: Overview, example: { query: { days: '7' } } },
  'POST /v1/answers/{id}/replay': {
    body: AnswerReplayRequest,
    reply: AnswerReplay,
    errors: asked,
    example: { path: answer, body: { librarian: 'navigator', model: false } },
  },
  'POST /v1/answers/{id}/feedback': {
    body: AnswerFeedbackRequest,
    reply: z.object({ feedback: AnswerFeedback }),
    errors: ['NOT_FOUND'],
    example: {
      path: answer,
      body: { value: 'down', comment: 'The article is about the older model.' },
    },
  },
  'POST /v1/chat/completions': {
    body: ChatCompletionRequest,
    reply: ChatCompletion,
    events: ChatCompletionChunk,
    error: ChatError,
    errors: asked,
    example: {
      body: {
        model: 'constellation',
        messages: [{ role: 'user', content: 'What does error E30 mean?' }],
      },
    },
  },
  'POST /v1/responses': {
    body: ResponsesRequest,
    reply: ResponsesReply,
    events: ResponsesEvent,
    error: ChatError,
    errors: asked,
    example: { body: { model: 'constellation', input: 'What does error E30 mean?' } },
  },
  'POST /mcp': {
    // Revisions with a handshake know several messages in one request.
    body: z.union([JsonRpcMessage, z.array(JsonRpcMessage).max(100)]),
    error: JsonRpcMessage,
    reply: z.union([JsonRpcMessage, z.array(JsonRpcMessage).max(100)]),
    refusals: refusedFrames,
    media: { 'text/event-stream': JsonRpcMessage },
    also: { 202: { description: 'A notification.' } },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
  },
  'POST /a2a': {
    // The header A2A-Version names the version of the protocol.
    body: JsonRpcMessage,
    reply: JsonRpcMessage,
    media: { 'text/event-stream': JsonRpcMessage },
    error: JsonRpcMessage,
    errors: ['NOT_FOUND'],
    also: { 202: { description: 'A notification.' } },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} } },
  },
  'DELETE /v1/a2a/tasks': { query: TaskErasureQuery, reply: Erased, example: { query: person } },
  'GET /.well-known/agent-card.json': {
    reply: AgentCard,
    errors: ['NOT_FOUND'],
    also: unchanged,
    example: {},
  },
  'GET /.well-known/jwks.json': { reply: GatewayKeys, also: unchanged, example: {} },
  'GET /v1/models': { reply: ChatModels, error: ChatError, example: {} },
  'GET /v1/models/{id}': {
    reply: ChatModel,
    error: ChatError,
    errors: ['NOT_FOUND'],
    example: { path: { id: 'navigator' } },
  },
  'GET /v1/access': { reply: CallerAccess, example: {} },
  'GET /v1/librarians': { reply: LibrarianDirectory, example: {} },
  'GET /librarians/{id}': {
    reply: LibrarianDescription,
    errors: ['NOT_FOUND'],
    example: { path: { id: 'navigator' } },
  },
  'POST /librarians/{id}/ask': {
    body: LibrarianAskRequest,
    reply: LibrarianResponse,
    error: LibrarianResponse,
    errors: asked,
    example: { path: { id: 'navigator' }, body: { query: 'How do I swap the fan?' } },
  },
  'POST /v1/knowledge/search': {
    body: KnowledgeSearchRequest,
    reply: KnowledgeSearchResponse,
    example: { body: { query: 'reset the password', limit: 3 } },
  },
  'POST /v1/knowledge/retrieve': {
    body: RetrievalRequest,
    reply: WeakKnowledgeRetrieval,
    example: {
      body: {
        intent: 'not_hashing',
        message: 'It shows 0 H/s',
        metadata: { product: 'Apollo II' },
      },
    },
  },
  'GET /v1/knowledge/health': { reply: KnowledgeHealth, example: {} },
  'GET /v1/knowledge/stats': { reply: KnowledgeStats, example: {} },
  'GET /v1/knowledge/gaps': {
    query: KnowledgeGapsRequest,
    reply: KnowledgeGapsResponse,
    example: { query: { state: 'open', limit: '10' } },
  },
  'POST /v1/knowledge/gaps': {
    body: KnowledgeGapReport,
    reply: KnowledgeGapReported,
    example: { body: { question: 'Do you ship to Norway?' } },
  },
  'DELETE /v1/knowledge/gaps': {
    query: z.strictObject({ person_id: contract.MemoryId }),
    reply: Erased,
    example: { query: person },
  },
  'GET /v1/knowledge/gaps/{id}': {
    reply: KnowledgeGap,
    errors: ['NOT_FOUND'],
    example: { path: { id: 'g-1' } },
  },
  'DELETE /v1/knowledge/gaps/{id}': {
    reply: undefined,
    errors: ['NOT_FOUND'],
    example: { path: { id: 'g-1' } },
  },
  'GET /v1/knowledge/gaps/records': {
    query: GapRecordsQuery,
    reply: GapRecordPage,
    example: { query: { limit: '10' } },
  },
  'PUT /v1/knowledge/gaps/records': {
    body: GapsRestore,
    reply: Restored,
    example: {
      body: {
        gaps: [
          {
            id: 'g-1',
            kind: 'question',
            gap: 'No article answers: engraving',
            intent: null,
            product: null,
            stems: [['engrav', 1]],
            count: 1,
            closed_at: null,
            first_seen: '2026-11-02T09:00:00Z',
            last_seen: '2026-11-02T09:00:00Z',
            examples: [
              {
                message: 'Do you engrave?',
                subject: null,
                intent: 'unknown',
                product: null,
                person_id: null,
              },
            ],
          },
        ],
      },
    },
  },
  'POST /v1/support/analyze': {
    body: SupportRequest,
    reply: SupportResponse,
    example: {
      body: {
        message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
        metadata: { product: 'Apollo II' },
      },
    },
  },
  'GET /v1/support/taxonomy': {
    reply: TaxonomyStored,
    errors: ['NOT_FOUND'],
    example: {},
  },
  'GET /v1/support/taxonomy/accuracy': {
    reply: TaxonomyAccuracy,
    errors: ['NOT_FOUND', 'INVALID_QUERY'],
    example: {},
  },
  'PUT /v1/support/taxonomy': {
    body: TaxonomyPut,
    reply: TaxonomyWritten,
    example: {
      body: {
        taxonomy: {
          version: 1,
          name: 'A small shop',
          general_template: 'Hello {customer_name},\n\n{knowledge}',
          intents: [
            {
              id: 'opening_hours',
              title: 'Opening hours',
              reply_template: 'Hello,\n\n{knowledge}',
              examples: [
                'When do you open?',
                'Are you open on Sunday?',
                'What are your opening hours?',
              ],
            },
            {
              id: 'refund',
              title: 'Refund',
              reply_template: 'Hello,\n\n{knowledge}',
              examples: [
                'I want my money back',
                'Please refund my order',
                'How do I get a refund?',
              ],
            },
          ],
        },
      },
    },
  },
  'DELETE /v1/support/taxonomy': { reply: undefined, errors: ['NOT_FOUND'], example: {} },
  'GET /v1/support/tickets': {
    query: TicketsRequest,
    reply: TicketsResponse,
    example: { query: { state: 'all' } },
  },
  'PUT /v1/support/tickets': {
    body: TicketsRestore,
    reply: Restored,
    example: {
      body: {
        tickets: [
          {
            id: 'zammad/17/1',
            helpdesk: 'zammad',
            ticket_id: '17',
            state: 'done',
            result: 'note',
            attempts: 1,
            last_error: null,
            accepted_at: '2026-11-02T09:00:00Z',
            changed_at: '2026-11-02T09:00:02Z',
            next_attempt_at: null,
          },
        ],
      },
    },
  },
  'GET /v1/support/tickets/outcomes': { reply: TicketOutcomes, example: {} },
  'GET /v1/support/tickets/case': {
    query: TicketPlaceRequest,
    reply: TicketOnDesk,
    errors: ['NOT_FOUND'],
    example: { query: { helpdesk: 'zammad', ticket_id: '17' } },
  },
  'GET /v1/support/tickets/lessons': {
    query: LessonsQuery,
    reply: LessonsResponse,
    example: { query: { limit: '10' } },
  },
  'GET /v1/support/tickets/draft': {
    query: TicketPlaceRequest,
    reply: TicketDraft,
    errors: ['NOT_FOUND'],
    example: { query: { helpdesk: 'zammad', ticket_id: '17' } },
  },
  'DELETE /v1/support/tickets/draft': {
    query: TicketPlaceRequest,
    reply: undefined,
    example: { query: { helpdesk: 'zammad', ticket_id: '17' } },
  },
  'POST /v1/support/tickets/feedback': {
    body: TicketFeedbackRequest,
    reply: undefined,
    errors: ['NOT_FOUND'],
    example: { body: { helpdesk: 'zammad', ticket_id: '17', value: 'up' } },
  },
  'POST /v1/support/tickets/replay': {
    body: ReplayRequest,
    reply: ReplayResponse,
    example: { body: { all: true } },
  },
  'GET /v1/knowledge/checks': {
    query: KnowledgeChecksQuery,
    reply: KnowledgeChecks,
    example: { query: { state: 'red', limit: '10' } },
  },
  'PUT /v1/knowledge/checks': {
    body: KnowledgeChecksPut,
    reply: KnowledgeChecksWritten,
    errors: ['NOT_FOUND'],
    example: {
      body: { checks: [check, { question: 'Who wins the match tonight?', declined: true }] },
    },
  },
  'DELETE /v1/knowledge/checks/{id}': {
    reply: undefined,
    errors: ['NOT_FOUND'],
    // The one of the example of PUT: an id follows from its question.
    example: { path: { id: '1MGUORNbZEglodiQtR1qj0' } },
  },
  'POST /v1/knowledge/checks/run': {
    body: KnowledgeChecksRun,
    reply: KnowledgeChecksStarted,
    status: 202,
    example: { body: {} },
  },
  'POST /v1/knowledge/checks/try': {
    body: KnowledgeCheckInput,
    reply: KnowledgeCheckTried,
    example: { body: check },
  },
  'POST /v1/knowledge/checks/preview': {
    body: KnowledgeChecksPreview,
    reply: KnowledgeChecksPreviewed,
    example: {
      body: {
        id: 'orders/shipping.md',
        article: { title: 'Shipping', content: 'To Canada a parcel takes 9 working days.' },
      },
    },
  },
  'GET /v1/knowledge/editions': { reply: EditionList, example: {} },
  'GET /v1/knowledge/editions/{id}/changes': {
    query: EditionChangesQuery,
    reply: EditionChanges,
    errors: ['NOT_FOUND'],
    example: { path: edition },
  },
  'POST /v1/knowledge/editions/{id}/activate': {
    body: EditionActivation,
    reply: EditionActivated,
    errors: ['NOT_FOUND'],
    example: { path: edition, body: {} },
  },
  'POST /v1/support/requests': {
    body: HandoverRequest,
    reply: HandoverAccepted,
    status: 202,
    errors: ['NOT_FOUND'],
    example: {
      body: {
        idempotency_key: '9f2c41d07be84a06a3c1',
        email: 'dana.ortiz@example.net',
        message: 'My fan is loud after the update. Can somebody call me?',
        consent: true,
      },
    },
  },
  'GET /v1/support/requests': {
    query: HandoversRequest,
    reply: HandoversPage,
    example: { query: { state: 'listed' } },
  },
  'DELETE /v1/support/requests': {
    query: HandoverErasureQuery,
    reply: Erased,
    example: { query: { email: 'dana.ortiz@example.net' } },
  },
  'GET /v1/sync': { reply: SyncStatus, example: {} },
  'POST /v1/sync': {
    body: SyncRequest,
    reply: SyncAccepted,
    status: 202,
    example: { body: { full: true } },
  },
  'GET /api/kb/articles': {
    query: ArticleListingQuery,
    reply: ArticleListing,
    error: HostErrorBody,
    example: { query: { limit: '2' } },
  },
  'GET /api/kb/inventory': {
    query: InventoryQuery,
    reply: Inventory,
    error: HostErrorBody,
    example: { query: { limit: '5' } },
  },
  'GET /api/kb/articles/{id}': {
    reply: HostArticle,
    error: HostErrorBody,
    errors: ['NOT_FOUND'],
    example: { path: article },
  },
  'PUT /api/kb/articles/{id}': {
    body: ArticlePut,
    reply: ArticleWritten,
    error: HostErrorBody,
    example: { path: article, body: hours },
    also: { 201: { description: 'The article is new.', hasReply: true } },
  },
  'DELETE /api/kb/articles/{id}': {
    reply: undefined,
    error: HostErrorBody,
    errors: ['NOT_FOUND'],
    example: { path: article },
  },
  'GET /api/kb/text/{id}': {
    reply: ArticleText,
    error: HostErrorBody,
    errors: ['NOT_FOUND'],
    example: { path: article },
  },
  'GET /v1/workspaces/{workspace_id}/memories': {
    query: MemoryListingQuery,
    reply: MemoryPage,
    example: { path: { workspace_id }, query: person },
  },
  'POST /v1/workspaces/{workspace_id}/memories': {
    body: MemoryInput,
    reply: MemoryStored,
    status: 201,
    errors: ['RATE_LIMITED'],
    example: {
      path: { workspace_id },
      body: { type: 'fact', content: 'Owns an Apollo II since May 2026.', ...person },
    },
  },
  'PUT /v1/workspaces/{workspace_id}/memories': {
    body: MemoriesRestore,
    reply: Restored,
    example: {
      path: { workspace_id },
      body: {
        memories: [
          {
            id: 'm-1',
            workspace_id,
            type: 'fact',
            content: 'Prefers e-mail.',
            confidence: 1,
            created_at: '2026-11-02T09:00:00Z',
          },
        ],
      },
    },
  },
  'DELETE /v1/workspaces/{workspace_id}/memories': {
    query: MemoryErasureQuery,
    reply: MemoryErasure,
    example: { path: { workspace_id }, query: person },
  },
  'GET /v1/workspaces/{workspace_id}/memories/stats': {
    reply: MemoryStats,
    example: { path: { workspace_id } },
  },
  'GET /v1/workspaces/{workspace_id}/memories/{id}': {
    reply: Memory,
    errors: ['NOT_FOUND'],
    example: { path: { workspace_id, id: 'm-1' } },
  },
  'DELETE /v1/workspaces/{workspace_id}/memories/{id}': {
    reply: undefined,
    errors: ['NOT_FOUND'],
    example: { path: { workspace_id, id: 'm-1' } },
  },
  'POST /v1/workspaces/{workspace_id}/memories/search': {
    body: MemorySearchRequest,
    reply: MemorySearchResponse,
    example: { path: { workspace_id }, body: { query: 'Which device does the customer own?' } },
  },
  'POST /v1/workspaces/{workspace_id}/memories/search/batch': {
    body: MemoryBatchRequest,
    reply: MemoryBatchResponse,
    example: {
      path: { workspace_id },
      body: { queries: ['Which device?', 'Which language?'], options: { limit: 3 } },
    },
  },
  'GET /v1/workspaces/{workspace_id}/context-templates': {
    reply: ContextTemplates,
    example: { path: { workspace_id } },
  },
  'PUT /v1/workspaces/{workspace_id}/context-templates/{name}': {
    body: ContextTemplatePut,
    reply: ContextTemplate,
    example: {
      path: { workspace_id, name: 'numbered' },
      body: { memoryFormat: '* {{content}} ({{type}})', separator: '\n', includeMetadata: false },
    },
  },
  'DELETE /v1/workspaces/{workspace_id}/context-templates/{name}': {
    reply: undefined,
    errors: ['NOT_FOUND'],
    example: { path: { workspace_id, name: 'numbered' } },
  },
  'GET /v1/workspaces/{workspace_id}/context-rankers': {
    reply: ContextRankers,
    example: { path: { workspace_id } },
  },
  'PUT /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    body: ContextRankerPut,
    reply: RankerWeights,
    example: { path: { workspace_id, name: 'recent' }, body: { recencyWeight: 0.8, lambda: 0.7 } },
  },
  'DELETE /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    reply: undefined,
    errors: ['NOT_FOUND'],
    example: { path: { workspace_id, name: 'recent' } },
  },
  'POST /v1/workspaces/{workspace_id}/memories/context': {
    body: ContextRequest,
    reply: ContextResult,
    example: {
      path: { workspace_id },
      body: { query: 'Which device?', options: { tokenBudget: 200 } },
    },
  },
  'POST /v1/workspaces/{workspace_id}/memories/context/preview': {
    body: ContextRequest,
    reply: ContextPreview,
    example: {
      path: { workspace_id },
      body: { query: 'Which device?', options: { tokenBudget: 200 } },
    },
  },
  'POST /webhooks/{helpdesk}/{workspace}': {
    body: z.looseObject({}),
    reply: z.looseObject({}),
    example: { path: { helpdesk: 'zammad', workspace: 'default' }, body: {} },
  },
  'GET /v1/audit': { query: AuditQuery, reply: AuditPage, example: { query: { limit: '10' } } },
  'GET /metrics': { reply: 'text/plain', example: {} },
  'GET /healthz': { reply: Healthz, example: {} },
  'GET /v1/sign-in': { reply: SignInOptions, example: {} },
  'POST /v1/sign-in': {
    body: SignInRequest,
    reply: SignedIn,
    errors: ['NOT_FOUND', 'UNAUTHORIZED', 'SERVICE_UNAVAILABLE'],
    example: {
      body: { issuer: 'https://login.example.com/', code: 'c0de', code_verifier: 'v'.repeat(43) },
    },
  },
  'GET /.well-known/oauth-protected-resource': {
    reply: ProtectedResource,
    errors: ['NOT_FOUND'],
    example: {},
  },
  'GET /.well-known/oauth-protected-resource/mcp': {
    reply: ProtectedResource,
    errors: ['NOT_FOUND'],
    example: {},
  },
  'GET /openapi.json': {
    reply: z.looseObject({ openapi: z.string() }),
    also: unchanged,
    example: {},
  },
};

/** The request of each route's example, for a product that runs on the sample knowledge base. */
export function exampleRequest(name: RouteName): { method: string; path: string; body?: unknown } {
  const [method = '', template = ''] = name.split(' ');
  const { path = {}, query, body } = SHAPES[name].example;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    (path[parameter] ?? '').split('/').map(encodeURIComponent).join('/'),
  );
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  return { method, path: `${filled}${search}`, ...(body === undefined ? {} : { body }) };
}

/** What a route takes as its body; undefined when it takes none. */
export function requestSchema(name: RouteName): z.ZodType | undefined {
  return SHAPES[name].body;
}

/** Whether a reply is what the description promises: undefined when it is, otherwise what differs. */
export function replyProblem(
  name: RouteName,
  { status, body }: { status: number; body: unknown },
): string | undefined {
  const { reply, error = ErrorBody, events, media } = SHAPES[name];
  const schema = status < 400 ? reply : error;
  if (schema === undefined || typeof schema === 'string') return undefined;
  // Text of another media type.
  if (typeof body === 'string' && (events !== undefined || media !== undefined)) return undefined;
  const read = schema.safeParse(body);
  return read.success ? undefined : z.prettifyError(read.error);
}

type Json = Record<string, unknown>;

/** Every schema of the contract by its name, as JSON Schema with references between them; what a caller sends, before defaults. */
const nameSchemas = (): Naming => {
  const registry = z.registry<{ id: string }>();
  const register = (id: string, schema: z.ZodType): void =>
    void (registry.has(schema) || registry.add(schema, { id }));
  // A schema has the first of its names; not every loader of modules keeps them in alphabetical order, as Node does.
  for (const [id, exported] of Object.entries(contract).sort(([one], [other]) =>
    one < other ? -1 : 1,
  ))
    if (exported instanceof z.ZodType) register(id, exported);
  // A schema without a name of its own is named after its route.
  for (const [name, { body, reply, error, events }] of Object.entries(SHAPES) as [
    RouteName,
    Shapes,
  ][]) {
    const id = capitalised(idOf(name));
    if (body !== undefined) register(`${id}Request`, body);
    if (reply instanceof z.ZodType) register(`${id}Reply`, reply);
    if (error !== undefined) register(`${id}Error`, error);
    if (events !== undefined) register(`${id}Event`, events);
  }
  const named = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'input',
    unrepresentable: 'any',
    override: tidy,
  }).schemas as Record<string, Json>;
  return { registry, named };
};

/** The named schemas that `part` refers to, directly or through others, with descriptions; by name. */
export function schemasOf(
  part: unknown,
  { describe, named = nameSchemas().named }: SchemasOptions,
): Record<string, Json> {
  const used = new Set<string>();
  collect(part, { named, used });
  return Object.fromEntries(
    [...used].sort().map((id) => {
      const { $schema: _, $id: __, ...schema } = named[id] ?? {};
      return [id, describe(id, schema)];
    }),
  );
}

interface SchemasOptions {
  describe: Describe;
  named?: Naming['named'];
}

/** `AskRequest` -> a reference to that schema. */
export function schemaRef(id: string): Json {
  return { $ref: `#/components/schemas/${id}` };
}

/**
 * The description of the API (OpenAPI 3.1.1), as an object of JSON. Heavy: made when the product is built.
 *
 * @param describe The description of each schema of the contract, added to those of its members: `describe('AskRequest', schema)`.
 */
export function openApiDocument({
  version,
  describe,
}: {
  version: string;
  describe: Describe;
}): Json {
  const { registry, named } = nameSchemas();
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, HttpRoute][]) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operation(name, route, { registry, named }),
    };
  }
  const schemas = schemasOf(paths, { describe, named });
  return {
    openapi: '3.1.1',
    info: {
      title: 'Constellation',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Answers from a team’s own knowledge base, with a source for every statement. Send an API key as `Authorization: Bearer ck_…`. ' +
        'Every response carries `X-Request-Id`. Branch on the code of an error, never on its text. ' +
        '`null` in an optional member of a request counts as absent.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(ROUTES).map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, ck_…, or a token of an identity provider that the gateway is configured for.',
        },
      },
    },
  };
}

const TAGS: Readonly<Record<HttpRoute['tag'], string>> = {
  A2A: 'Messages and tasks for agents of others.',
  Answers: 'Answers that are kept: lists, feedback, replays, erasure.',
  Articles: 'The articles of the knowledge base.',
  Ask: 'Questions, answered with sources.',
  Knowledge: 'Search, gaps and the state of the articles.',
  Librarians: 'Who answers: descriptions, health and keys.',
  MCP: 'Tools and articles for clients of MCP.',
  Memory: 'What is remembered, and contexts made of it.',
  OpenAI: 'The same answers for clients of OpenAI.',
  Operations: 'Health, metrics, rights, the audit log, moving a workspace.',
  Support: 'Tickets, drafts, intents and handing over to a person.',
  Sync: 'The sync of the knowledge base.',
};

/** Adds descriptions to a JSON Schema of the contract. */
export type Describe = (id: string, schema: Json) => Json;

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

interface Naming {
  registry: ReturnType<typeof z.registry<{ id: string }>>;
  named: Record<string, Json>;
}

const operation = (name: RouteName, route: HttpRoute, naming: Naming): Json => {
  const { body, query, example } = SHAPES[name];
  const { tag, summary, capability, alsoNeeds, access } = route;
  const rights =
    capability === undefined
      ? 'Any key will do.'
      : alsoNeeds === undefined
        ? `The key needs the capability \`${capability}\`.`
        : `The key needs the capabilities \`${capability}\` and \`${alsoNeeds}\`.`;
  const signed = 'The caller signs the request itself; an API key counts for nothing.';
  return {
    operationId: idOf(name),
    tags: [tag],
    summary,
    description: access === 'public' ? 'No key is needed.' : access === 'signed' ? signed : rights,
    ...(access === undefined ? {} : { security: [] }),
    ...listOf('parameters', [
      ...pathParameters(name),
      ...(query === undefined ? [] : queryParameters(query, example.query)),
      ...(access === undefined && !name.includes('{workspace_id}') ? [WORKSPACE] : []),
    ]),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: name !== 'POST /v1/sync',
            content: { 'application/json': { schema: refOf(body, naming), example: example.body } },
          },
        }),
    responses: { ...success(name, route, naming), ...failures(name, route, naming) },
  };
};

/** `GET /v1/knowledge/gaps/{id}` -> `getKnowledgeGapsId`. */
const idOf = (name: RouteName): string => {
  const [method = '', path = ''] = name.split(' ');
  const words = path.replace(/^\/(?:v1|api)\//, '').split(/[^a-z0-9]+/i);
  return [method.toLowerCase(), ...words.map(capitalised)].join('');
};

const listOf = (key: string, items: Json[]): Json => (items.length === 0 ? {} : { [key]: items });
const refOf = (schema: z.ZodType, { registry }: Naming): Json =>
  schemaRef(registry.get(schema)?.id ?? '');

const WORKSPACE: Json = {
  name: 'workspace_id',
  in: 'query',
  required: false,
  schema: { type: 'string', maxLength: 64 },
  description: 'One of the workspaces of the key; the first of them when absent.',
};

const pathParameters = (name: RouteName): Json[] =>
  [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: SHAPES[name].example.path?.[parameter],
    ...('hasSlashes' in ROUTES[name] ? { description: 'May hold slashes.' } : {}),
  }));

const queryParameters = (query: z.ZodObject, example: Record<string, string> = {}): Json[] => {
  const schema = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any', override: tidy });
  const read = z.toJSONSchema(query, { io: 'output', unrepresentable: 'any', override: tidy });
  return Object.entries(schema.properties ?? {}).map(([name, member]) => {
    // What arrives as text is described by what it is read as.
    const value = read.properties?.[name];
    const isNumber =
      typeof value === 'object' && (value.type === 'integer' || value.type === 'number');
    return {
      name,
      in: 'query',
      required: schema.required?.includes(name) === true,
      schema: isNumber ? value : member,
      ...(example[name] === undefined
        ? {}
        : { example: isNumber ? Number(example[name]) : example[name] }),
    };
  });
};

const success = (name: RouteName, { streams }: HttpRoute, naming: Naming): Json => {
  const {
    reply,
    events,
    media = {},
    also = {},
    status = reply === undefined ? 204 : 200,
  } = SHAPES[name];
  const content: Json = {
    ...(reply instanceof z.ZodType ? { 'application/json': { schema: refOf(reply, naming) } } : {}),
    ...(typeof reply === 'string' ? { [reply]: { schema: { type: 'string' } } } : {}),
    ...(events === undefined ? {} : { 'text/event-stream': { schema: refOf(events, naming) } }),
    ...Object.fromEntries(
      Object.entries(media).map(([type, schema]) => [
        type,
        { schema: schema instanceof z.ZodString ? { type: 'string' } : refOf(schema, naming) },
      ]),
    ),
  };
  const hasBody = Object.keys(content).length > 0;
  const further = Object.entries(also).map(([code, { description, hasReply }]) => [
    code,
    { description, ...(hasReply === true ? { content } : {}) },
  ]);
  const description =
    streams === true
      ? 'The answer; as events for callers that ask for them.'
      : hasBody
        ? 'Success.'
        : 'Done.';
  return {
    [status]: { description, ...(hasBody ? { content } : {}) },
    ...Object.fromEntries(further),
  };
};

/** Errors that any route may have. */
const COMMON: readonly ErrorCode[] = [
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'TIMEOUT',
];

/** Errors of routes for the holder of a key: an address that is too long, a reply whose receipt is missing. */
const COMMON_WITH_KEY: readonly ErrorCode[] = [
  'INVALID_QUERY',
  'UNAUTHORIZED',
  'DELEGATION_FAILED',
];

/** By status, since several codes share one. */
const failures = (name: RouteName, { access }: HttpRoute, naming: Naming): Json => {
  const { query, body, error = ErrorBody, errors = [], refusals = {} } = SHAPES[name];
  const invalid: ErrorCode[] = query === undefined && body === undefined ? [] : ['INVALID_QUERY'];
  const refused: readonly ErrorCode[] =
    access === 'public' ? [] : access === 'signed' ? ['UNAUTHORIZED'] : COMMON_WITH_KEY;
  const codes = [...new Set([...invalid, ...refused, ...errors, ...COMMON])];
  const byStatus = [...Map.groupBy(codes, (code) => HTTP_STATUS[code])].map(
    ([status, its]) => [String(status), its.map((code) => `\`${code}\``).join(', ')] as const,
  );
  const descriptions = {
    ...(body === undefined ? {} : { 415: 'The body is compressed, or not JSON.' }),
    ...refusals,
    ...Object.fromEntries(byStatus),
  };
  const content = { 'application/json': { schema: refOf(error, naming) } };
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [status, { description, content }]),
  );
};

/** Unknown members of replies are no fault, and dates travel as texts. */
const tidy: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && (def as z.core.$ZodObjectDef).catchall === undefined)
    delete jsonSchema.additionalProperties;
  if (def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  const { format, pattern = '', prefixItems } = jsonSchema;
  if (format === 'date-time' || format === 'date' || format === 'uri' || !PORTABLE.test(pattern)) {
    delete jsonSchema.pattern;
  }
  // A tuple has as many members as it names; generators and linters want to read it in these words.
  if (Array.isArray(prefixItems)) {
    Object.assign(jsonSchema, {
      items: {},
      minItems: prefixItems.length,
      maxItems: prefixItems.length,
    });
  }
};

/** The names of all schemas that a part of the document refers to, directly or through others. */
const collect = (
  part: unknown,
  { named, used }: { named: Record<string, Json>; used: Set<string> },
): void => {
  for (const [, id = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (used.has(id)) continue;
    used.add(id);
    const { $id: _, ...schema } = named[id] ?? {};
    collect(schema, { named, used });
  }
};

/** Patterns that mean the same to the engines of other languages: no look-around, no classes of Unicode, no references to groups. */
const PORTABLE = /^(?!.*(?:\\[pPkuc1-9]|\(\?(?!:)))/s;
