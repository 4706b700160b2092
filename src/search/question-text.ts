import type { SearchOptions } from './search-edition.ts';

/** A question is a few sentences; a pasted log has its meaning at the front, and costs. */
const MAX_CHARACTERS = 2000;

/** What is embedded of a question, with the turn of the user before it: "And on the other one?" means little by itself. */
export const questionText = (question: string, { history = [] }: Pick<SearchOptions, 'history'>): string => {
  const before = history.findLast(({ speaker }) => speaker === 'user')?.text.slice(0, MAX_CHARACTERS / 2);
  return (before === undefined ? question : `${before}\n${question}`).slice(0, MAX_CHARACTERS);
};
