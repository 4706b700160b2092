import { type AskEvent, answerStream, EVENTS, isStream, RESPONSE } from './answer-stream.ts';
import {
  type CallOptions,
  type ClientOptions,
  type Connection,
  connect,
  expect,
  pause,
} from './connection.ts';
import { ConstellationError } from './constellation-error.ts';
import type {
  AgentRequest,
  AgentSuccess,
  AnswerFeedback,
  AnswerFeedbackRequest,
  AnswerReplay,
  AnswerReplayRequest,
  AnswerStatistics,
  AnswerStatisticsQuery,
  AnswerSummary,
  AnswersPage,
  AnswersQuery,
  ArticleListing,
  ArticleListingQuery,
  ArticlePut,
  ArticleWritten,
  AskRequest,
  AuditPage,
  AuditQuery,
  ContextRequest,
  ContextResult,
  EditionActivated,
  EditionChanges,
  EditionChangesQuery,
  EditionList,
  Healthz,
  HostArticle,
  KeptAnswer,
  KnowledgeCheck,
  KnowledgeCheckInput,
  KnowledgeChecks,
  KnowledgeChecksPreview,
  KnowledgeChecksPreviewed,
  KnowledgeChecksPut,
  KnowledgeChecksQuery,
  KnowledgeChecksStarted,
  KnowledgeChecksWritten,
  KnowledgeCheckTried,
  KnowledgeGap,
  KnowledgeGapReport,
  KnowledgeGapReported,
  KnowledgeGapsRequest,
  KnowledgeGapsResponse,
  KnowledgeHealth,
  KnowledgeSearchRequest,
  KnowledgeSearchResponse,
  LessonsQuery,
  LessonsResponse,
  LibrarianDirectory,
  LibrarianResponse,
  Memory,
  MemoryErasure,
  MemoryInput,
  MemoryListingQuery,
  MemoryPage,
  MemorySearchRequest,
  MemorySearchResponse,
  MemoryStored,
  NavigatorResponse,
  Overview,
  OverviewQuery,
  ReplayRequest,
  ReplayResponse,
  SyncAccepted,
  SyncReport,
  SyncRequest,
  SyncStatus,
  TicketDraft,
  TicketFeedbackRequest,
  TicketJob,
  TicketOnDesk,
  TicketPlaceRequest,
  TicketsRequest,
  TicketsResponse,
} from './contract.ts';

/** A question by itself, or with what else a request may have. */
type Asked<Request> = string | Request;

/** The query of a listing. The wire has texts alone; numbers are written as such here. */
type Listing<Query> = Partial<Omit<Query, 'limit'>> & { limit?: number | undefined };

export interface WaitOptions extends CallOptions {
  /** Called with each state that was read. */
  onProgress?: ((status: SyncStatus) => void) | undefined;
  /** Between two readings, in milliseconds; 1,000 when absent. */
  pollMs?: number | undefined;
}

/**
 * A deployment of Constellation. Every method rejects with a `ConstellationError`. What may be repeated is retried after failures that
 * pass, as `Retry-After` says; all attempts together have `timeoutMs`.
 *
 * @example
 * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
 * const { answer, sources } = await client.ask('How long does shipping to Canada take?');
 * console.log(answer, sources?.[0]?.url);
 */
export class Constellation {
  readonly #connection: Connection;
  readonly #workspace: string | undefined;

  constructor(options: ClientOptions) {
    this.#connection = connect(options);
    this.#workspace = options.workspace;
  }

  /**
   * Asks a question. Finding nothing is an answer, too: without sources, `partial`, and with `metadata.closest`. A question of a
   * conversation is stored there, so it is not asked twice when its reply was lost.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * await client.ask({ query: 'And to Norway?', conversation_id: 'c-1' }, { timeoutMs: 10_000 });
   */
  ask(question: Asked<AskRequest>, options: CallOptions = {}): Promise<LibrarianResponse> {
    return this.#connection.json('POST /v1/ask', RESPONSE, { ...options, ...asking(question) });
  }

  /**
   * The same as events: statements, each already checked, and at last `done` with the whole response. Leaving the loop cancels the
   * question. Retries end with the first event.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * for await (const event of client.askStream('How do I reset the password?')) {
   *   if (event.type === 'statement') console.log(event.text);
   * }
   */
  async *askStream(
    question: Asked<AskRequest>,
    options: CallOptions = {},
  ): AsyncGenerator<AskEvent, void, void> {
    const ending = new AbortController();
    const signal =
      options.signal === undefined
        ? ending.signal
        : AbortSignal.any([options.signal, ending.signal]);
    try {
      const call = { ...options, signal, ...asking(question) };
      const opened = await this.#connection.open('POST /v1/ask', EVENTS, call);
      if (isStream(opened.response)) yield* answerStream(opened);
      else {
        const value: unknown = await opened.response.json().catch((cause: unknown) => {
          throw opened.failure(cause);
        });
        yield { type: 'done', response: expect(value, RESPONSE) };
      }
    } finally {
      ending.abort();
    }
  }

  /**
   * Answers with exact quotes and their offsets.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * const { confidence, sources } = await client.navigate('How do I reset the password?');
   */
  navigate(query: string, options: CallOptions = {}): Promise<NavigatorResponse> {
    return this.#connection.json(
      'POST /v1/navigate',
      { sources: 'objects' },
      { ...options, body: { query } },
    );
  }

  /**
   * Asks an agent: figures of a database, documents by meaning, the web, or several at once.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * const { result } = await client.agent('analytics', 'How many orders came last week?');
   */
  agent<Type extends AgentSuccess['type']>(
    type: Type,
    question: Asked<AgentRequest>,
    options: CallOptions = {},
  ): Promise<Extract<AgentSuccess, { type: Type }>> {
    const body = requestOf(question);
    return this.#connection.json(
      `POST /v1/agents/${type}`,
      { result: 'object' },
      { ...options, body },
    );
  }

  /**
   * Passages of the articles, best first.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * const { hits } = await client.search({ query: 'password', limit: 5 });
   */
  search(
    question: Asked<KnowledgeSearchRequest>,
    options: CallOptions = {},
  ): Promise<KnowledgeSearchResponse> {
    const body = requestOf(question);
    return this.#connection.json(
      'POST /v1/knowledge/search',
      { hits: 'objects' },
      { ...options, body },
    );
  }

  librarians(options: CallOptions = {}): Promise<LibrarianDirectory> {
    return this.#connection.json('GET /v1/librarians', { librarians: 'objects' }, options);
  }

  /** Liveness, version and the adapters in use; needs no key. */
  health(options: CallOptions = {}): Promise<Healthz> {
    return this.#connection.json('GET /healthz', { adapters: 'object' }, options);
  }

  /**
   * The articles of the knowledge base.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * for await (const { id, title } of client.articles.all()) console.log(id, title);
   * await client.articles.put('faq/hours', { title: 'Opening hours', content: 'From 9 to 18.' });
   */
  readonly articles = {
    list: (
      query: Listing<ArticleListingQuery> = {},
      options: CallOptions = {},
    ): Promise<ArticleListing> =>
      this.#connection.json('GET /api/kb/articles', { articles: 'objects' }, { ...options, query }),
    /** All pages, one article after the other. */
    all: (
      query: Listing<ArticleListingQuery> = {},
      options: CallOptions = {},
    ): AsyncGenerator<HostArticle, void, void> =>
      pages((cursor) => this.articles.list({ ...query, ...cursor }, options), 'articles'),
    get: (id: string, options: CallOptions = {}): Promise<HostArticle> =>
      this.#connection.json(`GET ${articlePath(id)}`, { content: 'string' }, options),
    /** Creates or replaces it. */
    put: (id: string, article: ArticlePut, options: CallOptions = {}): Promise<ArticleWritten> =>
      this.#connection.json(
        `PUT ${articlePath(id)}`,
        { id: 'string' },
        { ...options, body: article },
      ),
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.#connection.done(`DELETE ${articlePath(id)}`, options),
    /** What writers should look at, as the last sync found it. */
    health: (options: CallOptions = {}): Promise<KnowledgeHealth> =>
      this.#connection.json(
        'GET /v1/knowledge/health',
        { findings: 'objects', counts: 'object' },
        options,
      ),
  };

  /** The editions of the knowledge base that are kept. */
  readonly editions = {
    list: (options: CallOptions = {}): Promise<EditionList> =>
      this.#connection.json('GET /v1/knowledge/editions', { editions: 'objects' }, options),
    /** What an edition changed since the one before or `from`; of one `article` both texts. */
    changes: (
      id: string,
      query: EditionChangesQuery = {},
      options: CallOptions = {},
    ): Promise<EditionChanges> =>
      this.#connection.json(
        `GET ${editionPath(id)}/changes`,
        { articles: 'objects' },
        { ...options, query },
      ),
    /** Publishes an earlier one again. */
    activate: (id: string, options: CallOptions = {}): Promise<EditionActivated> =>
      this.#connection.json(
        `POST ${editionPath(id)}/activate`,
        { edition: 'string' },
        { ...options, body: {} },
      ),
  };

  /** Answers that were kept. */
  readonly answers = {
    list: (query: Listing<AnswersQuery> = {}, options: CallOptions = {}): Promise<AnswersPage> =>
      this.#connection.json('GET /v1/answers', { answers: 'objects' }, { ...options, query }),
    all: (
      query: Listing<AnswersQuery> = {},
      options: CallOptions = {},
    ): AsyncGenerator<AnswerSummary, void, void> =>
      pages((cursor) => this.answers.list({ ...query, ...cursor }, options), 'answers'),
    get: (id: string, options: CallOptions = {}): Promise<KeptAnswer> =>
      this.#connection.json(
        `GET ${answerPath(id)}`,
        { id: 'string', statements: 'objects' },
        options,
      ),
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.#connection.done(`DELETE ${answerPath(id)}`, options),
    /** The last one counts. */
    feedback: async (
      id: string,
      feedback: AnswerFeedbackRequest,
      options: CallOptions = {},
    ): Promise<AnswerFeedback> => {
      const call = { ...options, body: feedback };
      const route = `POST ${answerPath(id)}/feedback`;
      return (
        await this.#connection.json<{ feedback: AnswerFeedback }>(
          route,
          { feedback: 'object' },
          call,
        )
      ).feedback;
    },
    /** Asks the question again, and compares the answers. */
    replay: (
      id: string,
      body: AnswerReplayRequest = {},
      options: CallOptions = {},
    ): Promise<AnswerReplay> => {
      const expected = { before: 'object', after: 'object', difference: 'objects' } as const;
      return this.#connection.json(`POST ${answerPath(id)}/replay`, expected, { ...options, body });
    },
    statistics: (
      query: Partial<AnswerStatisticsQuery> = {},
      options: CallOptions = {},
    ): Promise<AnswerStatistics> =>
      this.#connection.json('GET /v1/answers/statistics', STATISTICS, { ...options, query }),
  };

  /**
   * What was asked in the last days by channel and outcome, what was not answered, which articles to look at. Parts that
   * the key may not read are null.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * const { gaps } = await client.overview();
   * for (const { gap, count } of gaps?.most_asked ?? []) console.log(count, gap);
   */
  overview(query: Partial<OverviewQuery> = {}, options: CallOptions = {}): Promise<Overview> {
    return this.#connection.json('GET /v1/overview', { unread: 'objects' }, { ...options, query });
  }

  /** Acts of administration of the workspace, newest first: who erased, published or restored what. Needs `audit:read`. */
  audit(query: Listing<AuditQuery> = {}, options: CallOptions = {}): Promise<AuditPage> {
    return this.#connection.json('GET /v1/audit', { entries: 'objects' }, { ...options, query });
  }

  /**
   * Memories of the workspace; `default` unless another is named.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * await client.memories.store({ type: 'preference', content: 'Prefers short answers' });
   * const { context } = await client.memories.context({ query: 'How to answer?' });
   */
  readonly memories = {
    /** Not retried when its reply was lost: it would be stored twice. */
    store: (memory: MemoryInput, options: CallOptions = {}): Promise<MemoryStored> => {
      const call = { ...options, body: memory, isRepeatable: false };
      return this.#connection.json(this.#memories('POST', '', options), { memory: 'object' }, call);
    },
    list: (
      query: Listing<MemoryListingQuery> = {},
      options: CallOptions = {},
    ): Promise<MemoryPage> =>
      this.#connection.json(
        this.#memories('GET', '', options),
        { memories: 'objects' },
        { ...options, query },
      ),
    all: (
      query: Listing<MemoryListingQuery> = {},
      options: CallOptions = {},
    ): AsyncGenerator<MemoryPage['memories'][number], void, void> =>
      pages((cursor) => this.memories.list({ ...query, ...cursor }, options), 'memories'),
    get: (id: string, options: CallOptions = {}): Promise<Memory> =>
      this.#connection.json(
        this.#memories('GET', `/${encodeURIComponent(id)}`, options),
        { id: 'string' },
        options,
      ),
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.#connection.done(
        this.#memories('DELETE', `/${encodeURIComponent(id)}`, options),
        options,
      ),
    /** Erases the memories of a conversation or of a person. */
    erase: (
      whose: { conversation_id: string } | { person_id: string },
      options: CallOptions = {},
    ): Promise<MemoryErasure> =>
      this.#connection.json(
        this.#memories('DELETE', '', options),
        { erased: 'number' },
        { ...options, query: whose },
      ),
    search: (
      question: Asked<MemorySearchRequest>,
      options: CallOptions = {},
    ): Promise<MemorySearchResponse> => {
      const call = { ...options, body: requestOf(question) };
      return this.#connection.json(
        this.#memories('POST', '/search', options),
        { results: 'objects' },
        call,
      );
    },
    /** Text for a prompt, within a budget of tokens. */
    context: (
      question: Asked<ContextRequest>,
      options: CallOptions = {},
    ): Promise<ContextResult> => {
      const call = { ...options, body: requestOf(question) };
      return this.#connection.json(
        this.#memories('POST', '/context', options),
        { context: 'string' },
        call,
      );
    },
  };

  #memories(
    method: string,
    path: string,
    { workspace = this.#workspace ?? 'default' }: CallOptions,
  ): string {
    return `${method} /v1/workspaces/${encodeURIComponent(workspace)}/memories${path}`;
  }

  readonly tickets = {
    list: (
      query: Listing<TicketsRequest> = {},
      options: CallOptions = {},
    ): Promise<TicketsResponse> =>
      this.#connection.json(
        'GET /v1/support/tickets',
        { tickets: 'objects' },
        { ...options, query },
      ),
    all: (
      query: Listing<TicketsRequest> = {},
      options: CallOptions = {},
    ): AsyncGenerator<TicketJob, void, void> =>
      pages((cursor) => this.tickets.list({ ...query, ...cursor }, options), 'tickets'),
    /** Retries what failed for good. */
    replay: (which: ReplayRequest, options: CallOptions = {}): Promise<ReplayResponse> => {
      const call = { ...options, body: which };
      return this.#connection.json('POST /v1/support/tickets/replay', { replayed: 'number' }, call);
    },
    /** The proposed reply to the newest message of a ticket. */
    draft: (ticket: TicketPlaceRequest, options: CallOptions = {}): Promise<TicketDraft> => {
      const expected = { text: 'string', sentences: 'objects' } as const;
      return this.#connection.json('GET /v1/support/tickets/draft', expected, {
        ...options,
        query: ticket,
      });
    },
    /** The newest message of a ticket, its draft, and what was sent. */
    case: (ticket: TicketPlaceRequest, options: CallOptions = {}): Promise<TicketOnDesk> =>
      this.#connection.json(
        'GET /v1/support/tickets/case',
        { job: 'object' },
        { ...options, query: ticket },
      ),
    /** Drafts that were not sent as they were, and what was sent instead. */
    lessons: (
      query: Listing<LessonsQuery> = {},
      options: CallOptions = {},
    ): Promise<LessonsResponse> =>
      this.#connection.json(
        'GET /v1/support/tickets/lessons',
        { lessons: 'objects' },
        { ...options, query },
      ),
    /** Whether that draft helped, and how it should have been. */
    feedback: (feedback: TicketFeedbackRequest, options: CallOptions = {}): Promise<void> =>
      this.#connection.done('POST /v1/support/tickets/feedback', { ...options, body: feedback }),
  };

  /** Questions that no article answers. */
  readonly gaps = {
    list: (
      query: Listing<KnowledgeGapsRequest> = {},
      options: CallOptions = {},
    ): Promise<KnowledgeGapsResponse> =>
      this.#connection.json('GET /v1/knowledge/gaps', { gaps: 'objects' }, { ...options, query }),
    all: (
      query: Listing<KnowledgeGapsRequest> = {},
      options: CallOptions = {},
    ): AsyncGenerator<KnowledgeGap, void, void> =>
      pages((cursor) => this.gaps.list({ ...query, ...cursor }, options), 'gaps'),
    get: (id: string, options: CallOptions = {}): Promise<KnowledgeGap> =>
      this.#connection.json(`GET ${gapPath(id)}`, { id: 'string' }, options),
    /** Reports a question that the articles should answer, and says what became of it. */
    report: (
      report: KnowledgeGapReport,
      options: CallOptions = {},
    ): Promise<KnowledgeGapReported> =>
      this.#connection.json(
        'POST /v1/knowledge/gaps',
        { outcome: 'string' },
        { ...options, body: report },
      ),
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.#connection.done(`DELETE ${gapPath(id)}`, options),
  };

  /**
   * Questions that must be answered or declined.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * const { state, lacks } = await client.checks.try({ question: 'Which port has to be open?', contains: '8333' });
   */
  readonly checks = {
    list: (
      query: Listing<KnowledgeChecksQuery> = {},
      options: CallOptions = {},
    ): Promise<KnowledgeChecks> => {
      const expected = { checks: 'objects', counts: 'object' } as const;
      return this.#connection.json('GET /v1/knowledge/checks', expected, { ...options, query });
    },
    all: (
      query: Listing<KnowledgeChecksQuery> = {},
      options: CallOptions = {},
    ): AsyncGenerator<KnowledgeCheck, void, void> =>
      pages((cursor) => this.checks.list({ ...query, ...cursor }, options), 'checks'),
    /** Adds them; one of a question that there is takes its place, unless `onlyNew`. */
    put: (
      checks: KnowledgeChecksPut['checks'],
      { onlyNew, ...options }: CallOptions & { onlyNew?: boolean | undefined } = {},
    ): Promise<KnowledgeChecksWritten> =>
      this.#connection.json(
        'PUT /v1/knowledge/checks',
        { added: 'number' },
        { ...options, body: { checks, only_new: onlyNew } },
      ),
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.#connection.done(`DELETE /v1/knowledge/checks/${encodeURIComponent(id)}`, options),
    /** Has all of them run again; `list` says how far that is. */
    run: (options: CallOptions = {}): Promise<KnowledgeChecksStarted> =>
      this.#connection.json(
        'POST /v1/knowledge/checks/run',
        { checks: 'number' },
        { ...options, body: {} },
      ),
    /** Runs one at once without storing it. */
    try: (check: KnowledgeCheckInput, options: CallOptions = {}): Promise<KnowledgeCheckTried> => {
      const expected = { state: 'string', answer: 'object' } as const;
      return this.#connection.json('POST /v1/knowledge/checks/try', expected, {
        ...options,
        body: check,
      });
    },
    /** Which of them would end otherwise if an article was written. */
    preview: (
      written: KnowledgeChecksPreview,
      options: CallOptions = {},
    ): Promise<KnowledgeChecksPreviewed> => {
      const call = { ...options, body: written };
      return this.#connection.json(
        'POST /v1/knowledge/checks/preview',
        { checks: 'objects' },
        call,
      );
    },
  };

  /**
   * The sync of the knowledge base with its host.
   *
   * @example
   * const client = new Constellation({ url: 'http://127.0.0.1:8787', key: 'ck_…' });
   * await client.sync.start({ full: true });
   * const { outcome } = await client.sync.wait({ onProgress: ({ state }) => console.log(state) });
   */
  readonly sync = {
    /** Starts one, or joins the one that runs. */
    start: (request: SyncRequest = {}, options: CallOptions = {}): Promise<SyncAccepted> =>
      this.#connection.json('POST /v1/sync', { status: 'object' }, { ...options, body: request }),
    status: (options: CallOptions = {}): Promise<SyncStatus> =>
      this.#connection.json('GET /v1/sync', { state: 'string' }, options),
    /** Waits for the end of the sync that runs, without a deadline unless `timeoutMs` gives one. Its report says whether it failed. */
    wait: async ({
      onProgress,
      pollMs = 1000,
      timeoutMs,
      ...options
    }: WaitOptions = {}): Promise<SyncReport> => {
      const endsAt = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
      for (;;) {
        const status = await this.sync.status(options);
        onProgress?.(status);
        if (status.state === 'idle') {
          if (status.last_report !== null) return status.last_report;
          throw new ConstellationError(
            'NOT_FOUND',
            'Cannot wait for a sync: none runs, and none has ended',
          );
        }
        if (Date.now() + pollMs > endsAt)
          throw new ConstellationError('TIMEOUT', `The sync did not end within ${timeoutMs} ms`, {
            retryable: true,
          });
        await pause(pollMs, options.signal).catch((cause: unknown) => {
          throw new ConstellationError('ABORTED', 'The call was aborted', { cause });
        });
      }
    },
  };
}

const requestOf = <Request extends object>(question: Asked<Request>): object =>
  typeof question === 'string' ? { query: question } : question;

const asking = (question: Asked<AskRequest>) => {
  const body = requestOf(question);
  return { body, isRepeatable: !('conversation_id' in body) };
};

const STATISTICS = { buckets: 'objects', latency: 'object', articles: 'objects' } as const;

const answerPath = (id: string): string => `/v1/answers/${encodeURIComponent(id)}`;

const gapPath = (id: string): string => `/v1/knowledge/gaps/${encodeURIComponent(id)}`;

const editionPath = (id: string): string => `/v1/knowledge/editions/${encodeURIComponent(id)}`;

const articlePath = (id: string): string =>
  `/api/kb/articles/${id.split('/').map(encodeURIComponent).join('/')}`;

/** The items of all pages. A cursor that comes twice would never end. */
async function* pages<Key extends string, Item>(
  read: (cursor: {
    cursor?: string;
  }) => Promise<Record<Key, Item[]> & { next_cursor?: string | null | undefined }>,
  key: Key,
): AsyncGenerator<Item, void, void> {
  let cursor: string | undefined;
  for (;;) {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield* page[key];
    if (!page.next_cursor || page.next_cursor === cursor) return;
    cursor = page.next_cursor;
  }
}
