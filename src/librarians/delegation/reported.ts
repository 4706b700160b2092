import * as z from 'zod';
import { type Statement, Statements } from '../../contract/core/ask.ts';
import { readAs } from '../../contract/core/error-info.ts';
import { isWithin } from '../../contract/core/json-object.ts';
import { type LibrarianResponse, METADATA_LIMITS } from '../../contract/core/response.ts';

/**
 * The response of an external librarian as it may be passed on: its answer, with addresses of sources and a confidence of its own, under its
 * name. It states no evidence of ours: its statements lose file, section, quote, offsets and support, and count as `reported`. Of its metadata only
 * what has no meaning here stays, under `metadata.reported.metadata`, where nothing of ours reads it.
 *
 * @param options.librarian Id of the librarian whose receipt was verified; never what the response says about itself.
 * @param options.warnings What was found wrong with the response here.
 */
export function asReported(
  response: LibrarianResponse,
  { librarian, warnings = [] }: { librarian: string; warnings?: readonly string[] },
): LibrarianResponse {
  const { sources, metadata = {}, error, ...rest } = response;
  const named = error === undefined ? {} : { error: { ...error, librarian } };
  if (response.answer === undefined) return { ...rest, ...named };
  const statements = statementsOf(metadata, librarian);
  const own = Object.entries(metadata).filter(
    ([name, value]) => !MEANT_HERE.has(name) && !isNavigatorReply(value),
  );
  const added = {
    reported_by: librarian,
    ...(statements === undefined ? {} : { statements }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(metadata.clarifying === true ? { clarifying: true } : {}),
    // An answer that lists the closest articles states that it lacks information; which they are is known here alone.
    ...(Array.isArray(metadata.closest) && (sources ?? []).length === 0 ? { closest: [] } : {}),
  };
  const whole = {
    ...added,
    ...(own.length === 0 ? {} : { reported: { metadata: Object.fromEntries(own) } }),
  };
  return {
    ...rest,
    ...(sources === undefined
      ? {}
      : { sources: sources.map((source) => ({ ...source, reported_by: librarian })) }),
    ...named,
    metadata: isWithin(whole, METADATA_LIMITS) ? whole : { ...added, omitted: ['reported'] },
  };
}

/** A librarian puts its full response under its own name; only that of a navigator has these members. */
export function isNavigatorReply(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['answer', 'confidenceReason', 'outOfDomain'].every((name) => name in value)
  );
}

/** Members of the metadata that callers, clients and the kept answers read as ours. */
const MEANT_HERE = new Set([
  ...[
    'analytics',
    'answer_id',
    'cached',
    'clarifying',
    'closest',
    'conversation',
    'delegationError',
    'edition',
  ],
  ...[
    'explain',
    'hybrid',
    'librarian',
    'navigator',
    'omitted',
    'parts',
    'quality',
    'removed',
    'reported',
    'reported_by',
    'reporters',
  ],
  ...['semantic', 'sources', 'statements', 'trace', 'violations', 'warnings', 'web_search'],
]);

const statementsOf = (
  metadata: Readonly<Record<string, unknown>>,
  librarian: string,
): Statement[] | undefined => {
  const read = readAs(z.object({ statements: Statements }), metadata);
  if (!read.ok) return undefined;
  return read.value.statements.map(({ text, sources }) => ({
    text,
    support: 0,
    check: 'reported' as const,
    reported_by: librarian,
    sources: sources.map(({ name, url }) => ({
      name,
      ...(url === undefined ? {} : { url }),
      reported_by: librarian,
    })),
  }));
};
