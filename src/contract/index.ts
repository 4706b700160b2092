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
 */
export * from './a2a.ts';
export * from './access.ts';
export * from './agent-response.ts';
export * from './answers.ts';
export * from './ask.ts';
export * from './audit.ts';
export * from './chat-completions.ts';
export * from './context-engine.ts';
export * from './editions.ts';
export * from './error-info.ts';
export * from './host-article.ts';
export * from './http-routes.ts';
export * from './json-object.ts';
export * from './knowledge.ts';
export * from './librarian.ts';
export * from './mcp.ts';
export * from './memory.ts';
export * from './moving.ts';
export * from './names.ts';
export * from './navigator-response.ts';
export * from './openai-responses.ts';
export * from './read-request.ts';
export * from './response.ts';
/** Exported as `Response`; inside the project the longer name distinguishes it from the `Response` of `fetch`. */
export { LibrarianResponse as Response } from './response.ts';
export * from './support-response.ts';
export * from './sync.ts';
export * from './taxonomy.ts';
export * from './tickets.ts';
export * from './validate-response.ts';
