import type { LibrarianInfo } from '../../contract/librarian.ts';

/**
 * Whether a librarian says of itself that it puts together what several others know: such a one is for questions that need
 * several kinds of sources at once, and for no others.
 */
export const combinesOthers = ({ description = '' }: LibrarianInfo): boolean => COMBINES.test(description);

const COMBINES =
  /\b(?:combin|join|unit|merg|synthesi[sz]|bring|put|ask)\w*\b[^.]{0,60}\b(?:librarians|agents|several|others|sources|kinds)\b/i;
