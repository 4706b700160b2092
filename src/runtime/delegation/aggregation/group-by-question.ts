import type { Branch } from '../branch.ts';

/** Branches that were asked the same, and so are alternatives. */
export interface Topic {
  /** As the first of them was asked. */
  question: string;
  /** Places in the list of branches, in their order. */
  members: number[];
}

/** Groups branches by their question, in the order in which each question came first. */
export const groupByQuestion = (branches: readonly Pick<Branch, 'query'>[]): Topic[] => {
  const topics = new Map<string, Topic>();
  branches.forEach(({ query }, place) => {
    const key = normalised(query);
    const topic = topics.get(key);
    if (topic === undefined) topics.set(key, { question: query, members: [place] });
    else topic.members.push(place);
  });
  return [...topics.values()];
};

/** Case, white space, punctuation and the form of the characters make no difference. A question of punctuation alone stays as it is. */
const normalised = (question: string): string => {
  const words = question
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+|[^\s\p{P}]/gu);
  return words === null ? question : words.join(' ');
};
