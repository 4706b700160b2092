import words from './refusal-words.json' with { type: 'json' };

/**
 * What a service refuses in a request: its key, the account's quota, the name of the model, the address, the length of the input, its
 * content, or parameters of the request.
 */
export type RefusalReason =
  | 'key'
  | 'quota'
  | 'model'
  | 'address'
  | 'length'
  | 'content'
  | 'parameters';

/** A refusal as the service words it. Its words may quote the request: they are only searched, never passed on. */
export interface ServiceError {
  status: number;
  words: string;
  /** Standard members of OpenAI's errors, where they are texts. */
  param?: string | undefined;
  code?: string | undefined;
}

export interface Refusal {
  status: number;
  /** Undefined when the service does not say. */
  why: RefusalReason | undefined;
  /** The parameters of the request that are named, none of `model`, `messages` and `input`. */
  named: readonly string[];
  /** A role of the messages is refused. */
  isSystem: boolean;
  /** The schema of the response format is refused, not the format. */
  isSchema: boolean;
  /** The limit of tokens is too large for the model. */
  isLimitTooLarge: boolean;
  /** There are too many inputs, or too much in all of them. */
  isBatch: boolean;
  /** The whole numbers in the words. */
  numbers: readonly number[];
}

/** In UTF-16 units. */
const MAX_WORDS = 4000;
const MAX_DEPTH = 8;
/** Members that repeat what was sent or generated. */
const ECHOES = new Set([
  'input',
  'failed_generation',
  'prompt',
  'messages',
  'url',
  'ctx',
  'id',
  'request_id',
]);

/**
 * Reads the body of an error, also of one in a reply with status 200 or in a stream. It is JSON of many shapes (`error` as object, text or list; `detail`; `errors`; `message` with
 * JSON in it), a text or a page.
 */
export function readServiceError(status: number, body: string): ServiceError {
  const json = parse(body);
  if (json === undefined)
    return { status, words: /^\s*</.test(body) ? '' : body.slice(0, MAX_WORDS) };
  const found: string[] = [];
  collect(json, found, MAX_DEPTH);
  const error = errorIn(json);
  const text = found.join('\n').slice(0, MAX_WORDS);
  return {
    status: status !== 200 ? status : (statusIn(error) ?? (ADDRESS.test(text) ? 404 : 502)),
    words: text,
    param: textOf(error?.param),
    code: textOf(error?.code) ?? textOf(error?.type),
  };
}

/**
 * Whether a reply with status 200 is an error all the same: it has nothing that was asked for, and says why, in the form of OpenAI or in one
 * of the forms that services have of their own.
 */
export function isErrorReply(json: unknown): boolean {
  return (
    isRecord(json) &&
    !RESULTS.some(
      (name) => isRecord(json[name]) || (Array.isArray(json[name]) && json[name].length > 0),
    ) &&
    (json.object === 'error' ||
      json.success === false ||
      EXPLANATIONS.some((name) => saysSomething(json[name])))
  );
}

/** Members that hold what was asked for: of chats, embeddings, rerankers. */
const RESULTS = ['choices', 'data', 'results'];
/** Members that hold an error (OpenAI, FastAPI, MiniMax, Baidu). */
const EXPLANATIONS = ['error', 'errors', 'message', 'msg', 'detail', 'base_resp', 'error_msg'];

/** Whether a member holds an error: some services always have one, with empty members. */
export function saysSomething(value: unknown, depth = 3): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return depth > 0 && Object.values(value).some((each) => saysSomething(each, depth - 1));
}

/** Reads what a service refuses. @param sent Names of the parameters of the request. */
export function readRefusal(
  { status, words: text, param, code }: ServiceError,
  sent: readonly string[],
): Refusal {
  const all = `${code ?? ''}\n${text}`;
  const root = param?.split(/[.[]/)[0];
  const matched = sent.filter((name) => !BODIES.has(name) && patternOf(name).test(text));
  const named = root !== undefined && sent.includes(root) && !BODIES.has(root) ? [root] : matched;
  const isLimit = named.some((name) => LIMITS.has(name));
  const isLimitTooLarge =
    isLimit && LIMIT_TOO_LARGE.test(text) && !/\bunsupported|not supported\b/i.test(text);
  const isSystem = sent.includes('messages') && SYSTEM.test(text);
  return {
    status,
    why: reasonOf(status, all, { isNamed: named.length > 0 || isSystem, isLimitTooLarge }),
    named,
    isSystem,
    isSchema: named.includes('response_format') && SCHEMA.test(all),
    isLimitTooLarge,
    isBatch: BATCH.test(text),
    numbers: (text.match(/\b\d{1,7}\b/g) ?? []).map(Number),
  };
}

const reasonOf = (
  status: number,
  text: string,
  { isNamed, isLimitTooLarge }: { isNamed: boolean; isLimitTooLarge: boolean },
): RefusalReason | undefined => {
  if (status === 401) return 'key';
  if (status === 402) return 'quota';
  if (isLimitTooLarge) return 'parameters';
  const why = WHY.find(({ pattern }) => pattern.test(text))?.why;
  if (why !== undefined && !(why === 'length' && status === 429)) return why;
  if (status === 403) return 'key';
  if (status === 429) return undefined;
  if (isNamed) return 'parameters';
  if (status < 500 && MODEL.test(text)) return 'model';
  return [301, 302, 303, 307, 308, 404, 405].includes(status) || ADDRESS.test(text)
    ? 'address'
    : undefined;
};

const BODIES = new Set(['model', 'messages', 'input']);
const LIMITS = new Set(['max_tokens', 'max_completion_tokens']);

const pattern = (source: string): RegExp => new RegExp(source, 'i');
// The file names reasons of the type above.
const WHY = words.why.map((each) => ({
  why: each.why as RefusalReason,
  pattern: pattern(each.pattern),
}));
const MODEL = pattern(words.model);
const ADDRESS = pattern(words.address);
const LIMIT_TOO_LARGE = pattern(words.limitTooLarge);
const SCHEMA = pattern(words.schema);
const BATCH = pattern(words.batch);
const SYSTEM = pattern(words.system);
const PARAMETERS = new Map(
  Object.entries(words.parameters).map(([name, source]) => [name, pattern(source)]),
);

/** Names of parameters are ours: letters and underscores. */
const patternOf = (name: string): RegExp => PARAMETERS.get(name) ?? pattern(`\\b${name}\\b`);

const collect = (value: unknown, found: string[], depth: number): void => {
  if (typeof value === 'string') found.push(value);
  else if (depth > 0 && Array.isArray(value))
    for (const each of value.slice(0, 100)) collect(each, found, depth - 1);
  else if (depth > 0 && isRecord(value))
    for (const [name, each] of Object.entries(value).slice(0, 100))
      if (!ECHOES.has(name)) collect(each, found, depth - 1);
};

const errorIn = (json: unknown): Record<string, unknown> | undefined => {
  const first = Array.isArray(json) ? json[0] : json;
  if (!isRecord(first)) return undefined;
  return isRecord(first.error) ? first.error : first;
};

/** The status that an error itself states, as some services do in a reply with status 200 or in a stream. */
const statusIn = (error: Record<string, unknown> | undefined): number | undefined =>
  [error?.code, error?.status, error?.status_code, error?.statusCode]
    .map(Number)
    .find((status) => Number.isInteger(status) && status >= 400 && status <= 599);

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};
