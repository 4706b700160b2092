import { PARTIAL_BELOW } from '../../../contract/navigator-response.ts';
import { groupByQuestion } from './group-by-question.ts';
import type { Voice } from './hear-branches.ts';
import { createSaid, isSaidIn } from './said.ts';
import { createStatements, type Reading, type Statement } from './statements-of.ts';
import { whatItAdds } from './what-it-adds.ts';

/** One question with what was answered to it. Numbers are places in the list of voices. */
export interface Topic {
  question: string;
  members: readonly number[];
  /** What is said, the leading answer first, each further one with what it adds; empty when nobody answered. */
  said: { voice: number; text: string }[];
  /** Who says nothing beyond what was said before. */
  repeating: number[];
  /** Who says all that the leading answer says, and perhaps more. */
  agreeing: number[];
  /** Who only says that there is no answer, while others have one. */
  declining: number[];
}

/**
 * Arranges voices by question. Answers to the same question are alternatives: the most confident leads, and what
 * another says is left out where it was said before. One that has no information stands back behind those that have.
 */
export const arrangeTopics = (voices: readonly Voice[]): Topic[] =>
  groupByQuestion(voices).map(({ question, members }) => {
    const answered = members.filter((place) => voices[place]?.text !== '');
    const declining = answered.filter((place) => voices[place]?.isDeclined === true);
    const informed = answered.filter((place) => !declining.includes(place));
    const speaking = informed.length > 0 ? informed : answered;
    const surestFirst = speaking.toSorted((one, other) => surenessOf(voices[other]) - surenessOf(voices[one]));
    return {
      question,
      members,
      declining: informed.length > 0 ? declining : [],
      ...arrange(surestFirst.flatMap((place) => answerOf(voices[place], place))),
    };
  });

interface Answer {
  voice: number;
  text: string;
  reading: Reading;
}

const answerOf = (voice: Voice | undefined, place: number): Answer[] =>
  voice === undefined ? [] : [{ voice: place, text: voice.text, reading: voice.reading }];

const arrange = (answers: readonly Answer[]): Pick<Topic, 'said' | 'repeating' | 'agreeing'> => {
  const [leading, ...others] = answers;
  if (leading === undefined) return { said: [], repeating: [], agreeing: [] };
  const arranged: Pick<Topic, 'said' | 'repeating' | 'agreeing'> = {
    said: [{ voice: leading.voice, text: leading.text }],
    repeating: [],
    agreeing: [],
  };
  if (others.length === 0) return arranged;
  const statementsOf = createStatements();
  const led = statementsOf(leading.reading);
  const before = createSaid();
  before.add(led.flat());
  for (const [order, { voice, reading }] of others.entries()) {
    const blocks = statementsOf(reading);
    const added = whatItAdds(blocks, before);
    if (added === '') arranged.repeating.push(voice);
    else arranged.said.push({ voice, text: added });
    const own = blocks.flat();
    if (added === '' || holdsAll(own, led)) arranged.agreeing.push(voice);
    if (order < others.length - 1) before.add(own);
  }
  return arranged;
};

/** Mostly the first is missing already, so that an index of what it has would cost more than it saves. */
const holdsAll = (own: readonly Statement[], led: readonly (readonly Statement[])[]): boolean =>
  led.every((block) => block.every((statement) => isSaidIn(own, statement)));

/** One that states no confidence stands where an answer begins to be sure. */
const surenessOf = (voice: Voice | undefined): number => voice?.response.confidence ?? PARTIAL_BELOW;
