import type { Context, MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { AskRequest, type Progress } from '../contract/ask.ts';
import { ChatCompletionRequest } from '../contract/chat-completions.ts';
import { describeIssues, ErrorInfo, readAs } from '../contract/error-info.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import type { Librarians } from '../delegation/librarian-directory.ts';
import { eventStream } from '../http/event-stream.ts';
import { citedText } from '../runtime/cited-text.ts';
import { readJson } from '../runtime/json-http.ts';
import { reportStatements, withStatements } from '../runtime/progress.ts';
import { recentTurns, type SpokenTurn } from '../runtime/recent-turns.ts';
import { randomHex } from '../signing/encoding.ts';
import { type Asking, CONCIERGE } from './ask.ts';
import { jsonBytes } from './forward.ts';
import { faultResponse, GatewayError } from './gateway-error.ts';
import type { GatewayEnv } from './request-log.ts';

/** The model that asks the concierge; every librarian is a model too. */
const CONSTELLATION = 'constellation';
/** Ending of a model's name: the text does not list its sources, for clients that show annotations. */
const ANNOTATED = ':annotated';
/** A conversation of some 200,000 characters. */
const MAX_CHAT_BYTES = 1_048_576;

/** `GET /v1/models` and `GET /v1/models/{id}` as OpenAI's API has them. */
export const createModels = ({ librarians }: { librarians: Librarians }) => {
  const models = (): object[] =>
    [CONSTELLATION, ...librarians.ids].map((id) => ({ id, object: 'model', created: 0, owned_by: CONSTELLATION }));
  return {
    list: (c: Context<GatewayEnv>) => c.json({ object: 'list', data: models() }),
    one: (c: Context<GatewayEnv>) => {
      const id = c.req.param('id') ?? '';
      const model = models()[[CONSTELLATION, ...librarians.ids].indexOf(id.replace(ANNOTATED, ''))];
      if (model === undefined) throw unknownModel([CONSTELLATION, ...librarians.ids]);
      return c.json({ ...model, id });
    },
  };
};

/** `POST /v1/chat/completions`: the same answer as of `/v1/ask` in OpenAI's form, with its citations as annotations. */
export const createChat = ({ librarians, asking }: { librarians: Librarians; asking: Asking }) => {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const read = readJson(await jsonBytes(c, MAX_CHAT_BYTES), ChatCompletionRequest);
    if (!read.ok) throw new GatewayError('INVALID_QUERY', { message: read.problem, details: { issues: read.issues } });
    const { model, stream, stream_options: options } = read.value;
    const id = model.endsWith(ANNOTATED) ? model.slice(0, -ANNOTATED.length) : model;
    if (id !== CONSTELLATION && !librarians.ids.includes(id)) throw unknownModel([CONSTELLATION, ...librarians.ids]);
    const ask = isTask(read.value)
      ? async () => NOT_A_QUESTION
      : asking(c, questionIn(read.value, id === CONSTELLATION ? CONCIERGE : id));
    const text = citedText({ listsSources: id === model });
    const head = { id: `chatcmpl-${randomHex(12)}`, created: Math.floor(Date.now() / 1000), model };
    if (stream !== true) {
      const response = await ask({ signal: c.req.raw.signal });
      if (response.answer === undefined) throw failureOf(response);
      reportStatements((event) => void text.add(event), response);
      text.end(response);
      const message = { role: 'assistant', content: text.content(), refusal: null, annotations: text.annotations() };
      return c.json({
        ...{ ...head, object: 'chat.completion' },
        choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
        usage: usageOf(response),
        constellation: response,
      });
    }
    return eventStream(async (send, gone) => {
      const signal = AbortSignal.any([c.req.raw.signal, gone]);
      const chunk = (delta: object, rest: object = {}, finish: string | null = null) =>
        send(
          undefined,
          JSON.stringify({
            ...{ ...head, object: 'chat.completion.chunk' },
            choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
            ...(options?.include_usage ? { usage: null } : {}),
            ...rest,
          }),
        );
      const say = (content: string): void => void (content === '' || chunk({ content }));
      try {
        chunk({ role: 'assistant', content: '', refusal: null });
        const progress: Progress = (event) => say(text.add(event));
        const response = await withStatements(progress, (reported) => ask({ signal, progress: reported }));
        if (response.answer === undefined) throw failureOf(response);
        say(text.end(response));
        const annotations = text.annotations();
        if (annotations.length > 0) chunk({ annotations });
        chunk({}, { constellation: response }, 'stop');
        if (options?.include_usage) {
          send(
            undefined,
            JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(response) }),
          );
        }
      } catch (error) {
        const failed = inOpenAIForm(await faultResponse(c, error).json());
        if (failed !== undefined) send(undefined, JSON.stringify(failed));
      }
      send(undefined, '[DONE]');
    });
  };
};

/**
 * Front ends let the same model write titles, tags and follow-up questions: Open WebUI with a last message that begins with `### Task:`. No
 * article answers that.
 */
const isTask = ({ messages }: ChatCompletionRequest): boolean => {
  const { content } = messages.findLast(({ role }) => role === 'user') ?? {};
  return typeof content === 'string' && /^\s*### Task:/.test(content);
};

const NOT_A_QUESTION: LibrarianResponse = {
  answer: 'This model answers questions from its knowledge base alone.',
  ...{ sources: [], confidence: 0, partial: true },
};

/** The last message of the user with what was said before it. */
const questionIn = ({ messages, ...about }: ChatCompletionRequest, librarian: string): AskRequest => {
  const turns = messages
    .map(({ role: speaker, content }) => ({
      speaker,
      text: (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n')).trim(),
    }))
    .filter(
      (turn): turn is SpokenTurn => (turn.speaker === 'user' || turn.speaker === 'assistant') && turn.text !== '',
    );
  const at = turns.findLastIndex(({ speaker }) => speaker === 'user');
  const history = recentTurns(turns.slice(0, Math.max(0, at)));
  const personId = about.metadata?.person_id ?? about.user;
  const request = readAs(AskRequest, {
    query: turns[at]?.text ?? '',
    librarian,
    metadata: { ...(history.length === 0 ? {} : { history }), ...(personId == null ? {} : { person_id: personId }) },
    facts: about.facts !== false && about.metadata?.facts !== 'false',
  });
  if (request.ok) return request.value;
  throw new GatewayError('INVALID_QUERY', {
    message: `Cannot answer: in the last message of the user, ${describeIssues(request.issues)}`,
    suggestion: 'End the messages with a question of the user of 1 to 4,000 characters',
  });
};

const unknownModel = (ids: readonly string[]): GatewayError =>
  new GatewayError('NOT_FOUND', {
    message: 'Cannot ask this model: there is none of that name',
    suggestion: `Use one of: ${ids.join(', ').slice(0, 900)}`,
  });

const failureOf = ({ error }: LibrarianResponse): GatewayError => {
  const { code = 'INTERNAL_ERROR', ...reported } = error ?? {};
  return new GatewayError(code, reported);
};

const Usage = z.object({
  tokens: z.int().min(0).optional(),
  librarian: z.object({ output_tokens: z.int().min(0) }).optional(),
});

/** Tokens of the models behind the answer; zero without one. Not all librarians tell input and output apart. */
const usageOf = ({ metadata }: LibrarianResponse) => {
  const read = readAs(Usage, metadata?.usage);
  const total = read.ok ? (read.value.tokens ?? 0) : 0;
  const output = Math.min(total, read.ok ? (read.value.librarian?.output_tokens ?? 0) : 0);
  return { prompt_tokens: total - output, completion_tokens: output, total_tokens: total };
};

/** Puts errors into OpenAI's form, with our own beside it as `info`. */
export const openAIErrors: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  await next();
  if (c.res.status < 400) return;
  const body = inOpenAIForm(
    await c.res
      .clone()
      .json()
      .catch(() => undefined),
  );
  if (body === undefined) return;
  const response = Response.json(body, c.res);
  response.headers.delete('Content-Length');
  // The official clients repeat a request after any failure of the server, except where this header forbids it.
  if (!body.error.info.recoverable) response.headers.set('x-should-retry', 'false');
  c.res = undefined;
  c.res = response;
};

const inOpenAIForm = (body: unknown) => {
  const read = readAs(z.object({ error: ErrorInfo }), body);
  if (!read.ok) return undefined;
  const info = read.value.error;
  const { type, code } = OPENAI_ERRORS[info.code] ?? { type: 'server_error', code: info.code.toLowerCase() };
  const message = info.suggestion === undefined ? info.message : `${info.message}. ${info.suggestion}.`;
  return { error: { message: message.replaceAll('..', '.'), type, param: null, code, info } };
};

const OPENAI_ERRORS: Partial<Record<ErrorInfo['code'], { type: string; code: string }>> = {
  INVALID_QUERY: { type: 'invalid_request_error', code: 'invalid_value' },
  UNAUTHORIZED: { type: 'invalid_request_error', code: 'invalid_api_key' },
  NOT_FOUND: { type: 'invalid_request_error', code: 'model_not_found' },
  RATE_LIMITED: { type: 'requests', code: 'rate_limit_exceeded' },
};
