import * as z from 'zod';
import { readAs } from '../../contract/read-as.ts';

/** What a model makes of a draft, once read: bounded. */
const Reply = z.object({
  paragraphs: z
    .array(
      z.object({
        from: z.array(z.string().max(8)).max(12),
        kind: z.enum(['text', 'step']),
        text: z.string().max(4000),
      }),
    )
    .max(40),
});
export type DraftReply = z.infer<typeof Reply>;

/**
 * The shape that a model is held to while it writes.
 *
 * @param ids Of the parts; no other can be named.
 */
export const draftReplySchema = (ids: readonly string[]) => ({
  name: 'support_draft',
  schema: object({
    paragraphs: {
      type: 'array',
      items: object({
        from: { type: 'array', items: { type: 'string', enum: [...ids] } },
        kind: { type: 'string', enum: ['text', 'step'] },
        text: { type: 'string' },
      }),
    },
  }),
});

const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const MAX_LENGTH = 60_000;

/** Reads what a model wrote; undefined where it has another form. */
export const readDraftReply = (text: string): DraftReply | undefined => {
  if (text.trim() === '' || text.length > MAX_LENGTH) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const reply = readAs(Reply, value);
  if (!reply.ok) return undefined;
  return { paragraphs: reply.value.paragraphs.map((each) => ({ ...each, text: visible(each.text) })) };
};

/** Without signs that nobody sees, and on one line: a paragraph is a paragraph. */
const visible = (text: string): string =>
  text
    .replace(/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
