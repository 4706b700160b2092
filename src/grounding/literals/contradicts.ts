import { denialsOf, loneDenials } from '../support/denials.ts';
import { isSought, type Word } from '../support/read-words.ts';
import { isMispaired, type NameValue, namesSaid, pairsIn, phraseOf } from './name-value-pairs.ts';
import type { Ground } from './read-grounds.ts';
import type { Row } from './read-table.ts';

/** Words of a statement that one side denies and the other does not, with what stands above counted in. */
export const deniedOtherwise = (words: readonly Word[], ground: Ground): Word[] => {
  const { sentence, above, denials, deniedAbove } = ground;
  const around = above.flatMap((each) => each.words);
  const real = denials.filter(({ word }) => word.role === 'negation');
  const dropped = loneDenials([...real, ...deniedAbove], words);
  const added = loneDenials(denialsOf(words), [...sentence.words, ...around], deniedAbove);
  const isSaid = (word: Word, theirs: readonly Word[]) =>
    theirs.some(({ key }) => word.forms.includes(key) || key === word.key);
  return [
    ...dropped.flatMap((lone) => lone.words),
    ...added.flatMap((lone) => lone.denial.scope.filter((word) => isSaid(word, lone.words))),
  ];
};

/**
 * Whether a statement gives what the ground says to another name, side, time or person, or says it of more than that does.
 *
 * @param words Of the part that the ground is to bear.
 * @param options.whole The sentence that it is a part of: which names and values belong together may show only there.
 */
export const isTurned = (
  words: readonly Word[],
  { sentence, row, devices, leads }: Ground,
  { whole }: { whole: string },
): boolean => {
  const all = phraseOf(whole);
  if (row !== undefined && (isOtherRow(all, row) || isMispaired(all, pairsOfRow(row.cells)))) return true;
  const pairs = pairsIn(sentence.text);
  if (isMispaired(all, pairs) || pairsIn(whole).some((pair) => isOtherPair(pair, pairs))) return true;
  const said = words.map(({ text }) => text);
  const theirs = phraseOf(sentence.text);
  const names = devices.map(phraseOf);
  const known = [...theirs, ...phraseOf(leads?.text ?? ''), ...(row?.cells.flatMap(({ head }) => head) ?? [])];
  if (namesOther(said, known, names)) return true;
  if (
    BINDING.some((group) => group.some((word) => said.includes(word)) && !group.some((word) => theirs.includes(word)))
  )
    return true;
  if (OWNERS.some(([own, other]) => hasOnly(said, own, other) && hasOnly(theirs, other, own))) return true;
  return SIDES.some(
    ([one, other]) => isBeyond(words, sentence.words, [one, other]) || isBeyond(words, sentence.words, [other, one]),
  );
};

/** Heads that stand over several columns of one kind; a single column needs none. */
const pairsOfRow = (cells: readonly { head: readonly string[]; value: readonly string[] }[]) =>
  cells.map(({ head, value }) => ({ name: head, value }));

/** It names another row of the table. */
const isOtherRow = (said: readonly string[], { label, labels }: Row): boolean => {
  const named = namesSaid(said, labels.flat());
  const own = label.map((name) => name.join(' '));
  return named.length > 0 && !named.some(({ name }) => own.includes(name.join(' ')));
};

/** One of its own pairs gives a name of theirs another value. */
const isOtherPair = ({ name, value }: NameValue, pairs: readonly NameValue[]): boolean => {
  const own = pairs.filter((pair) => pair.name.join(' ') === name.join(' '));
  return own.length > 0 && !own.some((pair) => pair.value.join(' ') === value.join(' '));
};

/** It names a device, and the ground another. */
const namesOther = (
  said: readonly string[],
  theirs: readonly string[],
  names: readonly (readonly string[])[],
): boolean => {
  const own = namesSaid(theirs, names).map(({ name }) => name.join(' '));
  return own.length > 0 && namesSaid(said, names).some(({ name }) => !own.includes(name.join(' ')));
};

const hasOnly = (words: readonly string[], one: string, other: string): boolean =>
  words.includes(one) && !words.includes(other);

/** Small words that say how far something holds: the ground has to have one of the same kind. */
const BINDING: readonly (readonly string[])[] = [
  ['once', 'immediately'],
  ['only', 'exclusively', 'solely'],
];

const OWNERS: readonly (readonly [string, string])[] = [
  ['ours', 'yours'],
  ['yours', 'ours'],
];

const SIDES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['before', 'until', 'till'],
    ['after', 'since'],
  ],
  [
    ['above', 'over', 'exceeding'],
    ['below', 'under'],
  ],
  [
    ['least', 'minimum'],
    ['most', 'maximum'],
  ],
  [['inside', 'within'], ['outside']],
  [['on'], ['off']],
];

/** The words stand behind one side here, and behind the other there. */
const isBeyond = (
  words: readonly Word[],
  theirs: readonly Word[],
  [one, other]: readonly [readonly string[], readonly string[]],
): boolean =>
  words.some(({ text }, at) => {
    if (!one.includes(text)) return false;
    const next = words.slice(at + 1).find(isSought);
    const isThere = (side: readonly string[]) =>
      theirs.some(
        (each, place) => side.includes(each.text) && theirs.slice(place + 1).find(isSought)?.key === next?.key,
      );
    return next !== undefined && isThere(other) && !isThere(one);
  });
