import type { AnswerFilter } from '../../contract/answers.ts';

/** The view Answers with these filters. */
export const answersAddress = (filter: Partial<Record<keyof AnswerFilter, string | undefined>>): string => {
  const set = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/answers?${new URLSearchParams(set)}`;
};
