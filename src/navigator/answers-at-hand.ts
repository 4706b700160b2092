import { oncePer } from '../runtime/once-per.ts';
import type { Edition } from '../search/open-edition.ts';
import { type AnswerOptions, answerFromEdition } from './answer-from-edition.ts';
import type { NavigatorAnswer } from './navigator-answer.ts';

/** Answers kept of one edition; some 2 kB each. */
const MAX_ANSWERS = 256;
/** What was asked in so many UTF-16 units is hardly asked again. */
const MAX_KEY_LENGTH = 1000;

/**
 * `answerFromEdition`, remembered: on a support desk most questions have been asked before, and an edition never changes,
 * so the same question with the same options has the same answer until a new edition takes its place.
 *
 * @returns Shared by all who ask the same, hence frozen through and through.
 */
export const answerAtHand = (edition: Edition, question: string, options: AnswerOptions = {}): NavigatorAnswer => {
  const memory = memoryOf(edition, question, options);
  return memory.known ?? memory.keep(answerFromEdition(edition, question, options));
};

/** What is remembered of one question. */
interface AnswerMemory {
  known: NavigatorAnswer | undefined;
  /** Freezes and remembers an answer. */
  keep(answer: NavigatorAnswer): NavigatorAnswer;
}

/** @param by Who finds passages: another search may have found others. */
export const memoryOf = (
  edition: Edition,
  question: string,
  { filter = {}, history = [], devices = [] }: AnswerOptions,
  by = '',
): AnswerMemory => {
  const key = JSON.stringify([question, filter, history, devices, by]);
  const answers = answersOf(edition);
  const known = answers.get(key);
  if (known !== undefined) {
    answers.delete(key);
    answers.set(key, known);
  }
  return {
    known,
    keep: (answer) => {
      freeze(answer);
      if (key.length > MAX_KEY_LENGTH) return answer;
      if (answers.size >= MAX_ANSWERS) {
        const [oldest] = answers.keys();
        if (oldest !== undefined) answers.delete(oldest);
      }
      answers.set(key, answer);
      return answer;
    },
  };
};

const answersOf = oncePer((_: Edition) => new Map<string, NavigatorAnswer>());

/** Freezes plain data in place. */
const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
};
