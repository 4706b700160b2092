import { align } from './align.ts';
import { borrowedNumbers, changedUnits, followsFrom, isReplaced, misplacedNumbers } from './compare-numbers.ts';
import { swapsNames, swapsSides } from './compare-order.ts';
import { comparePolarity, isDenying } from './compare-polarity.ts';
import { type WordingChange, wordingChanges } from './compare-wording.ts';
import { type Evidence, findEvidence, foundIn } from './find-evidence.ts';
import type { PreparedSource, SourceSentence } from './prepare-source.ts';
import { isSought, type Word } from './read-words.ts';

/** What is measured of a sentence held against the sources: 0 where nothing speaks against it, more the more does. */
export type Feature =
  | 'absent'
  | 'absentLong'
  | 'own'
  | 'window'
  | 'order'
  | 'inserted'
  | 'nameEarly'
  | 'nameLate'
  | 'nameFar'
  | 'nameReplaced'
  | 'oneWordReplaced'
  | 'numberAbsent'
  | 'numberReplaced'
  | 'numberFar'
  | 'numberMisplaced'
  | 'closeNumber'
  | 'unit'
  | 'addsDenial'
  | 'denialFar'
  | 'closeDenial'
  | 'contrary'
  | 'closeContrary'
  | 'swapsNames'
  | 'swapsSides'
  | 'firstPerson'
  | 'chat'
  | WordingChange;

export interface Comparison {
  /** Features that are not 0, with the words of the answer they are about. */
  found: Map<Feature, { value: number; words: string }>;
  evidence: Evidence | undefined;
}

/** A word counts as found from this worth on: itself, one of its meanings, or one that begins alike. */
const FOUND_FROM = 0.5;
/** Sentences from which on sources say themselves what they are about; a snippet may leave that to what stood before it. */
const LONG_SOURCE = 5;
/** Words of a sentence that says one thing. */
const PLAIN_LENGTH = 15;
/** What a number is worth that follows from another, such as a decade from a year. */
const FOLLOWS = 0.9;
const NOWHERE: SourceSentence = { start: 0, end: 0, text: '', words: [], forms: new Map() };

/** Measures one sentence of an answer against the sentence of the sources that is nearest to it, and what stands around that. */
export const compareSentence = (
  text: string,
  words: readonly Word[],
  sources: readonly PreparedSource[],
): Comparison => {
  const evidence = findEvidence(words, sources);
  const { sentence, near, title, next } = evidence ?? { sentence: NOWHERE, near: [], title: NOWHERE, next: undefined };
  const found: Comparison['found'] = new Map();
  const note = (feature: Feature, value: number, about: readonly Word[] | string = '') => {
    const named = typeof about === 'string' ? about : about.map((word) => word.text).join(', ');
    if (value > 0) found.set(feature, { value, words: named.slice(0, 80) });
  };
  const lookups = lookUp(words, { sentence, near, title }, sources);
  const length = sources.reduce((sum, { sentences }) => sum + sentences.length, 0);
  const close = noteWords(lookups, Math.min(1, length / LONG_SOURCE), note);
  noteNumbers(lookups, { words, sentence, near, close }, note);
  notePolarity(lookups, { words, sentence, near, close }, note);
  // One small word says less of a long sentence.
  const alike = close * Math.min(1, PLAIN_LENGTH / Math.max(words.length, sentence.words.length));
  const around = new Set([sentence, ...near].flatMap((each) => each.words.map((word) => word.text)));
  // Its keys are what `wordingChanges` promises; `Object.entries` forgets them.
  for (const [change, word] of Object.entries(wordingChanges(words, sentence.words, around)))
    if (word !== '') note(change as WordingChange, alike, word);
  noteAlignment(lookups, { words, sentence, title, close }, note);
  note('swapsNames', swapsNames(words, sentence) ? close : 0, 'names');
  note('swapsSides', swapsSides(words, sentence, next) ? alike : 0, 'order');
  const speaker = words.find((word) => SPEAKER.has(word.text));
  if (speaker && !sentence.words.some((word) => SPEAKER.has(word.text))) note('firstPerson', 1, [speaker]);
  note('chat', /[?!]/.test(text) && !/[?!]/.test(sentence.text) ? 1 : 0, '? or !');
  return { found, evidence };
};

type Note = (feature: Feature, value: number, about?: readonly Word[] | string) => void;

/** How well a word is found, 0 to 1: anywhere in the sources, in the nearest sentence, in that and around it. */
interface Lookup {
  word: Word;
  at: number;
  anywhere: number;
  own: number;
  around: number;
}

const lookUp = (
  words: readonly Word[],
  { sentence, near, title }: Pick<Evidence, 'sentence' | 'near' | 'title'>,
  sources: readonly PreparedSource[],
): Lookup[] => {
  const everywhere = sources.flatMap(({ index, title }) => [index, title.forms]);
  const here = [sentence.forms, title.forms];
  const around = [sentence, ...near].map(({ forms }) => forms);
  return words.flatMap((word, at) => {
    if (!isSought(word)) return [];
    const own = foundIn(word, here);
    if (word.role === 'number' && own < 1 && followsFrom(words, at, sentence.words))
      return [{ word, at, anywhere: FOLLOWS, own: FOLLOWS, around: FOLLOWS }];
    return [{ word, at, own, anywhere: foundIn(word, everywhere), around: foundIn(word, around) }];
  });
};

/** @returns How far the sentence says the same as its evidence, 0 to 1: the square of the share of its words that are there. */
const noteWords = (lookups: readonly Lookup[], long: number, note: Note): number => {
  const total = Math.max(
    0.3,
    lookups.reduce((sum, { word }) => sum + word.weight, 0),
  );
  const missing = (how: 'anywhere' | 'own' | 'around') =>
    lookups.reduce((sum, each) => sum + each.word.weight * (1 - each[how]), 0) / total;
  const lacking = lookups.filter(({ anywhere }) => anywhere < FOUND_FROM);
  const names = lacking.filter(({ word }) => isName(word));
  // What a sentence begins with it mostly is about: a source may say `it` there.
  const isEarly = ({ at }: Lookup) => at < 0.4 * ((lookups.at(-1)?.at ?? 0) + 1);
  const absent = lacking.filter(({ word }) => word.role === 'content').map(({ word }) => word);
  note('absent', missing('anywhere'), absent);
  note('absentLong', long * missing('anywhere'), absent);
  note('own', missing('own'));
  const apart = wordsOf(lookups.filter(({ around }) => around < FOUND_FROM));
  note('window', missing('around'), apart);
  noteUpTo2('nameEarly', names.filter(isEarly), note);
  noteUpTo2(
    'nameLate',
    names.filter((each) => !isEarly(each)),
    note,
  );
  noteUpTo2(
    'nameFar',
    lookups.filter((each) => isName(each.word) && isFar(each)),
    note,
  );
  return (1 - missing('own')) ** 2;
};

const isFar = ({ anywhere, around }: Lookup): boolean => anywhere >= FOUND_FROM && around < FOUND_FROM;

const noteUpTo2 = (feature: Feature, lookups: readonly Lookup[], note: Note) =>
  note(feature, Math.min(2, lookups.length), wordsOf(lookups));

const wordsOf = (lookups: readonly Lookup[]): Word[] => lookups.map(({ word }) => word);

interface Compared {
  words: readonly Word[];
  sentence: SourceSentence;
  /** As `noteWords` tells. */
  close: number;
}

const noteNumbers = (
  lookups: readonly Lookup[],
  { words, sentence, near, close }: Compared & { near: readonly SourceSentence[] },
  note: Note,
) => {
  const numbers = lookups.filter(({ word }) => word.role === 'number');
  const absent = numbers.filter(({ anywhere }) => anywhere < FOUND_FROM);
  // What a heading or the next sentence counts is not what this one counts.
  const replaced = wordsOf(numbers).filter(
    (word, at) => numbers[at]?.own !== FOLLOWS && !sentence.forms.has(word.key) && isReplaced(word, words, sentence),
  );
  const doubted = [...new Set([...wordsOf(absent), ...replaced])];
  noteUpTo2('numberAbsent', absent, note);
  note('closeNumber', close * Math.min(2, doubted.length), doubted);
  note('numberReplaced', Math.min(1, replaced.length), replaced);
  noteUpTo2('numberFar', numbers.filter(isFar), note);
  const others = wordsOf(
    lookups.filter(({ word, own, around }) => word.weight === 1 && own < FOUND_FROM && around >= FOUND_FROM),
  );
  const misplaced = [...misplacedNumbers(words, sentence), ...borrowedNumbers(words, others, sentence, near)];
  note('numberMisplaced', Math.min(1, misplaced.length), misplaced);
  const units = changedUnits(words, sentence);
  note('unit', Math.min(1, units.length), units);
};

const notePolarity = (
  lookups: readonly Lookup[],
  { words, sentence, near, close }: Compared & { near: readonly SourceSentence[] },
  note: Note,
) => {
  const { addsDenial, differing, contrary } = comparePolarity(words, sentence, near);
  const denial = words.find(isDenying)?.text ?? 'not';
  note('addsDenial', addsDenial ? 1 : 0, denial);
  note('closeDenial', addsDenial || differing.length > 0 ? close : 0, addsDenial ? denial : differing);
  note('denialFar', lookups.some(({ word, around }) => isDenying(word) && around < FOUND_FROM) ? 1 : 0, denial);
  note('contrary', Math.min(2, contrary.length), contrary);
  note('closeContrary', close * Math.min(1, contrary.length), contrary);
};

/** What the sentence has beside its evidence, and in the place of something else. */
const noteAlignment = (
  lookups: readonly Lookup[],
  { words, sentence, title, close }: Compared & { title: SourceSentence },
  note: Note,
) => {
  const missing = new Set(wordsOf(lookups.filter(({ own }) => own < FOUND_FROM)));
  const said = new Set(words.flatMap(({ forms }) => forms));
  const aligned = align(words, sentence.words);
  note('order', 1 - aligned.shared / Math.max(1, words.length));
  const gaps = aligned.gaps.map(({ ours, theirs }) => ({
    ours,
    size: Math.max(ours.length, theirs.length),
    added: ours.filter((word) => missing.has(word)),
    left: theirs.filter((word) => isSought(word) && !word.forms.some((form) => said.has(form))),
  }));
  const inserted = gaps.flatMap(({ added, left }) => (left.length === 0 ? added : []));
  note('inserted', Math.log1p(inserted.length), inserted);
  const renamed = gaps.flatMap(({ added, left }) => (left.some(isName) ? added.filter(isName) : []));
  note('nameReplaced', close * Math.min(1, renamed.length), renamed);
  const [gap] = gaps;
  const isAlone = gaps.length === 1 && gap && gap.size <= 2 && gap.left.length > 0;
  // Of the two things of a heading it names the one that this sentence is not about.
  const swapped = gaps.flatMap(({ ours, left }) =>
    left.some(({ key }) => title.forms.has(key))
      ? ours.filter((word) => isSought(word) && title.forms.has(word.key) && !sentence.forms.has(word.key))
      : [],
  );
  const other = isAlone ? [...gap.added, ...swapped] : swapped;
  note('oneWordReplaced', Math.min(1, other.length), other);
};

const isName = ({ role }: Word): boolean => role === 'name';

/** Who speaks for himself or to the reader states nothing that a source could say. */
const SPEAKER: ReadonlySet<string> = new Set('i my me we our us you your mine im'.split(' '));
