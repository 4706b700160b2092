import { parseAccept } from 'hono/utils/accept';

/**
 * How a request accepts a media type: by its name, by a wildcard (or because it has no `Accept`), or not at all. Names are compared without
 * case, parameters are ignored, and the most specific range counts (RFC 9110, section 12.5.1).
 *
 * @param header The value of `Accept`; null when there is none.
 * @param type In lower case: `application/json`.
 */
export function acceptanceOf(
  header: string | null,
  type: string,
): 'named' | 'wildcard' | 'refused' {
  const ranges = parseAccept((header ?? '').slice(0, MAX_LENGTH));
  if (ranges.length === 0) return 'wildcard';
  const [family] = type.split('/');
  for (const range of [type, `${family}/*`, '*/*']) {
    const known = ranges.find((each) => each.type.toLowerCase() === range);
    if (known === undefined) continue;
    return known.q === 0 ? 'refused' : range === type ? 'named' : 'wildcard';
  }
  return 'refused';
}

/** Longer than any client sends. */
const MAX_LENGTH = 2000;
