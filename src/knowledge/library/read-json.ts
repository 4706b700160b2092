import type * as z from 'zod';
import { describeIssues } from '../../contract/issue.ts';
import { readAs } from '../../contract/read-as.ts';

/** The greatest article, with every character of its text written as an escape. */
export const MAX_ARTICLE_BYTES = 3_145_728;

/** Reads a JSON body by a schema; what is wrong with it comes back as a sentence for the caller. */
export const readJson = <Schema extends z.ZodType>(
  body: Uint8Array,
  schema: Schema,
  { whenEmpty }: { whenEmpty?: unknown } = {},
): { value: z.infer<Schema> } | { problem: string } => {
  const json = body.length === 0 && whenEmpty !== undefined ? whenEmpty : parse(body);
  if (json === undefined) return { problem: 'Cannot read the request: the body is not JSON' };
  const parsed = readAs(schema, json);
  if (parsed.ok) return { value: parsed.value };
  return { problem: `Cannot read the request: ${describeIssues(parsed.issues)}` };
};

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body));
  } catch {
    return undefined;
  }
};
