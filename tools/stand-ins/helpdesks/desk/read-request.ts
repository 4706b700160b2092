import type { RecordedRequest } from '../../server/request-log.ts';

/** The members of a JSON body; none when it is no object. */
export function membersOf({ body }: RecordedRequest): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(body));
  } catch {
    return {};
  }
}

/** An object within a body; empty when it is none. */
export function objectOf(value: unknown): Record<string, unknown> {
  // What is an object has members of some kind.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A whole number of the query within bounds; `otherwise` when there is none. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { otherwise, most }: { otherwise: number; most: number },
): number {
  const value = query.get(name) ?? '';
  return /^\d{1,9}$/.test(value) ? Math.min(Math.max(Number(value), 1), most) : otherwise;
}

/** A part of a path as it was meant. */
export function decoded(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return '';
  }
}
