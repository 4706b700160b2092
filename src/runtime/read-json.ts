import type * as z from 'zod';
import { describeIssues, type Issue, readAs } from '../contract/error-info.ts';

export type ReadJson<T> = { ok: true; value: T } | { ok: false; problem: string; issues: Issue[] };

/** Parses a UTF-8 JSON body with a schema; returns a sentence for the caller when it is invalid. Never throws. */
export const readJson = <Schema extends z.ZodType>(
  body: Uint8Array,
  schema: Schema,
  { whenEmpty }: { whenEmpty?: unknown } = {},
): ReadJson<z.output<Schema>> => {
  const json = body.length === 0 && whenEmpty !== undefined ? whenEmpty : parse(body);
  if (json === undefined)
    return { ok: false, problem: 'Cannot read the request: the body is not JSON in UTF-8', issues: [] };
  const read = readAs(schema, json);
  if (read.ok) return read;
  return { ok: false, problem: `Cannot read the request: ${describeIssues(read.issues)}`, issues: read.issues };
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
};
