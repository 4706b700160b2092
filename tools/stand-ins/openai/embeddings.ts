import * as z from 'zod';
import type { LocalReply } from '../server/local-server.ts';
import type { LocalModel } from './models.ts';
import { readRequest, unknownModel } from './read-request.ts';
import { refusal } from './refusal.ts';
import { textVector } from './text-vector.ts';

const MAX_INPUTS = 2048;
const MAX_INPUT_TOKENS = 8192;
const MAX_REQUEST_TOKENS = 300_000;

const Token = z.int().min(0).max(100_300);
const Text = z.string().min(1);

/** OpenAI's specification, CreateEmbeddingRequest. */
const EmbeddingRequest = z.strictObject({
  model: z.string(),
  input: z.union([
    Text,
    z.array(Text).min(1).max(MAX_INPUTS),
    z.array(Token).min(1).max(MAX_INPUTS),
    z.array(z.array(Token).min(1)).min(1).max(MAX_INPUTS),
  ]),
  dimensions: z.int().min(1).optional(),
  encoding_format: z.enum(['float', 'base64']).optional(),
  user: z.string().optional(),
});

/** Answers `POST /v1/embeddings`, within the limits of the service. */
export async function replyToEmbeddings(
  body: string,
  models: ReadonlyMap<string, LocalModel>,
): Promise<LocalReply> {
  const read = readRequest(EmbeddingRequest, body);
  if (!read.ok) return read.refused;
  const { model: name, input, dimensions, encoding_format = 'float' } = read.value;
  const model = models.get(name);
  if (model?.kind !== 'embedding') return unknownModel(name);
  if (dimensions !== undefined && !model.canShorten) {
    return refusal(400, 'This model does not support specifying dimensions.', {
      param: 'dimensions',
    });
  }
  if (dimensions !== undefined && dimensions > model.dimensions) {
    const problem = `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${model.dimensions}.`;
    return refusal(400, problem, { param: 'dimensions' });
  }
  const inputs = inputsOf(input);
  const tokens = await tokensOf(inputs);
  const longest = Math.max(...tokens);
  if (longest > MAX_INPUT_TOKENS) {
    return refusal(
      400,
      `This model's maximum context length is ${MAX_INPUT_TOKENS} tokens, however you requested ${longest} tokens (${longest} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
    );
  }
  const total = tokens.reduce((sum, count) => sum + count, 0);
  if (total > MAX_REQUEST_TOKENS) {
    return refusal(400, `Requested ${total} tokens, max ${MAX_REQUEST_TOKENS} tokens per request`, {
      type: 'max_tokens_per_request',
      code: 'max_tokens_per_request',
    });
  }
  const size = dimensions ?? model.dimensions;
  const data = inputs.map((entry, index) => {
    const vector = textVector(typeof entry === 'string' ? entry : entry.join(' '), size);
    return {
      object: 'embedding',
      index,
      embedding: encoding_format === 'base64' ? base64Of(vector) : [...vector],
    };
  });
  const usage = { prompt_tokens: total, total_tokens: total };
  return { status: 200, body: { object: 'list', data, model: name, usage } };
}

type Input = string | number[];

const inputsOf = (input: z.output<typeof EmbeddingRequest>['input']): Input[] => {
  if (typeof input === 'string') return [input];
  // An array holds entries of one kind: the schema has no other.
  return typeof input[0] === 'number' ? [input as number[]] : (input as Input[]);
};

/**
 * Tokens of each input. Exact where it decides, as a token is at least one byte: only texts near a limit are worth the
 * vocabulary. Others are taken for one token every four bytes.
 */
const tokensOf = async (inputs: readonly Input[]): Promise<number[]> => {
  const bytes = inputs.map((input) =>
    typeof input === 'string' ? Buffer.byteLength(input) : input.length,
  );
  const isLarge = bytes.reduce((sum, count) => sum + count, 0) > MAX_REQUEST_TOKENS;
  const isNear = (length: number) => isLarge || length > MAX_INPUT_TOKENS;
  if (!bytes.some(isNear)) return inputs.map((input, at) => estimate(input, bytes[at] ?? 0));
  const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
  return inputs.map((input, at) => {
    const length = bytes[at] ?? 0;
    if (typeof input !== 'string' || !isNear(length)) return estimate(input, length);
    // No token of the vocabulary is longer: it is too long in any case, and not worth the time.
    if (length > MAX_INPUT_TOKENS * LONGEST_TOKEN_BYTES)
      return Math.ceil(length / LONGEST_TOKEN_BYTES);
    return countTokens(input, { disallowedSpecial: new Set() });
  });
};

const LONGEST_TOKEN_BYTES = 128;

const estimate = (input: Input, bytes: number): number =>
  typeof input === 'string' ? Math.ceil(bytes / 4) : bytes;

const base64Of = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
