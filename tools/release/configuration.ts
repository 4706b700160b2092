/** A variable or secret of the functions. */
export interface Setting {
  name: string;
  /** Functions that read it; `all` for every one. */
  functions: readonly string[] | 'all';
  /** Set with `wrangler secret put`, never written into a file of the repository. */
  secret?: true;
  /** Default when it is not set or empty. */
  otherwise: string;
  what: string;
}

/** Everything that can be configured, in the order of docs/configuration.md. Bindings (KV, D1, services) are in each `wrangler.toml`. */
export const CONFIGURATION: readonly Setting[] = [
  {
    name: 'ENVIRONMENT',
    functions: 'all',
    otherwise: 'production',
    what: '`production`, or `development`, which accepts derived keys, and services and hosts on this machine',
  },
  {
    name: 'CONTEXT_SIGNING_KEY',
    functions: 'all',
    secret: true,
    otherwise: 'derived, in development',
    what: "The function's own signing key (`npm run keys`)",
  },
  {
    name: 'CONTEXT_DIRECTORY',
    functions: 'all',
    otherwise: 'derived, in development',
    what: 'The signed directory of all keys; `npm run deploy` sets it',
  },
  {
    name: 'CONTEXT_DIRECTORY_ROOT',
    functions: 'all',
    otherwise: 'none',
    what: 'The public key that the directory is checked with; `npm run deploy` sets it',
  },
  {
    name: 'CONTEXT_KEY_SEED',
    functions: 'all',
    otherwise: 'a fixed one',
    what: 'Development only: what the derived keys are made of',
  },
  {
    name: 'CONTEXT_LOCAL_LIBRARIANS',
    functions: 'all',
    otherwise: 'none',
    what: 'Development only: ids of further internal librarians, separated by commas',
  },
  {
    name: 'CONTEXT_PARTNERS',
    functions: 'all',
    otherwise: 'none',
    what: 'Development only: partner librarians as JSON ([librarians](librarians.md))',
  },
  {
    name: 'UPSTASH_VECTOR_REST_URL',
    functions: ['navigator', 'semantic', 'support', 'library', 'memory', 'gateway'],
    otherwise: 'vectors stay in the edition and in the Durable Objects',
    what: 'Upstash Vector: a dense index, cosine, with the dimensions of the embedding model',
  },
  {
    name: 'UPSTASH_VECTOR_REST_TOKEN',
    functions: ['navigator', 'semantic', 'support', 'library', 'memory'],
    secret: true,
    otherwise: '`local` on this machine',
    what: 'Its token, the one that may write',
  },
  {
    name: 'UPSTASH_REDIS_REST_URL',
    functions: ['navigator', 'semantic', 'support', 'memory', 'gateway'],
    otherwise: 'embeddings are cached in KV',
    what: 'Upstash Redis: the cache of embeddings of questions',
  },
  {
    name: 'UPSTASH_REDIS_REST_TOKEN',
    functions: ['navigator', 'semantic', 'support', 'memory'],
    secret: true,
    otherwise: '`local` on this machine',
    what: 'Its token, the one that may write',
  },
  {
    name: 'MODELS',
    functions: 'all',
    otherwise: '`all`: those that are configured, or found by `npm start`',
    what: '`none`: no model at all, whatever else is set, as `npm start -- --no-model` does ([which model answers](providers.md#which-model-answers))',
  },
  {
    name: 'OPENAI_BASE_URL',
    functions: 'all',
    otherwise: '`https://api.openai.com/v1`',
    what: "Base URL, with the version, of OpenAI's API or a [compatible one](providers.md)",
  },
  {
    name: 'OPENAI_API_KEY',
    functions: 'all',
    secret: true,
    otherwise: 'no model: search by words and word vectors, answers are quotes',
    what: 'Its key; switches embeddings and answers by a model on',
  },
  {
    name: 'WORKERS_AI',
    functions: 'all',
    otherwise: '`no`',
    what: '`yes`: [Workers AI](providers.md#workers-ai) of the account where `OPENAI_*` name no service; `npm run setup` asks for it',
  },
  {
    name: 'EMBEDDING_MODEL',
    functions: 'all',
    otherwise: '`text-embedding-3-small`; `@cf/baai/bge-m3` on Workers AI',
    what: 'The embedding model; `none` for the word vectors. A change embeds everything again',
  },
  {
    name: 'EMBEDDING_DIMENSIONS',
    functions: 'all',
    otherwise: 'those of the model',
    what: 'Dimensions, 1 to 4,096; needed for models that are not OpenAI’s, except bge-m3',
  },
  {
    name: 'CHAT_MODEL',
    functions: 'all',
    otherwise: '`gpt-4.1-mini`; `@cf/meta/llama-3.3-70b-instruct-fp8-fast` on Workers AI',
    what: 'The model that writes answers; `none` for none',
  },
  {
    name: 'REASONING_EFFORT',
    functions: 'all',
    otherwise: 'as the model does; `none` for an Ollama model that is found',
    what: 'How much a model reasons before it answers, where it can: `none`, `minimal`, `low`, `medium`, `high` or `xhigh`',
  },
  {
    name: 'MODEL_PRICES',
    functions: 'all',
    otherwise: 'costs are not reported',
    what: 'US dollars for a million tokens as JSON: `{"gpt-4.1-mini": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}`',
  },
  {
    name: 'RERANK_BASE_URL',
    functions: ['navigator'],
    otherwise: 'passages for the model stay in the order of the search',
    what: 'Base URL, with the version, of a reranker with `POST /rerank`, such as `https://api.cohere.com/v2`',
  },
  {
    name: 'RERANK_API_KEY',
    functions: ['navigator'],
    secret: true,
    otherwise: '`local` on this machine',
    what: 'Its key',
  },
  {
    name: 'RERANK_MODEL',
    functions: ['navigator'],
    otherwise: 'none; `@cf/baai/bge-reranker-base` with `WORKERS_AI`',
    what: 'Its model, or `none`; `@cf/baai/bge-reranker-base` without an address runs on Workers AI, whatever else has the models',
  },
  {
    name: 'EMBEDDING_CACHE_SIZE',
    functions: ['navigator', 'semantic', 'support', 'memory'],
    otherwise: '2000',
    what: 'Embeddings of questions that an isolate caches, 1 to 10,000',
  },
  {
    name: 'EMBEDDING_CACHE_TTL_SECONDS',
    functions: ['navigator', 'semantic', 'support', 'memory'],
    otherwise: '86400',
    what: 'How long Redis or KV caches them, 60 to 31,536,000; an isolate 600 at most',
  },
  {
    name: 'TOKENS_PER_QUESTION',
    functions: ['gateway'],
    otherwise: '30000',
    what: 'Tokens that models may take for one question in all functions together, 0 to 10,000,000 ([budgets](delegation.md#budgets))',
  },
  {
    name: 'COST_MICROS_PER_QUESTION',
    functions: ['gateway'],
    otherwise: 'no limit',
    what: 'Millionths of a US dollar that models may cost for one question, 0 to 1,000,000,000; needs `MODEL_PRICES`',
  },
  {
    name: 'FACT_TOKENS_PER_QUESTION',
    functions: ['gateway'],
    otherwise: '300',
    what: 'Tokens of [facts about the asker](memory.md#facts-about-the-asker) for a question, 0 (none) to 2,000',
  },
  {
    name: 'LANGUAGE_IDS',
    functions: ['analytics', 'semantic', 'web-search', 'hybrid'],
    otherwise: 'agents report no `language_id`',
    what: 'Ids of languages at a host as JSON: `{"en": 1, "de": 2}`; [agents](contract.md#agents) report that of the question',
  },
  {
    name: 'MAX_MEMORIES',
    functions: ['memory'],
    otherwise: '10000',
    what: 'Memories of a workspace, 1 to 10,000,000, without turns of conversations ([quotas](memory.md#quotas))',
  },
  {
    name: 'MAX_MEMORIES_PER_KEY',
    functions: ['memory'],
    otherwise: 'nine tenths of MAX_MEMORIES',
    what: 'Those of one API key, 1 to 10,000,000',
  },
  {
    name: 'MAX_TURNS',
    functions: ['memory'],
    otherwise: '5000',
    what: 'Turns of conversations of a workspace, 1 to 10,000,000; the oldest are removed',
  },
  {
    name: 'MAX_TURNS_PER_KEY',
    functions: ['memory'],
    otherwise: 'nine tenths of MAX_TURNS',
    what: 'Turns of one API key, 1 to 10,000,000',
  },
  {
    name: 'TURNS_PER_CONVERSATION',
    functions: ['memory'],
    otherwise: '200',
    what: 'Turns of one conversation, 1 to 10,000',
  },
  {
    name: 'TURN_DAYS',
    functions: ['memory'],
    otherwise: '90',
    what: 'Days until a turn is removed, 1 to 3,650; for turns stored from then on',
  },
  {
    name: 'KB_URL',
    functions: ['library'],
    otherwise: 'none',
    what: 'The host knowledge base of the workspace `default`; `sources`: that of a helpdesk ([helpdesks](helpdesks.md))',
  },
  {
    name: 'KB_TOKEN',
    functions: ['library'],
    secret: true,
    otherwise: 'none',
    what: 'Sent to `KB_URL` as a bearer token',
  },
  {
    name: 'KB_ALLOWED_HOSTS',
    functions: ['library'],
    otherwise: 'none',
    what: 'Hosts that may be read from, separated by commas',
  },
  {
    name: 'KB_FRESHNESS',
    functions: ['library'],
    otherwise: '`synced`: answers are as of the last sync',
    what: '`live`: before an answer the host is asked what it has changed ([sources](sources.md#asking-before-each-answer))',
  },
  {
    name: 'EDITION_HISTORY',
    functions: ['library'],
    otherwise: '0; in development 5',
    what: 'Earlier editions that are kept, 0 to 20, with their texts up to 30 days ([editions](edition-format.md#history))',
  },
  {
    name: 'KB_SOURCES',
    functions: ['library'],
    otherwise: 'none',
    what: 'Hosts of further workspaces as JSON: `{"acme": {"url": "https://…", "tokenSecret": "ACME_KB_TOKEN"}, "beta": {"url": "sources"}}`',
  },
  {
    name: 'ARTICLE_SOURCES',
    functions: ['sources'],
    otherwise: 'none',
    what: 'Web sites, GitHub, Notion, Confluence and [helpdesks](helpdesks.md) to read articles from, by workspace, as JSON ([sources](sources.md))',
  },
  {
    name: 'HELPDESKS',
    functions: ['webhooks'],
    otherwise: 'none',
    what: 'Connections to [helpdesk tools](helpdesks.md) by workspace as JSON',
  },
  {
    name: 'HANDOVER',
    functions: ['webhooks', 'gateway'],
    otherwise: 'none',
    what: 'Where [visitors](widget.md#handing-over-to-a-person) are handed over to a person, by workspace, as JSON: `{"default": "zendesk"}`, or `list`',
  },
  {
    name: 'TICKET_RETRY_MS',
    functions: ['webhooks'],
    otherwise: '1000',
    what: 'Wait before a ticket is tried again, 10 to 60000; doubles up to 600 times as much ([tickets](tickets.md))',
  },
  {
    name: 'TICKET_SETTLE_MS',
    functions: ['webhooks'],
    otherwise: '20000',
    what: 'How long a write to a helpdesk whose reply was lost may still take effect, 50 to 600000',
  },
  {
    name: 'TICKET_CALL_MS',
    functions: ['webhooks'],
    otherwise: '10000',
    what: "Timeout of one call of a helpdesk's API, 100 to 30000",
  },
  {
    name: 'TICKET_ANALYSE_MS',
    functions: ['webhooks'],
    otherwise: '15000',
    what: 'Timeout of the analysis of one message, 100 to 60000',
  },
  {
    name: 'TICKET_ATTEMPTS',
    functions: ['webhooks'],
    otherwise: '24',
    what: 'Attempts before a message is listed as dead, 1 to 100',
  },
  {
    name: 'TICKET_KEEP_DAYS',
    functions: ['webhooks'],
    otherwise: '30',
    what: 'Days that jobs of a ticket are kept, 1 to 365 ([retention](tickets.md#retention))',
  },
  {
    name: 'CONTACT_URL',
    functions: ['gateway'],
    otherwise: 'none',
    what: 'A link (https or mailto) for who [asks for a person](conversations.md#thanks-greetings-and-people), or JSON by workspace: `{"default": "https://…"}`',
  },
  {
    name: 'KEEP_ANSWERS',
    functions: ['gateway'],
    otherwise: 'none; in development `all`',
    what: 'Workspaces whose [answers are kept](answers-kept.md), separated by commas, `all` or `none`',
  },
  {
    name: 'ANSWER_DAYS',
    functions: ['memory'],
    otherwise: '30',
    what: 'Days until a kept answer is removed, 1 to 3,650',
  },
  {
    name: 'MAX_ANSWERS',
    functions: ['memory'],
    otherwise: '50000',
    what: 'Answers that a workspace keeps, 1 to 1,000,000 (of 128 KB at most, in a database of 10 GB); the oldest are removed',
  },
  {
    name: 'PRIVACY_MASK',
    functions: ['support', 'memory', 'a2a'],
    otherwise: '`email,phone,card,wallet,key`',
    what: 'What is [masked](support.md#privacy) in messages, and in answers and tasks before they are kept; `none` for nothing',
  },
  {
    name: 'TASK_HOURS',
    functions: ['a2a'],
    otherwise: '24',
    what: 'How long a task is stored after its last change, 1 to 720 ([A2A](a2a.md))',
  },
  {
    name: 'PUBLIC_URL',
    functions: ['library'],
    otherwise: '`http://localhost:8787`',
    what: 'Where the gateway is reached, for articles without an address of their own',
  },
  {
    name: 'CORS_ORIGINS',
    functions: ['gateway'],
    otherwise: 'none',
    what: 'Web pages that may call the gateway, separated by commas, or `*`',
  },
  {
    name: 'PANEL_ORIGINS',
    functions: ['gateway'],
    otherwise: 'none',
    what: 'Helpdesks that may show the [panel for agents](agent-panel.md), separated by commas: `https://acme.zendesk.com`',
  },
  {
    name: 'OIDC_PROVIDERS',
    functions: ['gateway'],
    otherwise: 'none',
    what: 'Identity providers whose tokens are accepted beside API keys, as JSON ([signing in](sign-in.md))',
  },
  {
    name: 'PUBLIC_WORKSPACE',
    functions: ['gateway'],
    otherwise: 'none; `default` with `npm start`',
    what: 'The workspace whose articles anybody may read at `/search` and `/kb/{id}` ([search page](search-page.md))',
  },
  {
    name: 'ROUTED_PARTNERS',
    functions: ['gateway'],
    otherwise: 'none',
    what: 'Partner librarians that questions may be routed to without being named, separated by commas',
  },
  {
    name: 'SHOP_WORKSPACE',
    functions: ['analytics', 'web-search'],
    otherwise: '`default`',
    what: 'The workspace whose shop database is bound as `SHOP_DB` ([analytics](analytics.md))',
  },
  {
    name: 'SERPAPI_KEY',
    functions: ['web-search'],
    secret: true,
    otherwise: 'none',
    what: 'Key of SerpApi ([web search](web-search.md))',
  },
  {
    name: 'SERPAPI_URL',
    functions: ['web-search'],
    otherwise: '`https://serpapi.com`',
    what: 'One that speaks as SerpApi does',
  },
  { name: 'BRAVE_SEARCH_KEY', functions: ['web-search'], secret: true, otherwise: 'none', what: 'Key of Brave Search' },
  {
    name: 'BRAVE_SEARCH_URL',
    functions: ['web-search'],
    otherwise: '`https://api.search.brave.com`',
    what: 'One that speaks as Brave Search does',
  },
  { name: 'SEARCH_COUNTRY', functions: ['web-search'], otherwise: "the provider's", what: 'Two letters: `us`' },
  { name: 'SEARCH_LANGUAGE', functions: ['web-search'], otherwise: "the provider's", what: 'Two letters: `en`' },
];

/** The variables that a function reads. */
export const settingsOf = (functionId: string): readonly Setting[] =>
  CONFIGURATION.filter(({ functions }) => functions === 'all' || functions.includes(functionId));

/** Whether a function has models, and so a binding of Workers AI where that has them. */
export const usesWorkersAI = (functionId: string): boolean =>
  settingsOf(functionId).some(({ name }) => name === 'WORKERS_AI');

/** The table of docs/configuration.md. */
export const configurationTable = (settings: readonly Setting[] = CONFIGURATION): string =>
  [
    '| variable | functions | not set | what it is |',
    '| --- | --- | --- | --- |',
    ...settings.map(({ name, functions, secret, otherwise, what }) => {
      const readers = functions === 'all' ? 'all' : functions.join(', ');
      return `| \`${name}\`${secret ? ' (secret)' : ''} | ${readers} | ${otherwise} | ${what} |`;
    }),
  ].join('\n');
