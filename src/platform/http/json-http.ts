import type * as z from 'zod';
import { describeIssues, type ErrorInfo, type Issue } from '../../contract/core/error-info.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import { type Bytes, utf8 } from '../encoding.ts';
import { suggestForm } from './suggest-form.ts';

type ReadJson<T> =
  | { ok: true; value: T }
  | {
      ok: false;
      problem: string;
      issues: Issue[];
      /** What to send instead, for the member that is wrong. */
      suggestion?: string | undefined;
    };

/** Parses a UTF-8 JSON body with a schema; returns a sentence for the caller when it is invalid. Never throws. */
export function readJson<Schema extends z.ZodType>(
  body: Uint8Array,
  schema: Schema,
  { whenEmpty }: { whenEmpty?: unknown } = {},
): ReadJson<z.output<Schema>> {
  const json = body.length === 0 && whenEmpty !== undefined ? whenEmpty : parse(body);
  if (json === undefined)
    return {
      ok: false,
      problem: 'Cannot read the request: the body is not JSON in UTF-8',
      issues: [],
      suggestion: JSON_ALONE,
    };
  const read = readRequest(schema, json);
  if (read.ok) return read;
  return {
    ok: false,
    problem: `Cannot read the request: ${describeIssues(read.issues)}`,
    issues: read.issues,
    suggestion: suggestForm(schema, read.issues),
  };
}

const JSON_ALONE = 'Send one JSON value, without a comment or a comma at its end';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
};

/**
 * A JSON response with a declared length, so that a caller reads it in one piece. Its bytes are cached, so that a guard signs them
 * without reading them back. Together this saves about 100 µs per call in workerd.
 */
export function jsonAnswer(
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  const text = JSON.stringify(value);
  const bytes = utf8(text);
  const answer = new Response(bytes, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(bytes.length),
      ...headers,
    },
  });
  known.set(answer, { value, text, bytes });
  return answer;
}

/** The bytes of a response created by `jsonAnswer`; `undefined` for a copy of it. */
export function knownBody(answer: Response): Bytes | undefined {
  return known.get(answer)?.bytes;
}

/** The value of a response created by `jsonAnswer`, and its text, without reading it; `undefined` for a copy of it. */
export function knownJson(answer: Response): { value: unknown; text: string } | undefined {
  return known.get(answer);
}

const known = new WeakMap<Response, { value: unknown; text: string; bytes: Bytes }>();

/** `Retry-After` from the error's details or the default of its code; empty for all other codes. */
export function errorHeaders({ code, details }: ErrorInfo): Record<string, string> {
  const usual = USUAL_SECONDS[code];
  if (usual === undefined) return {};
  const requested = details?.retry_after_seconds;
  return {
    'Retry-After': String(
      typeof requested === 'number' && requested >= 0 && requested <= MAX_SECONDS
        ? Math.ceil(requested)
        : usual,
    ),
  };
}

const USUAL_SECONDS: Partial<Record<ErrorInfo['code'], number>> = {
  RATE_LIMITED: 60,
  SERVICE_UNAVAILABLE: 5,
  AI_UNAVAILABLE: 5,
};
const MAX_SECONDS = 86_400;
