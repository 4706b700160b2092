import type { RouteName } from '../../src/contract/routes/http-routes.ts';

/** A request that works on the sample knowledge base. */
export interface RouteExample {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
}

const workspace_id = 'default';
const person = { person_id: 'p-1024' };
const article = { id: 'guides/opening-hours.md' };
const check = { question: 'How long does shipping to Canada take?', cites: 'orders/shipping.md' };
/** In tests an answer of that id is kept first. */
const answer = { id: '5f0d3a2e-6c1b-4d5e-9f80-3a4b5c6d7e8f' };
/** Tests put one that is kept in its place. */
const edition = { id: 'e000001-0a1b2c3d' };

/** Routes that take nothing have none. */
export const EXAMPLES: Partial<Record<RouteName, RouteExample>> = {
  'POST /v1/ask': { body: { query: 'How long does shipping to Canada take?' } },
  'POST /v1/navigate': { body: { query: 'How do I swap the fan?' } },
  'POST /v1/agents/analytics': { body: { query: 'How many iPhone 17 are in stock?' } },
  'POST /v1/agents/semantic': { body: { query: 'warranty', options: { limit: 3 } } },
  'POST /v1/agents/web_search': { body: { query: 'What does an iPhone 17 cost elsewhere?' } },
  'POST /v1/agents/hybrid': {
    body: { query: 'How many iPhone 17 are in stock, and how long is the warranty?' },
  },
  'GET /v1/answers': { query: { verdict: 'declined', limit: '10' } },
  'DELETE /v1/answers': { query: person },
  'GET /v1/answers/{id}': { path: answer },
  'DELETE /v1/answers/{id}': { path: answer },
  'GET /v1/answers/statistics': { query: { bucket: 'day', librarian: 'navigator' } },
  'GET /v1/overview': { query: { days: '7' } },
  'POST /v1/answers/{id}/replay': { path: answer, body: { librarian: 'navigator', model: false } },
  'POST /v1/answers/{id}/feedback': {
    path: answer,
    body: { value: 'down', comment: 'The article is about the older model.' },
  },
  'POST /v1/chat/completions': {
    body: {
      model: 'constellation',
      messages: [{ role: 'user', content: 'What does error E30 mean?' }],
    },
  },
  'POST /v1/responses': { body: { model: 'constellation', input: 'What does error E30 mean?' } },
  'POST /mcp': { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
  'POST /a2a': { body: { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} } },
  'DELETE /v1/a2a/tasks': { query: person },
  'GET /v1/models/{id}': { path: { id: 'navigator' } },
  'GET /librarians/{id}': { path: { id: 'navigator' } },
  'POST /librarians/{id}/ask': {
    path: { id: 'navigator' },
    body: { query: 'How do I swap the fan?' },
  },
  'POST /v1/knowledge/search': { body: { query: 'reset the password', limit: 3 } },
  'POST /v1/knowledge/retrieve': {
    body: {
      intent: 'not_hashing',
      message: 'It shows 0 H/s',
      metadata: { product: 'Apollo II' },
    },
  },
  'GET /v1/knowledge/gaps': { query: { state: 'open', limit: '10' } },
  'POST /v1/knowledge/gaps': { body: { question: 'Do you ship to Norway?' } },
  'DELETE /v1/knowledge/gaps': { query: person },
  'GET /v1/knowledge/gaps/{id}': { path: { id: 'g-1' } },
  'DELETE /v1/knowledge/gaps/{id}': { path: { id: 'g-1' } },
  'GET /v1/knowledge/gaps/records': { query: { limit: '10' } },
  'PUT /v1/knowledge/gaps/records': {
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
  'GET /v1/knowledge/checks': { query: { state: 'red', limit: '10' } },
  'PUT /v1/knowledge/checks': {
    body: { checks: [check, { question: 'Who wins the match tonight?', declined: true }] },
  },
  // The check of the example of PUT: an id follows from its question.
  'DELETE /v1/knowledge/checks/{id}': { path: { id: '1MGUORNbZEglodiQtR1qj0' } },
  'POST /v1/knowledge/checks/run': { body: {} },
  'POST /v1/knowledge/checks/try': { body: check },
  'POST /v1/knowledge/checks/preview': {
    body: {
      id: 'orders/shipping.md',
      article: { title: 'Shipping', content: 'To Canada a parcel takes 9 working days.' },
    },
  },
  'GET /v1/knowledge/editions/{id}/changes': { path: edition },
  'POST /v1/knowledge/editions/{id}/activate': { path: edition, body: {} },
  'POST /v1/support/analyze': {
    body: {
      message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
      metadata: { product: 'Apollo II' },
    },
  },
  'PUT /v1/support/settings': {
    body: { tone: 'friendly', hint: 'Call customers members.' },
  },
  'PUT /v1/support/taxonomy': {
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
            examples: ['I want my money back', 'Please refund my order', 'How do I get a refund?'],
          },
        ],
      },
    },
  },
  'GET /v1/support/tickets': { query: { state: 'all' } },
  'PUT /v1/support/tickets': {
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
  'GET /v1/support/tickets/case': { query: { helpdesk: 'zammad', ticket_id: '17' } },
  'GET /v1/support/tickets/lessons': { query: { limit: '10' } },
  'GET /v1/support/tickets/draft': { query: { helpdesk: 'zammad', ticket_id: '17' } },
  'DELETE /v1/support/tickets/draft': { query: { helpdesk: 'zammad', ticket_id: '17' } },
  'POST /v1/support/tickets/feedback': {
    body: { helpdesk: 'zammad', ticket_id: '17', value: 'up' },
  },
  'POST /v1/support/tickets/replay': { body: { all: true } },
  'POST /v1/support/requests': {
    body: {
      idempotency_key: '9f2c41d07be84a06a3c1',
      email: 'dana.ortiz@example.net',
      message: 'My fan is loud after the update. Can somebody call me?',
      consent: true,
    },
  },
  'GET /v1/support/requests': { query: { state: 'listed' } },
  'DELETE /v1/support/requests': { query: { email: 'dana.ortiz@example.net' } },
  'POST /v1/sync': { body: { full: true } },
  'GET /api/kb/articles': { query: { limit: '2' } },
  'GET /api/kb/inventory': { query: { limit: '5' } },
  'GET /api/kb/articles/{id}': { path: article },
  'PUT /api/kb/articles/{id}': {
    path: article,
    body: {
      title: 'Opening hours',
      content: '# Opening hours\n\nThe shop is open on weekdays from 9:00 to 17:00.\n',
    },
  },
  'DELETE /api/kb/articles/{id}': { path: article },
  'GET /api/kb/text/{id}': { path: article },
  'GET /v1/workspaces/{workspace_id}/memories': { path: { workspace_id }, query: person },
  'POST /v1/workspaces/{workspace_id}/memories': {
    path: { workspace_id },
    body: { type: 'fact', content: 'Owns an Apollo II since May 2026.', ...person },
  },
  'PUT /v1/workspaces/{workspace_id}/memories': {
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
  'DELETE /v1/workspaces/{workspace_id}/memories': { path: { workspace_id }, query: person },
  'GET /v1/workspaces/{workspace_id}/memories/stats': { path: { workspace_id } },
  'GET /v1/workspaces/{workspace_id}/memories/{id}': { path: { workspace_id, id: 'm-1' } },
  'DELETE /v1/workspaces/{workspace_id}/memories/{id}': { path: { workspace_id, id: 'm-1' } },
  'POST /v1/workspaces/{workspace_id}/memories/search': {
    path: { workspace_id },
    body: { query: 'Which device does the customer own?' },
  },
  'POST /v1/workspaces/{workspace_id}/memories/search/batch': {
    path: { workspace_id },
    body: { queries: ['Which device?', 'Which language?'], options: { limit: 3 } },
  },
  'GET /v1/workspaces/{workspace_id}/context-templates': { path: { workspace_id } },
  'PUT /v1/workspaces/{workspace_id}/context-templates/{name}': {
    path: { workspace_id, name: 'numbered' },
    body: { memoryFormat: '* {{content}} ({{type}})', separator: '\n', includeMetadata: false },
  },
  'DELETE /v1/workspaces/{workspace_id}/context-templates/{name}': {
    path: { workspace_id, name: 'numbered' },
  },
  'GET /v1/workspaces/{workspace_id}/context-rankers': { path: { workspace_id } },
  'PUT /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    path: { workspace_id, name: 'recent' },
    body: { recencyWeight: 0.8, lambda: 0.7 },
  },
  'DELETE /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    path: { workspace_id, name: 'recent' },
  },
  'POST /v1/workspaces/{workspace_id}/memories/context': {
    path: { workspace_id },
    body: { query: 'Which device?', options: { tokenBudget: 200 } },
  },
  'POST /v1/workspaces/{workspace_id}/memories/context/preview': {
    path: { workspace_id },
    body: { query: 'Which device?', options: { tokenBudget: 200 } },
  },
  'POST /webhooks/{helpdesk}/{workspace}': {
    path: { helpdesk: 'zammad', workspace: 'default' },
    body: {},
  },
  'GET /v1/audit': { query: { limit: '10' } },
  'POST /v1/sign-in': {
    body: { issuer: 'https://login.example.com/', code: 'c0de', code_verifier: 'v'.repeat(43) },
  },
};
