import { ErrorBody, HTTP_STATUS } from '../../contract/core/error-info.ts';
import type { ArticlePut } from '../../contract/wire/host-article.ts';
import type { OriginContext } from '../../platform/context/request-context.ts';
import type { SignedClient } from '../../platform/context/signed-client.ts';
import { EditionUnavailable } from './edition-reader.ts';
import { type Edition, openEdition } from './open-edition.ts';

/** Largest edition that is built for an article that is not written yet. */
const MAX_DRAFT_BYTES = 12 * 1024 * 1024;

/** An edition with an article as it would be written, or why it cannot be written. */
type Draft = { edition: Edition } | { refusal: string };

/** Opens the edition that an article would make, in the name of who would write it. */
export type DraftReader = (
  who: { workspace: string; audiences: readonly string[] },
  draft: { id: string; article: ArticlePut },
) => Promise<Draft>;

/**
 * Only what the library refuses as INVALID_QUERY cannot be written. Throws `EditionUnavailable` for any other failure.
 *
 * @param contextOf The navigator's own context for what some audiences may read.
 */
export function createDraftReader(
  client: SignedClient,
  contextOf: (workspace: string, audiences: readonly string[]) => OriginContext,
): DraftReader {
  return async ({ workspace, audiences }, body) => {
    const call = { to: 'library', path: '/editions/drafts', body, maxAnswerBytes: MAX_DRAFT_BYTES };
    const answer = await client.call(contextOf(workspace, audiences), call);
    if (!answer.ok) throw new EditionUnavailable(`Cannot build the edition: ${answer.error.code}`);
    if (answer.status === 200) return { edition: openEdition(answer.body) };
    if (answer.status !== HTTP_STATUS.INVALID_QUERY)
      throw new EditionUnavailable(
        `Cannot build the edition: the library answered ${answer.status}`,
      );
    return { refusal: ErrorBody.parse(answer.json()).error.message };
  };
}
