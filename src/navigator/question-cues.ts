import { stem } from '../text/stem.ts';
import { stemsOf } from './support-of-statement.ts';

/** A sign that a passage may not be about what was asked, although the words fit (recipe, section 5). */
export interface Cue {
  /** For a reader: what is missing, to be put behind "but". */
  reason: string;
  /** What the probability of an answer is multiplied by. */
  factor: number;
}

/**
 * Looks for what near misses show more often than answers: a number of the question that the passage lacks (1.1 % of
 * answers, 3.9 % of near misses), the opposite of a word (0.3, 3.7 %), a name that is not there (5.7, 11.7 %).
 */
export const questionCues = (question: string, passages: readonly CueText[]): Cue[] => {
  const text = question.slice(0, 1000);
  const holds = (word: string) => passages.some(({ stems }) => stems().has(word));
  return [...missingNumbers(text, passages), ...opposites(text, holds), ...missingNames(text, holds)];
};

/** What cues are looked for in. */
export interface CueText {
  stems: () => ReadonlySet<string>;
  numbers: () => readonly string[];
}

/** A passage with all that stands above it. Analysed when first needed, since few questions need it. */
export const cueText = (passage: string): CueText => {
  let stems: Set<string> | undefined;
  let numbers: string[] | undefined;
  return {
    stems: () => {
      stems ??= stemsOf(passage);
      return stems;
    },
    numbers: () => {
      // The number of a step is no number of the text.
      numbers ??= plain(passage.replace(/^[ \t]*\d{1,3}[.)][ \t]/gm, '')).match(/\d+(?:[.:]\d+)*/g) ?? [];
      return numbers;
    },
  };
};

/** Without what separates thousands. */
const plain = (text: string) => text.replace(/(?<=\d)[,\s](?=\d{3}(?!\d))/g, '');

const missingNumbers = (question: string, passages: readonly CueText[]): Cue[] => {
  if (!/\d/.test(question)) return [];
  const numbers = question.match(/(?<![\p{L}\p{N}.])\d[\d.,]*(?<![.,])(?![\p{L}\p{N}])/gu) ?? [];
  const missing = numbers.find((number) => !passages.some(({ numbers: held }) => held().includes(plain(number))));
  return missing === undefined ? [] : [{ reason: `the source does not mention ${missing}`, factor: 0.6 }];
};

const OPPOSITES = (
  'enable disable|increase decrease|connect disconnect|install uninstall|lock unlock|open close|start stop|before after|' +
  'maximum minimum|max min|highest lowest|largest smallest|first last|oldest newest|add remove|on off|upload download|' +
  'import export|send receive|buy sell|hot cold|allow forbid|north south|east west|win lose|rise fall|more less|most least|' +
  'early late|above below|upgrade downgrade|encrypt decrypt|attach detach|long short|strong weak|always never'
)
  .split('|')
  .map((pair) => pair.split(' '));

/** By stem: words whose presence in place of it turns a statement round. Built at the first question. */
let oppositeStems: Map<string, { stem: string; word: string; opposite: string }[]> | undefined;

const buildOpposites = () => {
  const map = new Map<string, { stem: string; word: string; opposite: string }[]>();
  for (const [one = '', other = ''] of OPPOSITES) {
    for (const [word, opposite] of [
      [one, other],
      [other, one],
    ] as const) {
      const entries = map.get(stem(word)) ?? [];
      map.set(stem(word), [...entries, { stem: stem(opposite), word, opposite }]);
    }
  }
  return map;
};

const opposites = (question: string, holds: (word: string) => boolean): Cue[] => {
  oppositeStems ??= buildOpposites();
  const asked = stemsOf(question);
  for (const word of asked) {
    const turned = oppositeStems
      .get(word)
      ?.find((entry) => !asked.has(entry.stem) && !holds(word) && holds(entry.stem));
    if (turned) return [{ reason: `the source speaks of "${turned.opposite}", not of "${turned.word}"`, factor: 0.6 }];
  }
  return [];
};

const missingNames = (question: string, holds: (word: string) => boolean): Cue[] => {
  // The first word of a sentence is written with a capital whatever it is; so is everything in a shouted question.
  if (question === question.toUpperCase()) return [];
  const names = question.match(/(?<=[\p{Ll}\p{N},;:"'(] ?["'(]?)\p{Lu}[\p{L}\p{N}]{2,40}/gu) ?? [];
  const missing = names.find((name) => {
    const stems = stemsOf(name);
    return stems.size > 0 && ![...stems].some(holds);
  });
  return missing === undefined ? [] : [{ reason: `the source does not mention ${missing}`, factor: 0.75 }];
};
