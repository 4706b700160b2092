import type { Context } from 'hono';
import * as z from 'zod';
import { AnswersQuery, KeptAnswer } from '../contract/answers.ts';
import { describeIssues, ErrorBody, readAs } from '../contract/error-info.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { covers } from '../signing/capabilities.ts';
import { demand, workspaceOf } from './authenticate.ts';
import { type Forwarding, forward, jsonBytes } from './forward.ts';
import { GatewayError } from './gateway-error.ts';
import type { GatewayEnv } from './request-log.ts';

const MEMORY = 'memory';
const READ = 'answers:read';

/** How long an answer that was just given may take until it is found. */
const KEEPING_MS = 300;

/** Forwards a request for one kept answer; one that is not found is looked for again, as it may just have been given. */
export const forwardOnceKept = async (
  c: Context<GatewayEnv>,
  client: SignedClient,
  call: Omit<Forwarding, 'to'>,
): Promise<Response> => {
  const response = await forward(c, client, { ...call, to: MEMORY });
  if (response.status !== 404) return response;
  await new Promise((resolve) => setTimeout(resolve, KEEPING_MS));
  c.set('outcome', undefined);
  return forward(c, client, { ...call, to: MEMORY });
};

/** `GET /v1/answers/{id}`. */
export const createAnswerReader = ({ client }: { client: SignedClient }) => {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, READ);
    const namedWorkspace = c.req.query('workspace_id');
    const workspace = workspaceOf(key, namedWorkspace);
    const path = new URL(c.req.url).pathname;
    const call = { path, workspace, namedWorkspace, capabilities: [READ], signal: c.req.raw.signal };
    return forwardOnceKept(c, client, call);
  };
};

/** `POST /v1/answers/{id}/feedback`: any key may judge the answers that were given to it, one that reads answers all of them. */
export const createFeedback = ({ client }: { client: SignedClient }) => {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    const namedWorkspace = c.req.query('workspace_id');
    const workspace = workspaceOf(key, namedWorkspace);
    const body = await jsonBytes(c);
    const capabilities = ['answers:feedback:write', ...(covers(key.capabilities, READ) ? [READ] : [])];
    const path = new URL(c.req.url).pathname;
    const call = { path, workspace, namedWorkspace, capabilities, body, signal: c.req.raw.signal };
    return forwardOnceKept(c, client, call);
  };
};

/** `GET /v1/answers`: a page as JSON, or all answers that fit, in full, one a line, as they are read. */
export const createAnswerList = ({ client }: { client: SignedClient }) => {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, READ);
    const url = new URL(c.req.url);
    const namedWorkspace = url.searchParams.get('workspace_id') ?? undefined;
    const workspace = workspaceOf(key, namedWorkspace);
    url.searchParams.delete('workspace_id');
    const isExport =
      url.searchParams.get('format') === 'jsonl' || /\bapplication\/x-ndjson\b/.test(c.req.header('Accept') ?? '');
    url.searchParams.delete('format');
    const call = { to: MEMORY, workspace, namedWorkspace, capabilities: [READ], signal: c.req.raw.signal };
    if (!isExport) return forward(c, client, { ...call, path: `/v1/answers${url.search}` });
    const query = readAs(AnswersQuery, Object.fromEntries(url.searchParams));
    if (!query.ok) {
      throw new GatewayError('INVALID_QUERY', { message: `Cannot export answers: ${describeIssues(query.issues)}` });
    }
    const page = async (cursor: string | undefined): Promise<Response> => {
      if (cursor !== undefined) url.searchParams.set('cursor', cursor);
      return forward(c, client, { ...call, path: `/v1/answers-in-full${url.search}` });
    };
    const first = await page(undefined);
    return first.ok
      ? new Response(linesOf(first, page), { headers: { 'Content-Type': 'application/x-ndjson' } })
      : first;
  };
};

const FullPage = z.object({ answers: z.array(KeptAnswer), next_cursor: z.string().nullable() });

/** One page is read at a time, when the reader wants more. A page that fails ends the export with its error as the last line. */
const linesOf = (first: Response, next: (cursor: string) => Promise<Response>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  let page: Response | undefined = first;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (page === undefined) return controller.close();
      const json: unknown = await page.json();
      if (!page.ok) {
        controller.enqueue(encoder.encode(`${JSON.stringify(ErrorBody.parse(json))}\n`));
        return controller.close();
      }
      const { answers, next_cursor: cursor } = FullPage.parse(json);
      page = cursor === null ? undefined : await next(cursor);
      const lines = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('');
      if (lines !== '') controller.enqueue(encoder.encode(lines));
      if (page === undefined) controller.close();
    },
  });
};
