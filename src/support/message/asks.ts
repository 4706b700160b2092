import { sentencesOf } from '../../language/message-kind.ts';
import { refersBack } from '../../language/refers-back.ts';
import { namesSubject, questionPartsIn } from '../../language/split-questions.ts';
import { languagesOf, wordsIn } from '../../language/word-classes.ts';

/** A part of a message that may want an answer. */
export interface Ask {
  /** The question, with the statements before it unless they tell the story. */
  text: string;
  /** A sentence about a question, or half of one: it may want no answer, or be answered with the rest. */
  isUnsure: boolean;
}

/** What a message asks. */
interface Asks {
  asks: Ask[];
  /** Statements stand before the first question: what answers the message as a whole is about them. */
  hasStory: boolean;
}

/**
 * What a message asks: the items of its list, else its questions, and the sentences that hold one ("I wonder how long it takes"). Statements
 * belong to the question after them, and a question that names no subject to the one before.
 *
 * @param problem The message without greeting and signature.
 * @param options.isCovered Whether the articles answer the message as a whole: it then has the story, and halves of a question.
 */
export function asksIn(problem: string, { isCovered }: { isCovered: boolean }): Asks {
  const items = askingItems(problem);
  if (items.length > 0)
    return { asks: items.map((text) => ({ text, isUnsure: false })), hasStory: false };
  const asks: Ask[] = [];
  let statements: string[] = [];
  let hasStory = false;
  for (const sentence of sentencesOf(problem)) {
    const isAlone = namesSubject(sentence, problem);
    const last = asks.at(-1);
    if (!isQuestion(sentence)) {
      if (holdsQuestion(sentence)) asks.push({ text: sentence, isUnsure: true });
      else statements.push(sentence);
    } else if (last !== undefined && statements.length === 0 && !isAlone)
      last.text = `${last.text} ${sentence}`;
    else {
      const isStory = isCovered && statements.length > 0 && asks.every(({ isUnsure }) => isUnsure);
      const halves = questionPartsIn(sentence).map(({ text }) => ({ text, isUnsure: isCovered }));
      const text = [...(isStory ? [] : statements), sentence].join(' ');
      const whole = { text, isUnsure: isStory };
      if (!isStory || (isAlone && !refersBack(sentence)))
        asks.push(...(isCovered || halves.length === 0 ? [whole, ...halves.slice(1)] : halves));
      hasStory ||= isStory;
      statements = [];
    }
  }
  return { asks, hasStory };
}

const isQuestion = (sentence: string): boolean => /[?？]/.test(sentence);

/** Whether a sentence without a question mark holds a question: "Please tell me how I reset the lamp". */
const holdsQuestion = (sentence: string): boolean => {
  if (/:$/.test(sentence)) return false;
  const words = wordsIn(sentence, languagesOf(sentence)[0] ?? 'en');
  const asking = words.find(
    ({ classes }, at) => at > 0 && classes.has('questions') && !classes.has('subordinators'),
  );
  return asking !== undefined && namesSubject(sentence.slice(asking.start), sentence);
};

/** The items of a list in a text of which several ask; empty for others, such as steps that were done. */
export function askingItems(text: string): string[] {
  const items = itemsIn(text);
  return items.filter(isQuestion).length > 1 ? items : [];
}

const MAX_ITEMS = 6;

/** `1.`, `2)`, `(a)` and so on, in order, or signs at the beginning of lines. */
const MARKS = [
  /(?<=^|\s)\(?([1-9])[.)]\s+/gu,
  /(?<=^|\s)\(?([a-i])\)\s+/gu,
  /^[ \t]{0,9}[-*•–][ \t]+/gmu,
] as const;

/** What stands behind each mark of a list: up to the next one, the last as far as its paragraph. */
const itemsIn = (text: string): string[] => {
  for (const pattern of MARKS) {
    const marks = [...text.matchAll(pattern)].filter(
      ({ 1: mark }, at) => mark === undefined || placeOf(mark) === at,
    );
    if (marks.length < 2 || marks.length > MAX_ITEMS) continue;
    return marks.map(({ index, 0: mark }, at) => {
      const [next] = marks[at + 1] ?? [];
      const item = text.slice(index + mark.length, marks[at + 1]?.index);
      return (
        (next === undefined && mark.trim().length === 1
          ? item.split(/\n\s*\n/)[0]
          : item
        )?.trim() ?? ''
      );
    });
  }
  return [];
};

/** `1` and `a` are the first. */
const placeOf = (mark: string): number => Number.parseInt(mark, 36) - (mark > '9' ? 10 : 1);

const MAX_WORDS = 120;

/** The sentences of a part that ask, with the statement before them where they name no subject, or its last one; on one line. */
export function wordsOfAsk(text: string): string {
  const sentences = sentencesOf(text);
  const first = sentences.findIndex(isQuestion);
  const asking = first < 0 ? sentences.slice(-1) : sentences.slice(first).filter(isQuestion);
  const isAlone = first < 1 || namesSubject(asking.join(' '), text);
  const words =
    [...(isAlone ? [] : sentences.slice(first - 1, first)), ...asking].join(' ') || text;
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS).trimEnd()}…` : words;
}
