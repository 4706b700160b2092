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
  return {
    addsAll: onlyIn(ours, said, ALL),
    addsOnly: onlyIn(ours, said, ONLY),
    dropsOnly: onlyIn(said, ours, ONLY),
    dropsMay: onlyIn(said, ours, MAY),
    addsMust: onlyIn(ours, said, MUST),
    addsMost: [...ours].find((text) => MOST.test(text) && !around.has(text)) ?? '',
    dropsSome: onlyIn(said, ours, SOME),
    dropsIf: onlyIn(said, ours, IF),
  };
};
