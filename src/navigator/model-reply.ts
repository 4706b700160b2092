import * as z from 'zod';
import { readAs } from '../contract/read-as.ts';

/** What a model replies, once read: bounded, and every passage one that it was shown. */
const Reply = z.object({
  /** Evidence first: the words of the passages that the statements rest on. */
  citations: z.array(z.object({ passage: z.string().max(8), quote: z.string().max(4000) })).max(24),
  statements: z.array(z.object({ passages: z.array(z.string().max(8)).max(6), text: z.string().max(4000) })).max(16),
  verdict: z.enum(['answer', 'no_information']),
  confidence: z.enum(['high', 'medium', 'low']),
});
export type ModelReply = z.infer<typeof Reply>;

/**
 * The shape that a model is held to while it writes: types, enums and counts, evidence before conclusion, and nothing that
 * strict structured outputs refuse. What it cannot say: that a question is out of domain, why it is sure, what else might be
 * asked. The navigator says these itself, from the evidence.
 *
 * @param passages The ids that may be cited; no other can be written.
 */
export const replySchema = (passages: readonly string[]) => {
  const passage = { type: 'string', enum: [...passages] };
  return {
    name: 'navigator_answer',
    schema: object({
      citations: list(8, object({ passage, quote: { type: 'string' } })),
      statements: list(
        8,
        object({ passages: { type: 'array', items: passage, minItems: 1, maxItems: 3 }, text: { type: 'string' } }),
      ),
      verdict: { type: 'string', enum: ['answer', 'no_information'] },
      confidence: { type: 'string', enum: ['high', 'medium', 'low'] },
    }),
  };
};

const list = (maxItems: number, items: object) => ({ type: 'array', items, maxItems });

const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Longer than eight statements can be; JSON of a model that does not come to an end. */
const MAX_LENGTH = 40_000;

/** Reads what a model wrote. */
export const readReply = (text: string): ModelReply | 'empty' | 'malformed' => {
  if (text.trim() === '') return 'empty';
  if (text.length > MAX_LENGTH) return 'malformed';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'malformed';
  }
  const reply = readAs(Reply, value);
  if (!reply.ok) return 'malformed';
  const statements = reply.value.statements
    .map(({ text: said, passages }) => ({ passages: [...new Set(passages)], text: plainStatement(said) }))
    .filter(({ text: said }) => said !== '');
  return { ...reply.value, statements };
};

/** Without signs that nobody sees, and without the references that belong into `passages`. */
const plainStatement = (text: string): string =>
  text
    .replace(/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]/gu, '')
    .replace(/(?!\n|\t)\p{Cc}/gu, '')
    .replace(/\s{0,4}[[(]p\d{1,2}(?:[,;]? {0,2}p\d{1,2}){0,5}[\])]/g, '')
    .trim();
