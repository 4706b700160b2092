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
    what: '`production`, or `development`: derived keys, services and hosts on this machine are accepted then',
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
    what: 'The index of Upstash Vector: dense, cosine, with the dimensions of the embedding model',
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
    otherwise: 'embeddings are cached in KV, memories stored in Durable Objects',
    what: 'The database of Upstash Redis: embeddings of questions and, with a vector index, memories',
  },
  {
    name: 'UPSTASH_REDIS_REST_TOKEN',
    functions: ['navigator', 'semantic', 'support', 'memory'],
    secret: true,
    otherwise: '`local` on this machine',
    what: 'Its token, the one that may write',
  },
  {
    name: 'OPENAI_BASE_URL',
    functions: 'all',
    otherwise: '`https://api.openai.com/v1`',
    what: "Base URL, including the version, of OpenAI's API or a compatible one",
  },
  {
    name: 'OPENAI_API_KEY',
    functions: 'all',
    secret: true,
    otherwise: 'no model: search by words and word vectors, answers are quotes',
    what: 'Its key. Setting it switches embeddings and answers by a model on',
  },
  {
    name: 'EMBEDDING_MODEL',
    functions: 'all',
    otherwise: '`text-embedding-3-small`',
    what: 'The embedding model; `none` for the word vectors. Changing the model embeds everything again',
  },
  {
    name: 'EMBEDDING_DIMENSIONS',
    functions: 'all',
    otherwise: 'those of the model',
    what: 'Dimensions of a vector, 1 to 4,096; needed for models that are not OpenAI’s',
  },
  {
    name: 'CHAT_MODEL',
    functions: 'all',
    otherwise: '`gpt-4.1-mini`',
    what: 'The model that writes answers; `none` for none',
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
    what: 'Base URL, including the version, of a reranker with `POST /rerank`: `https://api.cohere.com/v2`, `https://api.jina.ai/v1`, `https://api.voyageai.com/v1`',
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
    otherwise: 'none',
    what: 'Its model; `@cf/baai/bge-reranker-base` without an address runs on Workers AI, where the function has a binding `AI`',
  },
  {
    name: 'EMBEDDING_CACHE_SIZE',
    functions: ['navigator', 'semantic', 'support', 'memory'],
    otherwise: '2000',
    what: 'Embeddings of questions that an isolate keeps, 1 to 10,000; 1,536 numbers are 6 KiB',
  },
  {
    name: 'EMBEDDING_CACHE_TTL_SECONDS',
    functions: ['navigator', 'semantic', 'support', 'memory'],
    otherwise: '86400',
    what: 'How long they are cached in Redis or KV, 60 to 31,536,000; an isolate caches them for 600 at most',
  },
  {
    name: 'TOKENS_PER_QUESTION',
    functions: ['gateway'],
    otherwise: '30000',
    what: 'Tokens, input and output, that models may take for one question in all functions together, 0 to 10,000,000 ([budgets](delegation.md))',
  },
  {
    name: 'COST_MICROS_PER_QUESTION',
    functions: ['gateway'],
    otherwise: 'no limit',
    what: 'Millionths of a US dollar that the models may cost for one question, 0 to 1,000,000,000; needs a price of the model in `MODEL_PRICES`',
  },
  {
    name: 'FACT_TOKENS_PER_QUESTION',
    functions: ['gateway'],
    otherwise: '300',
    what: 'Tokens of stored facts about the asker that a question takes along, 0 (none) to 2,000 ([memory](memory.md#facts-about-the-asker))',
  },
  {
    name: 'LANGUAGE_IDS',
    functions: ['analytics', 'semantic', 'web-search', 'hybrid'],
    otherwise: 'agents report no `language_id`',
    what: 'The ids that a host gives to languages, as JSON: `{"en": 1, "de": 2}`; agents report that of the question ([agents](contract.md#agents))',
  },
  {
    name: 'MAX_MEMORIES',
    functions: ['memory'],
    otherwise: '50000 on Upstash, 10000 in Durable Objects',
    what: 'Memories that a workspace may have, 1 to 10,000,000, without turns of conversations ([memories](memory.md#quotas))',
  },
  {
    name: 'MAX_MEMORIES_PER_KEY',
    functions: ['memory'],
    otherwise: 'nine tenths of MAX_MEMORIES',
    what: 'Those that one API key may store in a workspace, 1 to 10,000,000',
  },
  {
    name: 'MAX_TURNS',
    functions: ['memory'],
    otherwise: '25000 on Upstash, 5000 in Durable Objects',
    what: 'Turns of conversations in a workspace, 1 to 10,000,000; the oldest are removed for new ones',
  },
  {
    name: 'MAX_TURNS_PER_KEY',
    functions: ['memory'],
    otherwise: 'nine tenths of MAX_TURNS',
    what: 'Turns that one API key may store in a workspace, 1 to 10,000,000',
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
    what: 'Days until a turn of a conversation is removed, 1 to 3,650; applies to turns stored from then on',
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
    name: 'EDITION_HISTORY',
    functions: ['library'],
    otherwise: '0; in development 5',
    what: 'How many earlier editions are kept, to compare and to go back, 0 to 20; texts that only they have are stored up to 30 days ([editions](edition-format.md#history))',
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
    what: 'Web sites, GitHub, Notion, Confluence and article APIs of helpdesk tools, by workspace, as JSON ([sources](sources.md), [helpdesks](helpdesks.md)); tokens are secrets that it names',
  },
  {
    name: 'HELPDESKS',
    functions: ['webhooks'],
    otherwise: 'none',
    what: 'Connections to helpdesk tools by workspace as JSON ([helpdesks](helpdesks.md)); their secrets and tokens are secrets that it names',
  },
  {
    name: 'HANDOVER',
    functions: ['webhooks'],
    otherwise: 'none',
    what: 'Where visitors of web pages are handed over to a person, by workspace, as JSON: `{"default": "zendesk"}`, or `list` ([widget](widget.md#handing-over-to-a-person))',
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
    what: 'How long what was done in a ticket is remembered, 1 to 365; the ids of messages that have a note stay',
  },
  {
    name: 'KEEP_ANSWERS',
    functions: ['gateway'],
    otherwise: 'none; in development `all`',
    what: 'Workspaces whose answers are kept, separated by commas, `all` or `none` ([kept answers](answers-kept.md))',
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
    what: 'Answers that a workspace keeps, 1 to 1,000,000; the oldest are removed for new ones. A database holds 10 GB, an answer takes 128 KB at most',
  },
  {
    name: 'PRIVACY_MASK',
    functions: ['support', 'memory', 'a2a'],
    otherwise: '`email,phone,card,wallet,key`',
    what: 'What is masked in a message before it is embedded, sent to a model or stored as a gap, and in an answer or a task before it is kept; `none` for nothing ([support](support.md), [A2A](a2a.md))',
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
    what: 'Helpdesks that may show the [panel for agents](agent-panel.md) in a frame, separated by commas: `https://acme.zendesk.com`',
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
    what: 'The workspace whose articles anybody may search and read at `/search` and `/kb/{id}` ([search page](search-page.md))',
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
