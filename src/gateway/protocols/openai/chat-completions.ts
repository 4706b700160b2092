import type { Context } from 'hono';
import type { Progress } from '../../../contract/core/ask.ts';
import type { LibrarianResponse } from '../../../contract/core/response.ts';
import { ChatCompletionRequest } from '../../../contract/wire/chat-completions.ts';
import type { Librarians } from '../../../librarians/delegation/librarian-directory.ts';
import { randomHex } from '../../../platform/encoding.ts';
import { eventStream } from '../../../platform/http/event-stream.ts';
import { reportStatements, withStatements } from '../../../platform/http/progress.ts';
import { faultResponse } from '../../access/gateway-error.ts';
import type { GatewayEnv } from '../../access/request-log.ts';
import { leanResponse } from '../../ask/lean-response.ts';
import { inOpenAIForm } from './openai-errors.ts';
import {
  ANNOTATED,
  CONSTELLATION,
  failureOf,
  type OpenAIParts,
  prepare,
  readOpenAI,
  unknownModel,
  usageOf,
} from './openai-question.ts';

/** `GET /v1/models` and `GET /v1/models/{id}` as OpenAI's API has them. */
export function createModels({ librarians }: { librarians: Librarians }) {
  const models = (): object[] =>
    [CONSTELLATION, ...librarians.ids].map((id) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: CONSTELLATION,
    }));
  return {
    list: (c: Context<GatewayEnv>) => c.json({ object: 'list', data: models() }),
    one: (c: Context<GatewayEnv>) => {
      const id = c.req.param('id') ?? '';
      const model = models()[[CONSTELLATION, ...librarians.ids].indexOf(id.replace(ANNOTATED, ''))];
      if (model === undefined) throw unknownModel([CONSTELLATION, ...librarians.ids]);
      return c.json({ ...model, id });
    },
  };
}

/** `POST /v1/chat/completions`: the same answer as of `/v1/ask` in OpenAI's form, with its citations as annotations. */
export function createChat(parts: OpenAIParts) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const sent = await readOpenAI(c, ChatCompletionRequest);
    const { model, stream, stream_options: options } = sent;
    const { ask, text } = prepare(c, parts, { ...sent, member: 'messages' });
    const head = { id: `chatcmpl-${randomHex(12)}`, created: Math.floor(Date.now() / 1000), model };
    if (stream !== true) {
      const response = await ask({ signal: c.req.raw.signal });
      if (response.answer === undefined) throw failureOf(response);
      reportStatements((event) => void text.add(event), response);
      text.end(response);
      const message = {
        role: 'assistant',
        content: text.content(),
        refusal: null,
        annotations: text.annotations(),
      };
      return c.json({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
        usage: chatUsage(response),
        constellation: leanResponse(response, { librarian: c.get('answeredBy') }),
      });
    }
    return eventStream(async (send, gone) => {
      const signal = AbortSignal.any([c.req.raw.signal, gone]);
      const chunk = (delta: object, rest: object = {}, finish: string | null = null) =>
        send(
          undefined,
          JSON.stringify({
            ...head,
            object: 'chat.completion.chunk',
            choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
            ...(options?.include_usage ? { usage: null } : {}),
            ...rest,
          }),
        );
      const say = (content: string): void => void (content === '' || chunk({ content }));
      try {
        chunk({ role: 'assistant', content: '', refusal: null });
        const progress: Progress = (event) => say(text.add(event));
        const response = await withStatements(progress, (reported) =>
          ask({ signal, progress: reported }),
        );
        if (response.answer === undefined) throw failureOf(response);
        say(text.end(response));
        const annotations = text.annotations();
        if (annotations.length > 0) chunk({ annotations });
        chunk(
          {},
          { constellation: leanResponse(response, { librarian: c.get('answeredBy') }) },
          'stop',
        );
        if (options?.include_usage) {
          send(
            undefined,
            JSON.stringify({
              ...head,
              object: 'chat.completion.chunk',
              choices: [],
              usage: chatUsage(response),
            }),
          );
        }
      } catch (error) {
        const failed = inOpenAIForm(await faultResponse(c, error).json());
        if (failed !== undefined) send(undefined, JSON.stringify(failed));
      }
      send(undefined, '[DONE]');
    });
  };
}

const chatUsage = (response: LibrarianResponse) => {
  const { input, output, total } = usageOf(response);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: total };
};
