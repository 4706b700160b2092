/**
 * The contract of Constellation: Zod schemas and types of everything that crosses a boundary, and the checks that go with them. Runs
 * wherever Zod runs and depends on nothing else in this project.
 *
 * - A schema and its type share one name: `ErrorInfo.safeParse(value)` and `const error: ErrorInfo`.
 * - Names of members are those of the wire.
 * - What callers send is strict: unknown members are refused, and every text and list has an upper bound. What librarians and other
 *   systems reply is lenient: unknown members are dropped.
 * - `readAs(schema, value)` is `safeParse` that never throws, with issues as `{ path, message }`: use it for untrusted input.
 * - `issuesOf(error)` turns a failed parse into `{ path, message }` pairs, `describeIssues` those into one line.
 *
 * @module @constellation/contract
 */

export * from './core/ask.ts';
export * from './core/confidence-level.ts';
export * from './core/error-info.ts';
export * from './core/json-object.ts';
export * from './core/knowledge-file.ts';
export * from './core/lack-of-information.ts';
export * from './core/librarian.ts';
export * from './core/names.ts';
export * from './core/navigator-response.ts';
export * from './core/read-request.ts';
export * from './core/response.ts';
/** Exported as `Response`; inside the project the longer name distinguishes it from the `Response` of `fetch`. */
export { LibrarianResponse as Response } from './core/response.ts';
export * from './core/validate-response.ts';
export * from './routes/descriptions.ts';
export * from './routes/http-route.ts';
export * from './routes/http-routes.ts';
export * from './wire/a2a.ts';
export * from './wire/access.ts';
export * from './wire/agent-response.ts';
export * from './wire/answers.ts';
export * from './wire/audit.ts';
export * from './wire/budgets.ts';
export * from './wire/chat-completions.ts';
export * from './wire/checks.ts';
export * from './wire/context-engine.ts';
export * from './wire/desk-settings.ts';
export * from './wire/editions.ts';
export * from './wire/gateway-call.ts';
export * from './wire/host-article.ts';
export * from './wire/knowledge.ts';
export * from './wire/mcp.ts';
export * from './wire/memory.ts';
export * from './wire/moving.ts';
export * from './wire/openai-responses.ts';
export * from './wire/overview.ts';
export * from './wire/route-schemas.ts';
export * from './wire/support-response.ts';
export * from './wire/sync.ts';
export * from './wire/taxonomy.ts';
export * from './wire/tickets.ts';
