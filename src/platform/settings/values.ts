import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import { parseJson } from '../../contract/core/json-object.ts';
import { addressProblem } from '../http/public-address.ts';
import { IS_NOT_ALLOWED, type Setting } from './settings.ts';

/** What every setting has; `otherwise` is the default itself unless it says more. */
interface About {
  what: string;
  otherwise?: string;
  doctor?: Setting['doctor'];
}

/** `usual` is the value where the variable is not set; a function where development has another. */
interface WithUsual<Usual> extends About {
  usual?: Usual | ((isLocal: boolean) => Usual) | undefined;
}

/**
 * A whole number.
 *
 * @example
 * wholeNumber({ from: 1, to: 720, usual: 24, what: 'Hours that a task is stored after its last change' })
 */
export function wholeNumber<Usual extends number | undefined = undefined>({
  from,
  to,
  ...about
}: WithUsual<Usual> & { from: number; to: number }): Setting<number | Usual> {
  const range = z.int(IS_NOT_ALLOWED).min(from, IS_NOT_ALLOWED).max(to, IS_NOT_ALLOWED);
  const schema = z.string().transform(Number).pipe(range);
  return build({
    ...about,
    schema,
    allowed: `a whole number from ${grouped(from)} to ${grouped(to)}`,
  });
}

/**
 * One of some words.
 *
 * @example
 * const settings = { KB_FRESHNESS: oneOf(['synced', 'live'], { usual: 'synced', what: 'when the host is asked' }) };
 */
export function oneOf<
  const Words extends readonly string[],
  Usual extends Words[number] | undefined = undefined,
>(words: Words, about: WithUsual<Usual>): Setting<Words[number] | Usual> {
  const allowed = words.map((word) => `\`${word}\``).join(', ');
  const schema: z.ZodType<Words[number]> = z.enum(words, IS_NOT_ALLOWED);
  return build({ ...about, schema, allowed: `one of ${allowed}` });
}

/** A text as it is. @param pattern All of it. @param max Its characters at most. @param allowed The pattern in words. */
export function text<Usual extends string | undefined = undefined>({
  pattern = /^/,
  max = MAX_TEXT,
  allowed = 'a text',
  ...about
}: WithUsual<Usual> & { pattern?: RegExp; max?: number; allowed?: string }): Setting<
  string | Usual
> {
  return build({
    ...about,
    schema: z.string().max(max, 'is too long').regex(pattern, IS_NOT_ALLOWED),
    allowed,
  });
}

/** A secret that is sent in a header. */
export function token(about: About): Setting<string | undefined> {
  const allowed = 'a token: visible ASCII characters';
  return { ...text({ ...about, pattern: /^[\x21-\x7e]{1,4096}$/, allowed }), secret: true };
}

/** Texts separated by commas; separators alone count as not set. @param item What each of them is. @param allowed All of them in words. */
export function list<Item extends string = string>({
  item,
  allowed = 'texts separated by commas',
  usual = [],
  ...about
}: WithUsual<readonly Item[]> & { item?: z.ZodType<Item, string>; allowed?: string }): Setting<
  readonly Item[]
> {
  const texts = z
    .string()
    .transform((value) => value.split(/[\s,]+/).filter((part) => part !== ''));
  // Without a schema of its own an item is any text.
  const schema = texts.pipe(z.array(item ?? (z.string() as unknown as z.ZodType<Item, string>)));
  const setting = build<readonly Item[], readonly Item[]>({
    otherwise: 'none',
    ...about,
    usual,
    schema,
    allowed,
  });
  const items = (isLocal: boolean) =>
    schema.transform((all) => (all.length === 0 ? setting.usual(isLocal) : all));
  return { ...setting, schema: items };
}

/** The address of a service that receives secrets, without a trailing slash. @param query What may follow a `?`. */
export function address({
  query,
  ...about
}: About & { query?: RegExp }): Setting<string | undefined> {
  const schema = (isLocal: boolean) =>
    z.string().transform((value, context) => {
      const result = addressProblem(value, { isLocal, query });
      if (result.problem === undefined) return result.address;
      context.addIssue({ code: 'custom', message: result.problem });
      return z.NEVER;
    });
  return { ...text({ ...about, allowed: 'an https address of a public host' }), schema };
}

/** A value as JSON. @param example Its form. */
export function json<Value>(
  schema: z.ZodType<Value>,
  about: WithUsual<NoInfer<Value>> & { example: string; usual: unknown },
): Setting<Value>;
export function json<Value>(
  schema: z.ZodType<Value>,
  about: About & { example: string },
): Setting<Value | undefined>;
export function json<Value>(
  schema: z.ZodType<Value>,
  { example, ...about }: WithUsual<Value> & { example: string },
): Setting<Value | undefined> {
  const parsed = z
    .string()
    .max(MAX_JSON, 'is too long')
    .transform((value, context) => {
      const content = parseJson(value);
      const result = readAs(schema, content);
      if (result.ok) return result.value;
      const message = content === undefined ? IS_NOT_ALLOWED : describeIssues(result.issues);
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
  return build({ ...about, schema: parsed, allowed: `JSON: \`${example}\`` });
}

/** A value of any other form. @param allowed The form in words. */
export function setting<Value>(
  schema: z.ZodType<Value>,
  about: WithUsual<NoInfer<Value>> & { allowed: string; usual: unknown },
): Setting<Value>;
export function setting<Value>(
  schema: z.ZodType<Value>,
  about: About & { allowed: string },
): Setting<Value | undefined>;
export function setting<Value>(
  schema: z.ZodType<Value>,
  about: WithUsual<Value> & { allowed: string },
): Setting<Value | undefined> {
  return build({ ...about, schema });
}

const MAX_TEXT = 20_000;
const MAX_JSON = 200_000;

const grouped = (number: number): string => number.toLocaleString('en-US');

const build = <Value, Usual>({
  schema,
  usual,
  otherwise = usual === undefined ? 'none' : `\`${usual}\``,
  ...about
}: WithUsual<Usual> & { schema: z.ZodType<Value>; allowed: string }): Setting<Value | Usual> => {
  // `Usual` is undefined when `usual` is left out, and no value is a function.
  const usualOf = (typeof usual === 'function' ? usual : () => usual) as (
    isLocal: boolean,
  ) => Usual;
  return { ...about, otherwise, schema: () => schema, usual: usualOf };
};
