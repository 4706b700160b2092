import * as z from 'zod';
import type { LocalReply } from '../server/local-server.ts';
import { strictSchemaProblem } from './check-strict-schema.ts';
import type { ChatModel, LocalModel } from './models.ts';
import { readRequest, unknownModel } from './read-request.ts';
import { refusal } from './refusal.ts';

const Content = z.union([
  z.string(),
  z.array(z.object({ type: z.literal('text'), text: z.string() })).min(1),
]);

const Message = z.object({
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']),
  content: Content.nullish(),
});

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z
        .string()
        .regex(/^[a-zA-Z0-9_-]{1,64}$/, "string does not match pattern '^[a-zA-Z0-9_-]+$'"),
      description: z.string().optional(),
      strict: z.boolean().nullish(),
      schema: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);

/** OpenAI's specification, CreateChatCompletionRequest: what a client of texts may send. */
export const ChatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(Message).min(1).max(2048),
  max_completion_tokens: z.int().min(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.literal(1).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(4)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.boolean().optional(),
    })
    .nullish(),
  response_format: ResponseFormat.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  service_tier: z.string().nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export type ReadChat =
  | { ok: true; request: ChatRequest; model: ChatModel }
  | { ok: false; refused: LocalReply };

/** Reads `POST /v1/chat/completions` and refuses what the service would. */
export function readChatRequest(body: string, models: ReadonlyMap<string, LocalModel>): ReadChat {
  const read = readRequest(ChatRequest, body);
  if (!read.ok) return read;
  const request = read.value;
  const model = models.get(request.model);
  if (model?.kind !== 'chat') return { ok: false, refused: unknownModel(request.model) };
  const refused =
    problemOfModel(request, model) ?? problemOfFormat(request) ?? problemOfLength(request, model);
  return refused === undefined ? { ok: true, request, model } : { ok: false, refused };
}

const problemOfModel = (
  request: ChatRequest,
  { isReasoning }: ChatModel,
): LocalReply | undefined => {
  const {
    max_tokens,
    max_completion_tokens,
    temperature,
    top_p,
    reasoning_effort,
    stream,
    stream_options,
  } = request;
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  if (isGiven(stream_options) && stream !== true) {
    const problem = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return refusal(400, problem, { param: 'stream_options' });
  }
  if (isGiven(max_tokens) && isGiven(max_completion_tokens)) {
    const problem =
      'Setting `max_tokens` and `max_completion_tokens` at the same time is not supported.';
    return refusal(400, problem, { param: 'max_tokens', code: 'invalid_parameter_combination' });
  }
  if (!isReasoning) {
    if (!isGiven(reasoning_effort)) return undefined;
    return refusal(400, 'Unrecognized request argument supplied: reasoning_effort');
  }
  if (isGiven(max_tokens)) {
    const problem =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return refusal(400, problem, { param: 'max_tokens', code: 'unsupported_parameter' });
  }
  for (const [param, value] of Object.entries({ temperature, top_p })) {
    if (!isGiven(value) || value === 1) continue;
    const problem = `Unsupported value: '${param}' does not support ${value} with this model. Only the default (1) value is supported.`;
    return refusal(400, problem, { param, code: 'unsupported_value' });
  }
  return undefined;
};

const problemOfFormat = ({
  response_format: format,
  messages,
}: ChatRequest): LocalReply | undefined => {
  if (
    format?.type === 'json_object' &&
    !messages.some(({ content }) => /json/i.test(textOf(content)))
  ) {
    const problem =
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    return refusal(400, problem, { param: 'messages' });
  }
  if (format?.type !== 'json_schema' || format.json_schema.strict !== true) return undefined;
  const { name, schema } = format.json_schema;
  const problem = strictSchemaProblem(schema);
  if (problem === undefined) return undefined;
  const code = 'invalid_json_schema';
  return refusal(400, `Invalid schema for response_format '${name}': ${problem}`, {
    param: 'response_format',
    code,
  });
};

const problemOfLength = (
  request: ChatRequest,
  { contextTokens }: ChatModel,
): LocalReply | undefined => {
  const tokens = promptTokensOf(request);
  if (tokens <= contextTokens) return undefined;
  const problem = `This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return refusal(400, problem, { param: 'messages', code: 'context_length_exceeded' });
};

/** Four characters a token, and four tokens around each message. */
export function promptTokensOf({ messages, response_format }: ChatRequest): number {
  const format = response_format?.type === 'json_schema' ? JSON.stringify(response_format) : '';
  return messages.reduce(
    (sum, { content }) => sum + tokensOfText(textOf(content)) + 4,
    tokensOfText(format),
  );
}

export function tokensOfText(text: string): number {
  return Math.ceil(text.length / 4);
}

export function textOf(content: z.infer<typeof Content> | null | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n');
}

/** The schema that a reply is to follow, and its name: of the response format, or else one that the prompt shows. */
export function schemaOf({
  messages,
  response_format: format,
}: ChatRequest): { name: string; schema: Record<string, unknown> } | undefined {
  if (format?.type === 'json_schema') {
    const { name, schema } = format.json_schema;
    return schema === undefined ? undefined : { name, schema };
  }
  const lines = messages
    .flatMap(({ content }) => textOf(content).split('\n'))
    .filter((line) => line.startsWith('{'));
  for (const line of lines) {
    const schema = parsed(line);
    if (schema?.type === 'object' && typeof schema.properties === 'object')
      return { name: String(schema.title), schema };
  }
  return undefined;
}

const parsed = (line: string): Record<string, unknown> | undefined => {
  try {
    // Begins as an object.
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
};
