import { groupByQuestion } from './group-by-question.ts';
import type { Voice } from './hear-branches.ts';
import { statementsOf } from './statements-of.ts';
import { whatItAdds } from './what-it-adds.ts';

/** One question with what was answered to it. Numbers are places in the list of voices. */
export interface Topic {
  question: string;
  members: readonly number[];
  /** What is said, the leading answer first, each further one with what it adds; empty when nobody answered. */
  said: { voice: number; text: string }[];
  /** Who says the same as was said before. */
  agreeing: number[];
  /** Who only says that there is no answer, while others have one. */
  declining: number[];
}

/**
 * Arranges voices by question. Answers to the same question are alternatives: the most confident leads, and what
 * another says is left out where it was said before. One that has no information stands back behind those that have.
 */
export const arrangeTopics = (voices: readonly Voice[]): Topic[] =>
  groupByQuestion(voices.map(({ question }) => ({ query: question }))).map(({ question, members }) => {
    const answered = members.flatMap((place) => voices[place] ?? []).filter(({ text }) => text !== '');
    const informed = answered.filter(({ isDeclined }) => !isDeclined);
    const speaking = informed.length > 0 ? informed : answered;
    const topic: Topic = { question, members, said: [], agreeing: [], declining: [] };
    const before: ReturnType<typeof statementsOf> = [];
    for (const voice of speaking.toSorted((one, other) => sureness(other) - sureness(one))) {
      const text = topic.said.length === 0 ? voice.text : whatItAdds(voice.text, before);
      before.push(...statementsOf(voice.text));
      if (text === '') topic.agreeing.push(voices.indexOf(voice));
      else topic.said.push({ voice: voices.indexOf(voice), text });
    }
    if (informed.length > 0)
      topic.declining = answered.filter(({ isDeclined }) => isDeclined).map((voice) => voices.indexOf(voice));
    return topic;
  });

const sureness = ({ response }: Voice): number => response.confidence ?? 0.6;
