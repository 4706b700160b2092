import type { LibrarianInfo } from '../../contract/librarian.ts';
import { buildEdition } from '../../knowledge/edition/build-edition.ts';
import { oncePer } from '../../knowledge/edition/once-per.ts';
import { openEdition } from '../../knowledge/edition/open-edition.ts';
import { searchEdition } from '../../knowledge/search/search-edition.ts';
import { entryOf } from './routing-index.ts';

/** How near an example has to be, as `quality` of a search; read on the development questions and those of the sample. */
const NEAR = 0.1;
/** One word alone, such as `time`, is in the examples of anybody. */
const WORDS = 2;

/** Whether a question is like one that a librarian gives as an example of what it answers. */
export const claimsQuestion = (librarian: LibrarianInfo, question: string): boolean => {
  const { quality, hits } = searchEdition(editionOf(librarian), question, { limit: 1 });
  return quality >= NEAR && (hits[0]?.matched.length ?? 0) >= WORDS;
};

const editionOf = oncePer((librarian: LibrarianInfo) =>
  openEdition(
    buildEdition([entryOf(librarian, librarian.examples ?? [])], {
      id: 'examples',
      workspace: 'routing',
      createdAt: '',
    }),
  ),
);
