import type { Include } from '../../contract/core/ask.ts';
import type { LibrarianResponse } from '../../contract/core/response.ts';
import { AgentType } from '../../contract/wire/agent-response.ts';
import { isNavigatorReply } from '../../librarians/delegation/reported.ts';
import { editionIn } from '../history/keep-answers.ts';

type Metadata = NonNullable<LibrarianResponse['metadata']>;

/**
 * What `POST /v1/ask` replies: the answer with its sources, once. Statements with their evidence, the librarian's own reply and the trace follow
 * only when they are asked for; other members of the metadata are short and stay.
 *
 * @param librarian Id of the one that answered.
 */
export function leanResponse(
  response: LibrarianResponse,
  {
    include = [],
    librarian,
  }: { include?: readonly Include[] | undefined; librarian: string | undefined },
): LibrarianResponse {
  const { metadata = {}, ...rest } = response;
  const wanted = new Set(include);
  const edition = editionIn(metadata);
  const members = Object.entries(metadata).flatMap(([name, value]): [string, unknown][] => {
    const detail = detailOf(name, value);
    if (detail === undefined) return [[name, value]];
    if (detail === 'closest')
      return wanted.has('statements') ? [[name, value]] : [[name, links(value)]];
    return wanted.has(detail) ? [[name, value]] : [];
  });
  return {
    ...rest,
    metadata: {
      ...(librarian === undefined ? {} : { librarian }),
      ...(edition === null ? {} : { edition }),
      ...Object.fromEntries(members),
    } satisfies Metadata,
  };
}

/** Whole replies of librarians, and of those that answered a part each. */
const REPLIES = new Set<string>(['navigator', ...AgentType.options, 'parts', 'reported']);

const detailOf = (name: string, value: unknown): Include | 'closest' | undefined => {
  if (name === 'statements' || name === 'trace' || name === 'closest') return name;
  if (name === 'explain') return 'why';
  return REPLIES.has(name) || isNavigatorReply(value) ? 'navigator' : undefined;
};

/** An article without an address is found by its file. */
const links = (closest: unknown): unknown =>
  Array.isArray(closest)
    ? closest.map(({ title, url, file, ...rest }) =>
        title === undefined
          ? { url, file, ...rest }
          : url === undefined
            ? { title, file }
            : { title, url },
      )
    : closest;
