import type { LibrarianResponse } from '../../contract/response.ts';

/** Whether there is no answer. An answer with an error beside it is one that names a gap. */
export const isFailure = ({ answer, error }: LibrarianResponse): boolean => error !== undefined && answer === undefined;
