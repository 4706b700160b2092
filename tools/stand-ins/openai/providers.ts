import type { ChatRequest } from './chat-request.ts';

/**
 * A service that speaks OpenAI's protocol in its own way: what it refuses and how, and how it words replies. Each row is taken from the
 * documentation or a report that `sources` name.
 */
export interface Provider {
  name: string;
  sources: readonly string[];
  /** The path of its endpoints, with the version. */
  path: string;
  /** The header of the key; a bearer token when absent. */
  keyHeader?: 'api-key';
  /** `api-version` has to stand in the query. */
  hasApiVersion?: boolean;
  chat?: ChatQuirks;
  embeddings?: EmbeddingQuirks;
  /** Words of a refused model and of a path that is none. */
  unknownModel(model: string): Refused;
  unknownPath(path: string): Refused;
}

export interface Refused {
  status: number;
  body: unknown;
}

type Format = NonNullable<ChatRequest['response_format']>['type'];

export interface ChatQuirks {
  model: string;
  /** Parameters beside model and messages; all others are refused, or without `refuses` ignored. */
  takes: readonly string[];
  refuses?(names: readonly string[]): Refused;
  formats: readonly Format[];
  refusesFormat?(type: Format): Refused;
  /** A schema has to do without bounds such as `maxItems`. */
  refusesBounds?(keyword: string): Refused;
  /** It has no system role. */
  refusesSystem?(): Refused;
  /** `response_format` has no effect: the model replies as the prompt says. */
  isFormatIgnored?: boolean;
  /** How the model writes an object that is not enforced. */
  writes?(json: string): string;
  /** Why it ended, where OpenAI says `stop`. */
  finish?: string | null;
  /** The message around a text; `{ role, content }` when absent. */
  message?(text: string): Record<string, unknown>;
  /** The delta of a piece of the text; `{ content }` when absent. */
  delta?(text: string): Record<string, unknown>;
  /** Written as it is before the first chunk, and between chunks. */
  before?: string;
  between?: string;
  /** Members of every chunk and reply. */
  extra?: Record<string, unknown>;
  isWithoutDone?: boolean;
}

export interface EmbeddingQuirks {
  model: string;
  dimensions: number;
  takes: readonly ('dimensions' | 'encoding_format')[];
  refuses?(names: readonly string[]): Refused;
  /** Other formats than these are refused; unknown ones are answered with numbers. */
  formats: readonly ('float' | 'base64')[];
  refusesFormat?(format: string): Refused;
  maxInputs: number;
  refusesInputs(count: number): Refused;
  maxCharacters?: number;
  refusesLength?(characters: number): Refused;
  /** `missing-first`: without the index 0, as a serializer omits it; `reversed`: in another order. */
  order?: 'missing-first' | 'reversed';
}

const openAIError = (status: number, message: string, more: object = {}): Refused => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
});

const listed = (names: readonly string[], word: (name: string) => string): string =>
  names.map(word).join('\n');
const fenced = (json: string): string => `\`\`\`json\n${json}\n\`\`\``;
const notFound = (status: number, body: unknown) => (): Refused => ({ status, body });

const COMMON = [
  'max_tokens',
  'temperature',
  'top_p',
  'stream',
  'response_format',
  'stop',
  'n',
  'seed',
];
const NEWER = [...COMMON, 'max_completion_tokens', 'stream_options', 'reasoning_effort', 'user'];

/** FastAPI and Pydantic word it alike wherever they are used. */
const extraForbidden = (names: readonly string[]): object[] =>
  names.map((name) => ({
    type: 'extra_forbidden',
    loc: ['body', name],
    msg: 'Extra inputs are not permitted',
    input: false,
  }));

export const PROVIDERS: readonly Provider[] = [
  {
    name: 'Azure OpenAI, dated API',
    sources: [
      'https://raw.githubusercontent.com/openai/openai-node/HEAD/azure.md',
      'https://github.com/OpenHands/OpenHands/issues/6777 (max_completion_tokens)',
      'https://docs.axflow.dev/documentation/models/azure-openai-chat.html (a first chunk without choices)',
    ],
    path: '/openai/deployments',
    keyHeader: 'api-key',
    hasApiVersion: true,
    chat: {
      model: 'support-gpt-4o',
      takes: [...COMMON, 'stream_options'],
      refuses: (names) =>
        openAIError(400, `Unrecognized request argument supplied: ${names.join(', ')}`),
      formats: ['text', 'json_object', 'json_schema'],
      before: `data: ${JSON.stringify({ choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] })}\n\n`,
      delta: (content) => ({ content }),
    },
    embeddings: {
      model: 'text-embedding-3-small',
      dimensions: 1536,
      takes: ['dimensions', 'encoding_format'],
      formats: ['float', 'base64'],
      maxInputs: 2048,
      refusesInputs: () => openAIError(400, 'Too many inputs. The max number of inputs is 2048.'),
    },
    unknownModel: () => ({
      status: 404,
      body: {
        error: {
          code: 'DeploymentNotFound',
          message: 'The API deployment for this resource does not exist.',
        },
      },
    }),
    unknownPath: notFound(404, { error: { code: '404', message: 'Resource not found' } }),
  },
  {
    name: 'Gemini',
    sources: [
      'https://ai.google.dev/api/compatibility',
      'https://github.com/Routstr/routstr-core/issues/505 (unknown names)',
      'https://github.com/StarTrail-org/LEANN/pull/214 (100 inputs)',
    ],
    path: '/v1beta/openai',
    chat: {
      model: 'gemini-2.5-flash',
      takes: NEWER,
      refuses: (names) =>
        googleError(
          listed(
            names,
            (name) => `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`,
          ),
        ),
      formats: ['text', 'json_object', 'json_schema'],
    },
    embeddings: {
      model: 'gemini-embedding-001',
      dimensions: 3072,
      takes: ['dimensions', 'encoding_format'],
      formats: ['float', 'base64'],
      maxInputs: 100,
      refusesInputs: () =>
        googleError(
          '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n',
        ),
      order: 'missing-first',
    },
    unknownModel: (model) => ({
      status: 404,
      body: [
        {
          error: {
            code: 404,
            message: `models/${model} is not found for API version v1main`,
            status: 'NOT_FOUND',
          },
        },
      ],
    }),
    unknownPath: notFound(404, '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>'),
  },
  {
    name: 'Mistral',
    sources: [
      'https://docs.mistral.ai/api',
      'https://github.com/editor-code-assistant/eca/issues/231 (max_completion_tokens)',
      'https://github.com/Gitlawb/openclaude/issues/739 (store)',
      'https://docs.rs/crate/rig-core/0.42.0/source/src/providers/mistral/embedding.rs (256 inputs)',
    ],
    path: '/v1',
    chat: {
      model: 'magistral-small-latest',
      takes: [
        'max_tokens',
        'temperature',
        'top_p',
        'stream',
        'response_format',
        'stop',
        'n',
        'random_seed',
      ],
      refuses: (names) => ({
        status: 422,
        body: {
          object: 'error',
          message: { detail: extraForbidden(names) },
          type: 'invalid_request_error',
          code: null,
        },
      }),
      formats: ['text', 'json_object', 'json_schema'],
      message: (text) => ({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'I need {"statements": []}.' }] },
          { type: 'text', text },
        ],
      }),
      delta: (text) => ({ content: [{ type: 'text', text }] }),
    },
    embeddings: {
      model: 'mistral-embed',
      dimensions: 1024,
      takes: ['encoding_format'],
      refuses: (names) => ({ status: 422, body: { detail: extraForbidden(names) } }),
      formats: ['float', 'base64'],
      maxInputs: 256,
      refusesInputs: () => ({
        status: 400,
        body: {
          object: 'error',
          message: 'Too many inputs in request, split into more batches.',
          type: 'invalid_request_error',
          code: '3210',
        },
      }),
    },
    unknownModel: (model) => ({
      status: 400,
      body: {
        object: 'error',
        message: `Invalid model: ${model}`,
        type: 'invalid_model',
        code: '1500',
      },
    }),
    unknownPath: notFound(404, { message: 'no Route matched with those values' }),
  },
  {
    name: 'DeepSeek',
    sources: [
      'https://api-docs.deepseek.com/api/create-chat-completion',
      'https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916 (json_schema)',
      'https://api-docs.deepseek.com/guides/json_mode (the word json)',
    ],
    path: '/v1',
    chat: {
      model: 'deepseek-chat',
      takes: [...COMMON, 'stream_options'],
      formats: ['text', 'json_object'],
      refusesFormat: () =>
        openAIError(400, 'This response_format type is unavailable now', {
          code: 'invalid_request_error',
        }),
      message: (content) => ({
        role: 'assistant',
        content,
        reasoning_content: 'The passages say so: {"a": 1}.',
      }),
      before: `: keep-alive\n\ndata: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: null, reasoning_content: 'Let me see {' } }] })}\n\n`,
      between: ': keep-alive\n\n',
    },
    unknownModel: () => openAIError(400, 'Model Not Exist'),
    unknownPath: notFound(404, ''),
  },
  {
    name: 'Groq, a model without schemas',
    sources: [
      'https://console.groq.com/docs/structured-outputs',
      'https://v0.app/chat/groq-api-integration-jJZDjObZqiy (does not support response format)',
    ],
    path: '/openai/v1',
    chat: {
      model: 'llama-3.1-8b-instant',
      takes: NEWER,
      refuses: (names) =>
        openAIError(
          400,
          listed(names, (name) => `property '${name}' is unsupported`),
        ),
      formats: ['text', 'json_object'],
      refusesFormat: (type) =>
        openAIError(
          400,
          `This model does not support response format \`${type}\`. See supported models at https://console.groq.com/docs/structured-outputs#supported-models`,
        ),
      extra: { x_groq: { id: 'req_01' } },
    },
    unknownModel: (model) =>
      openAIError(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
        code: 'model_not_found',
      }),
    unknownPath: (path) =>
      openAIError(404, `Unknown request URL: POST ${path}. Please check the URL for typos`, {
        code: 'unknown_url',
      }),
  },
  {
    name: 'Groq, strict schemas',
    sources: ['https://github.com/i-am-bee/beeai-framework/issues/1215 (bounds in schemas)'],
    path: '/openai/v1',
    chat: {
      model: 'openai/gpt-oss-20b',
      takes: NEWER,
      formats: ['text', 'json_object', 'json_schema'],
      refusesBounds: (keyword) =>
        openAIError(
          400,
          `invalid JSON schema for response_format: response_format/json_schema: ${keyword} is not supported`,
        ),
    },
    unknownModel: (model) =>
      openAIError(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
        code: 'model_not_found',
      }),
    unknownPath: notFound(404, ''),
  },
  {
    name: 'Ollama',
    sources: [
      'https://docs.ollama.com/api/openai-compatibility',
      'https://github.com/ollama/ollama/issues/10496 (reasoning within the text)',
      'https://github.com/callstackincubator/fabrice-ai/pull/118 (response_format without effect)',
    ],
    path: '/v1',
    chat: {
      model: 'qwen3:8b',
      takes: [...COMMON, 'stream_options', 'reasoning_effort'],
      formats: ['text', 'json_object', 'json_schema'],
      isFormatIgnored: true,
      writes: (json) =>
        `<think>\nThe answer is {"statements": []} or not.\n</think>\n\n${fenced(json)}`,
    },
    embeddings: {
      model: 'nomic-embed-text',
      dimensions: 768,
      takes: ['dimensions', 'encoding_format'],
      formats: ['float'],
      maxInputs: Number.POSITIVE_INFINITY,
      refusesInputs: () => openAIError(400, 'invalid input'),
      maxCharacters: 8000,
      refusesLength: () =>
        openAIError(400, 'the input length exceeds the context length', { type: 'api_error' }),
    },
    unknownModel: (model) =>
      openAIError(404, `model "${model}" not found, try pulling it first`, { type: 'api_error' }),
    unknownPath: notFound(404, '404 page not found'),
  },
  {
    name: 'vLLM',
    sources: [
      'https://docs.vllm.ai/en/v0.15.0/serving/openai_compatible_server/',
      'https://github.com/vllm-project/vllm/issues/19222 (a reply that is all reasoning)',
      'https://github.com/1Panel-dev/MaxKB/issues/2912 (older versions forbid max_completion_tokens)',
    ],
    path: '/v1',
    chat: {
      model: 'Qwen/Qwen3-32B',
      takes: [...COMMON, 'stream_options'],
      refuses: (names) => ({
        status: 400,
        body: {
          object: 'error',
          message: `[${names.map((name) => `{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted', 'input': 800}`).join(', ')}]`,
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
      }),
      formats: ['text', 'json_object', 'json_schema'],
      message: (text) => ({
        role: 'assistant',
        content: null,
        reasoning_content: text,
        tool_calls: [],
      }),
      delta: (text) => ({ reasoning_content: text }),
    },
    embeddings: {
      model: 'BAAI/bge-m3',
      dimensions: 1024,
      takes: ['encoding_format'],
      refuses: () => ({
        status: 400,
        body: {
          object: 'error',
          message:
            'Model "BAAI/bge-m3" does not support matryoshka representation, changing output dimensions will lead to poor results.',
          type: 'BadRequestError',
          code: 400,
        },
      }),
      formats: ['float', 'base64'],
      maxInputs: 1024,
      refusesInputs: (count) => ({
        status: 400,
        body: { message: `batch of ${count} is too large`, code: 400 },
      }),
    },
    unknownModel: (model) => ({
      status: 404,
      body: {
        object: 'error',
        message: `The model \`${model}\` does not exist.`,
        type: 'NotFoundError',
        param: null,
        code: 404,
      },
    }),
    unknownPath: notFound(404, { detail: 'Not Found' }),
  },
  {
    name: 'OpenRouter',
    sources: [
      'https://openrouter.ai/docs/api_reference/streaming (comments)',
      'https://openrouter.ai/docs/api/reference/errors-and-debugging',
      'https://openrouter.ai/docs/structured-outputs (for compatible models; others are asked without)',
    ],
    path: '/api/v1',
    chat: {
      model: 'meta-llama/llama-3.1-8b-instruct',
      takes: [...NEWER, 'store'],
      formats: ['text', 'json_object', 'json_schema'],
      isFormatIgnored: true,
      writes: (json) =>
        `Here is the JSON object:\n\n${fenced(json)}\n\nLet me know if you need anything else!`,
      finish: 'stop',
      before: ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n',
      extra: { provider: 'DeepInfra' },
    },
    unknownModel: (model) => ({
      status: 400,
      body: { error: { message: `${model} is not a valid model ID`, code: 400 } },
    }),
    unknownPath: notFound(404, '<!DOCTYPE html><html></html>'),
  },
  {
    name: 'Together',
    sources: [
      'https://github.com/vibrantlabsai/ragas/issues/1548 (finish_reason eos)',
      'https://github.com/openai/openai-dotnet/pull/267 (the same)',
    ],
    path: '/v1',
    chat: {
      model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      takes: [...COMMON, 'stream_options'],
      formats: ['text', 'json_object', 'json_schema'],
      finish: 'eos',
    },
    embeddings: {
      model: 'intfloat/multilingual-e5-large-instruct',
      dimensions: 1024,
      takes: [],
      formats: ['float'],
      maxInputs: 512,
      refusesInputs: () => openAIError(400, 'Input validation error: too many inputs'),
      maxCharacters: 2000,
      refusesLength: (characters) =>
        openAIError(422, `Input is too long: ${characters} tokens, max 514 tokens`),
      order: 'reversed',
    },
    unknownModel: (model) =>
      openAIError(
        404,
        `Unable to access model ${model}. Please visit https://api.together.ai/models`,
        {
          code: 'model_not_available',
        },
      ),
    unknownPath: notFound(404, { message: 'Not found' }),
  },
  {
    name: 'TEI',
    sources: [
      'https://github.com/huggingface/text-embeddings-inference/issues/723 (max_client_batch_size 32)',
      'https://github.com/apecloud/ApeRAG/issues/716 (the words of the refusal)',
    ],
    path: '/v1',
    embeddings: {
      model: 'BAAI/bge-large-en-v1.5',
      dimensions: 1024,
      takes: ['encoding_format'],
      formats: ['float', 'base64'],
      maxInputs: 32,
      refusesInputs: (count) => ({
        status: 413,
        body: {
          message: `batch size ${count} > maximum allowed batch size 32`,
          type: 'Validation',
          code: 413,
        },
      }),
      maxCharacters: 2000,
      refusesLength: (characters) => ({
        status: 413,
        body: {
          message: `Input validation error: \`inputs\` must have less than 512 tokens. Given: ${Math.ceil(characters / 4)}`,
          type: 'Validation',
          code: 413,
        },
      }),
    },
    unknownModel: () => ({ status: 422, body: { message: 'model', type: 'Validation' } }),
    unknownPath: notFound(404, ''),
  },
  {
    name: 'LM Studio',
    sources: [
      'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618 (an unknown path with status 200)',
      'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/189 (json_object)',
    ],
    path: '/v1',
    chat: {
      model: 'qwen2.5-7b-instruct',
      takes: [...COMMON, 'stream_options'],
      formats: ['text', 'json_schema'],
      refusesFormat: () => ({
        status: 400,
        body: { error: "'response_format.type' must be 'json_schema' or 'text'" },
      }),
    },
    embeddings: {
      model: 'text-embedding-nomic-embed-text-v1.5',
      dimensions: 768,
      takes: [],
      formats: ['float'],
      maxInputs: Number.POSITIVE_INFINITY,
      refusesInputs: () => ({ status: 400, body: { error: 'too many' } }),
    },
    unknownModel: (model) => ({
      status: 404,
      body: { error: { message: `Model "${model}" not found`, code: 'model_not_found' } },
    }),
    unknownPath: (path) => ({
      status: 200,
      body: { error: `Unexpected endpoint or method. (POST ${path})` },
    }),
  },
  {
    name: 'DashScope',
    sources: [
      'https://www.alibabacloud.com/help/en/model-studio/json-mode (JSON mode alone)',
      'https://github.com/memodb-io/memobase/issues/142 (10 inputs)',
      'https://github.com/plastic-labs/honcho/issues/663 (the word json)',
    ],
    path: '/compatible-mode/v1',
    chat: {
      model: 'qwen-plus',
      takes: NEWER,
      formats: ['text', 'json_object'],
      refusesFormat: (type) =>
        openAIError(
          400,
          `<400> InternalError.Algo.InvalidParameter: 'response_format.type' specified in the request is not supported: ${type}`,
          { code: 'invalid_parameter_error' },
        ),
    },
    embeddings: {
      model: 'text-embedding-v4',
      dimensions: 1024,
      takes: ['dimensions', 'encoding_format'],
      formats: ['float'],
      refusesFormat: () =>
        openAIError(400, 'Value error, only float is supported for encoding_format'),
      maxInputs: 10,
      refusesInputs: () =>
        openAIError(
          400,
          '<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents',
          { code: 'InvalidParameter' },
        ),
    },
    unknownModel: (model) =>
      openAIError(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
        code: 'model_not_found',
      }),
    unknownPath: notFound(404, ''),
  },
  {
    name: 'Workers AI',
    sources: [
      'https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility',
      'https://developers.cloudflare.com/workers-ai/json-mode (the reply as an object)',
      'https://developers.llamaindex.ai/python/examples/embeddings/cloudflare_workersai (100 inputs)',
    ],
    path: '/client/v4/accounts/0/ai/v1',
    chat: {
      model: '@cf/meta/llama-3.1-8b-instruct',
      takes: [...COMMON, 'stream_options'],
      formats: ['text', 'json_object', 'json_schema'],
      message: (text) => ({
        role: 'assistant',
        content: text.startsWith('{') ? JSON.parse(text) : text,
      }),
      finish: null,
    },
    embeddings: {
      model: '@cf/baai/bge-base-en-v1.5',
      dimensions: 768,
      takes: [],
      formats: ['float'],
      maxInputs: 100,
      refusesInputs: () => ({
        status: 400,
        body: {
          success: false,
          result: null,
          errors: [
            {
              code: 5006,
              message: "AiError: Bad input: Error: oneOf at '/' not met: '/text' maxItems 100",
            },
          ],
        },
      }),
    },
    unknownModel: (model) => ({
      status: 400,
      body: {
        success: false,
        result: null,
        errors: [{ code: 5007, message: `No such model ${model} or task` }],
      },
    }),
    unknownPath: notFound(404, {
      success: false,
      errors: [{ code: 7003, message: 'Could not route to the path' }],
    }),
  },
  {
    name: 'Anthropic',
    sources: ['https://platform.claude.com/docs/en/api/openai-sdk (response_format is ignored)'],
    path: '/v1',
    chat: {
      model: 'claude-haiku-4-5',
      takes: [
        'max_tokens',
        'max_completion_tokens',
        'temperature',
        'top_p',
        'stream',
        'stream_options',
        'stop',
        'n',
      ],
      formats: ['text', 'json_object', 'json_schema'],
      isFormatIgnored: true,
      writes: fenced,
      finish: 'end_turn',
      before: 'event: ping\ndata: {"type": "ping"}\n\n',
      isWithoutDone: true,
    },
    unknownModel: (model) => ({
      status: 404,
      body: {
        error: {
          code: 'not_found_error',
          message: `model: ${model} not found`,
          type: 'invalid_request_error',
          param: null,
        },
      },
    }),
    unknownPath: notFound(404, {
      type: 'error',
      error: { type: 'not_found_error', message: 'Not Found' },
    }),
  },
  {
    name: 'a server of a model without a system role',
    sources: [
      'https://github.com/huggingface/chat-ui/issues/1386 (Gemma 2)',
      'https://github.com/vllm-project/vllm/issues/6862 (Mistral 7B)',
      'https://github.com/huggingface/text-generation-inference/pull/2344 (finish_reason eos_token)',
    ],
    path: '/v1',
    chat: {
      model: 'google/gemma-2-9b-it',
      takes: ['max_tokens', 'temperature', 'stream'],
      refuses: (names) => ({
        status: 422,
        body: { error: `Unknown parameters: ${names.join(', ')}`, error_type: 'validation' },
      }),
      formats: ['text'],
      refusesSystem: () => ({
        status: 400,
        body: {
          object: 'error',
          message: 'System role not supported',
          type: 'BadRequestError',
          code: 400,
        },
      }),
      writes: (json) => json.replace(/}$/, ',\n}'),
      finish: 'eos_token',
    },
    unknownModel: (model) => ({ status: 404, body: { error: `model ${model} not found` } }),
    unknownPath: notFound(404, ''),
  },
  {
    name: 'a gateway that says nothing',
    sources: ['https://github.com/liliMozi/openhanako/issues/394 (400 status code, no body)'],
    path: '/v1',
    chat: {
      model: 'house-model',
      takes: ['stream', 'max_tokens'],
      refuses: () => ({ status: 400, body: '' }),
      formats: ['text'],
      finish: '',
      between: 'data: {"choices": [], "usage": null}\n\n',
    },
    embeddings: {
      model: 'house-embedding',
      dimensions: 384,
      takes: [],
      refuses: () => ({ status: 400, body: '' }),
      formats: ['float'],
      maxInputs: 8,
      refusesInputs: () => ({ status: 422, body: '' }),
    },
    unknownModel: () => ({ status: 404, body: { message: 'unknown model' } }),
    unknownPath: notFound(404, ''),
  },
];

const googleError = (message: string): Refused => ({
  status: 400,
  body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }],
});
