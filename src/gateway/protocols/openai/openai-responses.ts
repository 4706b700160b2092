import type { Context } from 'hono';
import type { Progress } from '../../../contract/core/ask.ts';
import type { LibrarianResponse } from '../../../contract/core/response.ts';
import type { UrlCitation } from '../../../contract/wire/chat-completions.ts';
import {
  type ResponsesEvent,
  type ResponsesReply,
  ResponsesRequest,
} from '../../../contract/wire/openai-responses.ts';
import { randomHex } from '../../../platform/encoding.ts';
import { eventStream } from '../../../platform/http/event-stream.ts';
import { reportStatements, withStatements } from '../../../platform/http/progress.ts';
import { faultResponse } from '../../access/gateway-error.ts';
import type { GatewayEnv } from '../../access/request-log.ts';
import { leanResponse } from '../../ask/lean-response.ts';
import { inOpenAIForm } from './openai-errors.ts';
import { failureOf, type OpenAIParts, prepare, readOpenAI, usageOf } from './openai-question.ts';

/** `POST /v1/responses`: the same answer as of `/v1/ask` as a response of OpenAI's API, with its citations as annotations. */
export function createResponses(parts: OpenAIParts) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const sent = await readOpenAI(c, ResponsesRequest);
    const messages =
      typeof sent.input === 'string' ? [{ role: 'user', content: sent.input }] : sent.input;
    const { ask, text } = prepare(c, parts, { ...sent, messages, member: 'input' });
    const head = headOf(sent);
    const message = { id: `msg_${randomHex(12)}`, type: 'message', role: 'assistant' } as const;
    const part = () => ({
      type: 'output_text' as const,
      text: text.content(),
      annotations: annotationsOf(text.annotations()),
      logprobs: [],
    });
    const item = () => ({ ...message, status: 'completed' as const, content: [part()] });
    const completed = (response: LibrarianResponse): ResponsesReply => ({
      ...head,
      status: 'completed',
      output: [item()],
      usage: responsesUsage(response),
      constellation: leanResponse(response, { librarian: c.get('answeredBy') }),
    });
    if (sent.stream !== true) {
      const response = await ask({ signal: c.req.raw.signal });
      if (response.answer === undefined) throw failureOf(response);
      reportStatements((event) => void text.add(event), response);
      text.end(response);
      return c.json(completed(response));
    }
    return eventStream(async (send, gone) => {
      const signal = AbortSignal.any([c.req.raw.signal, gone]);
      let sequence = 0;
      const emit = (type: ResponsesEvent['type'], members: object): void => {
        send(type, JSON.stringify({ type, sequence_number: sequence, ...members }));
        sequence += 1;
      };
      const place = { item_id: message.id, output_index: 0, content_index: 0 };
      const say = (delta: string): void => {
        if (delta !== '') emit('response.output_text.delta', { ...place, delta, logprobs: [] });
      };
      emit('response.created', { response: head });
      emit('response.in_progress', { response: head });
      try {
        emit('response.output_item.added', {
          output_index: 0,
          item: { ...message, status: 'in_progress', content: [] },
        });
        emit('response.content_part.added', { ...place, part: part() });
        const progress: Progress = (event) => say(text.add(event));
        const response = await withStatements(progress, (reported) =>
          ask({ signal, progress: reported }),
        );
        if (response.answer === undefined) throw failureOf(response);
        say(text.end(response));
        for (const [annotation_index, annotation] of part().annotations.entries()) {
          emit('response.output_text.annotation.added', { ...place, annotation_index, annotation });
        }
        emit('response.output_text.done', { ...place, text: text.content(), logprobs: [] });
        emit('response.content_part.done', { ...place, part: part() });
        emit('response.output_item.done', { output_index: 0, item: item() });
        emit('response.completed', { response: completed(response) });
      } catch (error) {
        const { code = 'server_error', message: said = '' } =
          inOpenAIForm(await faultResponse(c, error).json())?.error ?? {};
        emit('response.failed', {
          response: { ...head, status: 'failed', error: { code, message: said } },
        });
      }
    });
  };
}

/** A response that has just begun. What clients read back of their request is repeated, and what has no effect has its default. */
const headOf = ({ model, instructions = null, metadata }: ResponsesRequest): ResponsesReply => ({
  id: `resp_${randomHex(12)}`,
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'in_progress',
  background: false,
  error: null,
  incomplete_details: null,
  instructions,
  max_output_tokens: null,
  max_tool_calls: null,
  model,
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: null,
  user: null,
  metadata: metadata ?? {},
});

/** Here they are flat. */
const annotationsOf = (annotations: readonly UrlCitation[]) =>
  annotations.map(({ type, url_citation: { url, title, start_index, end_index } }) => ({
    type,
    start_index,
    end_index,
    url,
    title,
  }));

const responsesUsage = (response: LibrarianResponse) => {
  const { input, output, total } = usageOf(response);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 as const },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 as const },
    total_tokens: total,
  };
};
