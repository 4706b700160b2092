import { isWithin } from '../../contract/json-object.ts';
import type { DelegationTrace } from '../../contract/response.ts';
import { type LibrarianResponse, METADATA_LIMITS } from '../../contract/response.ts';

/**
 * A response with the way of its question under `metadata.trace`; unchanged when nobody was asked. Where both are too
 * large for one response, the proofs go first, then the largest of the other metadata, then all of it: `omitted` names
 * what is missing, and the way of the question is always told.
 */
export const withTrace = (response: LibrarianResponse, trace: DelegationTrace): LibrarianResponse => {
  if (trace.hops.length === 0) return response;
  const traced = withMetadata(response, { trace });
  if (traced !== undefined) return traced;
  const bare = { ...trace, hops: trace.hops.map(({ receipt: _receipt, link: _link, ...hop }) => hop) };
  const { metadata = {}, ...rest } = response;
  const names = Object.keys(metadata);
  const largest = largestOf(metadata);
  const { [largest]: _largest, ...others } = metadata;
  return (
    withMetadata(response, { trace: bare }) ??
    withMetadata({ ...rest, metadata: others }, { trace, omitted: told([largest]) }) ??
    withMetadata({ ...rest, metadata: others }, { trace: bare, omitted: told([largest]) }) ??
    withMetadata(rest, { trace, omitted: told(names) }) ?? { ...rest, metadata: { trace: bare, omitted: told(names) } }
  );
};

/** A response with more metadata, in the place of what was there under these names; `undefined` where that is too much. */
export const withMetadata = (
  response: LibrarianResponse,
  added: Record<string, unknown>,
): LibrarianResponse | undefined => {
  const metadata = { ...response.metadata, ...added };
  return isWithin(metadata, METADATA_LIMITS) ? { ...response, metadata } : undefined;
};

const largestOf = (metadata: Record<string, unknown>): string => {
  const sizes = Object.entries(metadata).map(([name, value]) => ({ name, size: JSON.stringify(value)?.length ?? 0 }));
  return sizes.toSorted((one, other) => other.size - one.size)[0]?.name ?? '';
};

/** The names of what was left out, as far as they are names. */
const told = (names: readonly string[]): string[] => names.filter((name) => name.length <= 64).slice(0, 16);
