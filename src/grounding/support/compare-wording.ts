import type { Word } from './read-words.ts';

/** Small words that make a statement stronger, weaker or conditional. */
export type WordingChange =
  | 'addsAll'
  | 'addsOnly'
  | 'dropsOnly'
  | 'dropsMay'
  | 'addsMust'
  | 'addsMost'
  | 'dropsSome'
  | 'dropsIf';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const ALL = setOf(
  'all every always entirely everyone everything completely never none nothing whole any ever everywhere',
);
const DENYING_ALL = setOf('never none nothing');
const ONLY = setOf('only exclusively solely sole');
const MAY = setOf('may might could possibly perhaps probably likely reportedly allegedly should');
const MUST = setOf('must need needs required requires mandatory definitely certainly will');
const SOME = setOf('some several many part partly sometimes often mostly most usually generally few typically');
const IF = setOf('if unless except provided');
const MOST =
  /^(?:most|first|best|top|least|last|worst|(?:larg|great|bigg|small|high|low|long|short|old|young|new|earli|late|rich|poor|strong|weak|fast|slow|heavi|busi|tall|deep|wide)est)$/;

/** The words that make each change; empty where the sentence does not make it. */
export const wordingChanges = (
  words: readonly Word[],
  theirs: readonly Word[],
  around: ReadonlySet<string>,
): Record<WordingChange, string> => {
  const ours = new Set(words.map(({ text }) => text));
  const said = new Set(theirs.map(({ text }) => text));
  const onlyIn = (one: ReadonlySet<string>, other: ReadonlySet<string>, list: ReadonlySet<string>): string =>
    [...one].find((text) => list.has(text) && ![...other].some((each) => list.has(each))) ?? '';
  const denies = theirs.some(({ role }) => role === 'negation');
  // "never" for "do not", and "must not": the denial is compared elsewhere.
  const forAll = denies ? new Set([...ours].filter((text) => !DENYING_ALL.has(text))) : ours;
  const isOrder = (text: string): boolean =>
    denies &&
    words.some((word, at) => word.text === text && words.slice(at + 1, at + 3).some(({ role }) => role === 'negation'));
  const ordered = new Set([...ours].filter((text) => !isOrder(text)));
  return {
    addsAll: onlyIn(forAll, said, ALL),
    addsOnly: onlyIn(ours, said, ONLY),
    dropsOnly: onlyIn(said, ours, ONLY),
    dropsMay: onlyIn(said, ours, MAY),
    addsMust: onlyIn(ordered, said, MUST),
    addsMost: [...ours].find((text) => MOST.test(text) && !around.has(text)) ?? '',
    dropsSome: onlyIn(said, ours, SOME),
    dropsIf: onlyIn(said, ours, IF),
  };
};
