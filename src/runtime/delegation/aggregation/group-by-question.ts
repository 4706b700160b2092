/** Those that were asked the same, and so are alternatives. */
export interface QuestionGroup {
  /** As the first of them was asked. */
  question: string;
  /** Places in the list, in its order. */
  members: number[];
}

/** Groups by question, in the order in which each question came first. */
export const groupByQuestion = (asked: readonly { question: string }[]): QuestionGroup[] => {
  const topics = new Map<string, QuestionGroup>();
  asked.forEach(({ question }, place) => {
    const key = normalised(question);
    const topic = topics.get(key);
    if (topic === undefined) topics.set(key, { question, members: [place] });
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
