import type { AICompletionOptions, AIMessage } from '../contract/core/librarian.ts';
import type { Refusal } from './service-refusal.ts';

/**
 * In which form a model takes requests, as far as its refusals have shown. Every member only ever goes one way, from what a service offers
 * most to what all of them take, so two forms can be put together.
 */
export interface RequestForm {
  /** Parameters that it refuses and that are only left out. */
  omitted: ReadonlySet<string>;
  /** Names of the limit of tokens that it refuses. */
  refusedLimits: ReadonlySet<string>;
  /** How it is held to a schema: by the service, by the service as far as JSON, or by the prompt alone. */
  format: Format;
  /** Its schemas may have types and names only, no bounds. */
  isSchemaPlain: boolean;
  /** The prompt shows the schema although the service was given it. */
  isSchemaShown: boolean;
  /** It has no system role: the instructions stand at the beginning of the first message. */
  isSystemMerged: boolean;
}

const FORMATS = ['json_schema', 'json_object', 'text'] as const;
type Format = (typeof FORMATS)[number];

/** Before the first refusal. */
export const FIRST_FORM: RequestForm = {
  omitted: new Set(),
  refusedLimits: new Set(),
  format: 'json_schema',
  isSchemaPlain: false,
  isSchemaShown: false,
  isSystemMerged: false,
};

/** A request to a chat model, before it has a form. */
export interface ChatRequest {
  model: string;
  messages: readonly AIMessage[];
  options: AICompletionOptions;
  /** `store` is sent where it is known: the service may keep what it is sent otherwise. */
  hasStore: boolean;
  /** The limit's newer name, which OpenAI's reasoning models require; others know the older one best. */
  limitName: LimitName;
  maxTokens: number | undefined;
  temperature: number | undefined;
  reasoningEffort: string | undefined;
  isStreamed: boolean;
}

type LimitName = 'max_tokens' | 'max_completion_tokens';

/** The body of a request in a form. */
export function bodyIn(form: RequestForm, request: ChatRequest): Record<string, unknown> {
  const { model, messages, options, maxTokens } = request;
  const { schema } = options;
  const limit = [request.limitName, ...LIMIT_NAMES].find((name) => !form.refusedLimits.has(name));
  const isShown = schema !== undefined && (form.format !== 'json_schema' || form.isSchemaShown);
  const shown = isShown ? withSchema(messages, schema) : messages;
  const optional: Record<string, unknown> = {
    store: request.hasStore ? false : undefined,
    temperature: request.temperature,
    reasoning_effort: request.reasoningEffort,
    response_format: schema && formatOf(schema, form),
    stream: request.isStreamed ? true : undefined,
    stream_options:
      request.isStreamed && !form.omitted.has('stream') ? { include_usage: true } : undefined,
  };
  if (limit !== undefined) optional[limit] = maxTokens;
  const sent = Object.entries(optional).filter(
    ([name, value]) => value !== undefined && !form.omitted.has(name),
  );
  return {
    model,
    // A service refuses half a surrogate pair, which a cut text may end in.
    messages: (form.isSystemMerged ? withoutSystem(shown) : shown).map(({ role, content }) => ({
      role,
      content: content.toWellFormed(),
    })),
    ...Object.fromEntries(sent),
  };
}

const LIMIT_NAMES: readonly LimitName[] = ['max_completion_tokens', 'max_tokens'];

type Schema = NonNullable<AICompletionOptions['schema']>;

const formatOf = (
  { name, schema }: Schema,
  { format, isSchemaPlain }: RequestForm,
): object | undefined => {
  if (format === 'text') return undefined;
  if (format === 'json_object') return { type: 'json_object' };
  const json_schema = { name, schema: isSchemaPlain ? plain(schema) : schema, strict: true };
  return { type: 'json_schema', json_schema };
};

/** Bounds, which some services refuse in a schema. The reply is validated in any case. */
const BOUNDS = new Set([
  ...[
    'minItems',
    'maxItems',
    'uniqueItems',
    'minLength',
    'maxLength',
    'pattern',
    'format',
    'minimum',
    'maximum',
  ],
  ...[
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minProperties',
    'maxProperties',
    'default',
  ],
]);

const plain = (schema: unknown, isNames = false): unknown => {
  if (Array.isArray(schema)) return schema.map((each) => plain(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      // A member of the object may be called like a bound.
      .filter(([name]) => isNames || !BOUNDS.has(name))
      .map(([name, value]) => [
        name,
        plain(value, !isNames && (name === 'properties' || name === '$defs')),
      ]),
  );
};

/** The schema stands in the instructions, where data of others never does. */
const withSchema = (messages: readonly AIMessage[], { name, schema }: Schema): AIMessage[] => {
  const text = `${SCHEMA_FOLLOWS}\n${JSON.stringify({ title: name, ...schema })}`;
  const [first, ...others] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...others];
};

const SCHEMA_FOLLOWS =
  'Reply with one JSON object and nothing else: no text before or after it, no Markdown. It has all members of this JSON Schema and no others:';

const withoutSystem = (messages: readonly AIMessage[]): AIMessage[] => {
  const instructions = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content);
  const [first, ...others] = messages.filter(({ role }) => role !== 'system');
  if (instructions.length === 0) return [...messages];
  const content = [...instructions, ...(first?.role === 'user' ? [first.content] : [])].join(
    '\n\n',
  );
  const rest = first === undefined || first.role === 'user' ? others : [first, ...others];
  return [{ role: 'user', content }, ...rest];
};

/**
 * The form after a refusal.
 *
 * @param body What was refused.
 * @returns `undefined` when another form would be refused as well: the key, the model or the length is the reason, or nothing is left to
 *   leave out.
 */
export function formAfter(
  refusal: Refusal,
  form: RequestForm,
  body: Readonly<Record<string, unknown>>,
): RequestForm | undefined {
  const { why, status, named, isSystem, isSchema } = refusal;
  if (why !== undefined && why !== 'parameters') return undefined;
  const isNamed = named.length > 0 || isSystem;
  if (!isNamed && status !== 400 && status !== 422) return undefined;
  // A service that fails may name what it failed at; only a format that it cannot serve is worth another attempt.
  if (status >= 500 && !named.includes('response_format')) return undefined;
  if (!isNamed) return nextBlindly(form, body);
  // Refused together: the format is worth more than the stream.
  if (named.includes('stream') && named.includes('response_format') && status < 500)
    return omitting(form, 'stream');
  let next = form;
  for (const name of named) {
    if (name === 'response_format') next = lowered(next, isSchema);
    else if (name === 'max_tokens' || name === 'max_completion_tokens')
      next = { ...next, refusedLimits: new Set([...next.refusedLimits, name]) };
    else next = omitting(next, name);
  }
  if (isSystem && !form.isSystemMerged && hasSystem(body)) next = { ...next, isSystemMerged: true };
  return next === form ? nextBlindly(form, body) : next;
}

/** Without its bounds first where the schema is refused; else the next format. */
const lowered = (form: RequestForm, isSchema: boolean): RequestForm => {
  if (form.format === 'text') return form;
  if (form.format === 'json_schema' && isSchema && !form.isSchemaPlain)
    return { ...form, isSchemaPlain: true };
  return { ...form, format: FORMATS[FORMATS.indexOf(form.format) + 1] ?? 'text' };
};

/** A refusal that names nothing: the format is the likeliest reason, then everything that can be left out, at once. */
const nextBlindly = (
  form: RequestForm,
  body: Readonly<Record<string, unknown>>,
): RequestForm | undefined => {
  if ('response_format' in body) return lowered(form, false);
  const optional = ['store', 'temperature', 'reasoning_effort', 'stream_options'].filter(
    (name) => name in body,
  );
  if (optional.length > 0) return optional.reduce(omitting, form);
  const limit = LIMIT_NAMES.find((name) => name in body);
  return limit === undefined
    ? undefined
    : { ...form, refusedLimits: new Set([...form.refusedLimits, limit]) };
};

const omitting = (form: RequestForm, name: string): RequestForm =>
  form.omitted.has(name) ? form : { ...form, omitted: new Set([...form.omitted, name]) };

const hasSystem = ({ messages }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(messages) && messages.some(({ role }) => role === 'system');

/** What two requests have learned at the same time. */
export function bothForms(one: RequestForm, other: RequestForm): RequestForm {
  return {
    omitted: new Set([...one.omitted, ...other.omitted]),
    refusedLimits: new Set([...one.refusedLimits, ...other.refusedLimits]),
    format: FORMATS[Math.max(FORMATS.indexOf(one.format), FORMATS.indexOf(other.format))] ?? 'text',
    isSchemaPlain: one.isSchemaPlain || other.isSchemaPlain,
    isSchemaShown: one.isSchemaShown || other.isSchemaShown,
    isSystemMerged: one.isSystemMerged || other.isSystemMerged,
  };
}

/** What a model refuses, for people, and what it gets in its place; empty when nothing was refused. */
export function describeForm(form: RequestForm): string[] {
  const formats: Record<Format, string[]> = {
    json_schema: form.isSchemaPlain ? ['bounds in schemas'] : [],
    json_object: ['schemas (JSON mode and the prompt instead)'],
    text: ['schemas and JSON mode (the prompt alone instead)'],
  };
  const limits = [...form.refusedLimits];
  const limit = LIMIT_NAMES.find((name) => !form.refusedLimits.has(name));
  return [
    ...formats[form.format],
    ...(form.isSchemaShown && form.format === 'json_schema'
      ? ['to keep to schemas (the prompt shows them)']
      : []),
    ...limits.map((name) =>
      limit === undefined || name === limit ? name : `${name} (${limit} instead)`,
    ),
    ...form.omitted,
    ...(form.isSystemMerged ? ['a system role'] : []),
  ];
}
