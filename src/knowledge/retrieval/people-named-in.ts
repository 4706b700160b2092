/**
 * Names of people in a text, as written: the words after "my name is", "Mr" or "my neighbour", and two or three capitalised words in a row that are
 * unknown to the knowledge base. After an article they are a thing: "the Umbrel Home".
 *
 * @param isKnown Whether a word occurs in the knowledge base, in a product name or in ordinary requests.
 * @returns At most 10, without duplicates.
 */
export const peopleNamedIn = (text: string, isKnown: (word: string) => boolean): string[] => {
  const read = text.slice(0, MAX_READ);
  const people = new Set<string>();
  for (const [, name = ''] of read.matchAll(SAID_TO_BE_A_NAME)) people.add(name);
  for (const [, name = ''] of read.matchAll(MAY_BE_A_NAME)) if (!hasKnown(name, isKnown)) people.add(name);
  for (const run of capitalisedRuns(read, isKnown)) people.add(run);
  return [...people].slice(0, MAX_PEOPLE);
};

const MAX_READ = 4000;
const MAX_PEOPLE = 10;

/** Runs of two or three words; known words and articles end a run. */
const capitalisedRuns = (text: string, isKnown: (word: string) => boolean): string[] => {
  const runs: { text: string; words: number; end: number; isThing: boolean }[] = [];
  for (const { 0: word, index } of text.matchAll(CAPITALISED)) {
    if (isKnown(word) || isTitle(word)) continue;
    const run = runs.at(-1);
    const between = run === undefined ? '' : text.slice(run.end, index);
    const end = index + word.length;
    if (run !== undefined && run.words < 3 && BETWEEN.test(between)) {
      Object.assign(run, { text: `${run.text}${between}${word}`, words: run.words + 1, end });
    } else {
      const isThing = ARTICLE.test(text.slice(Math.max(0, index - 8), index)) || word.endsWith('ing');
      runs.push({ text: word, words: 1, end, isThing });
    }
  }
  return runs.flatMap((run) => (run.words > 1 && !run.isThing ? run.text : []));
};

const isTitle = (word: string): boolean => /^(?:Mrs?|Ms|Miss|Dr|Prof|Herrn?|Frau|Madame|Monsieur|Señora?)$/.test(word);

const hasKnown = (name: string, isKnown: (word: string) => boolean): boolean => name.split(/[ .]+/).some(isKnown);

const CAPITAL = "\\p{Lu}(?=[\\p{L}\\p{M}'’-]{0,30}\\p{Ll})[\\p{L}\\p{M}'’-]{1,30}";
const INITIAL = '(?:\\p{Lu}\\. )?';
const BEFORE = '(?<![\\p{L}\\p{N}])';

const SAID_TO_BE_A_NAME = new RegExp(
  `${BEFORE}(?:[Mm]y name is|[Mm]y name['’]s|[Mm]ein Name ist|[Ii]ch heiße|[Jj]e m['’]appelle|[Mm]on nom est|[Mm]e llamo|[Mm]i nombre es|[Mm]i chiamo|[Ii]k heet|[Mm]ijn naam is|Mrs?\\.?|Ms\\.?|Miss|Dr\\.?|Prof\\.?|Herrn?|Frau|Madame|Monsieur|Señora?) (?:(?:Dr|Prof)\\.? )?(${CAPITAL}(?: ${INITIAL}${CAPITAL}){0,2})`,
  'gu',
);
const MAY_BE_A_NAME = new RegExp(
  `${BEFORE}(?:[Ii] am|I['’]m|[Tt]his is|[Ii]ch bin|[Hh]ier ist|neighbou?r|colleague|friend|wife|husband|son|daughter|brother|sister|boss|partner|Nachbar(?:in)?|Kolleg(?:e|in)|voisine?|collègue) (${CAPITAL}(?: ${INITIAL}${CAPITAL}){0,2})`,
  'gu',
);
const CAPITALISED = new RegExp(`${BEFORE}${CAPITAL}(?![\\p{L}\\p{N}])`, 'gu');
/** Separators between parts of a name: a space, and an initial. */
const BETWEEN = new RegExp(`^ ${INITIAL}$`, 'u');
const ARTICLE =
  /(?<!\p{L})(?:an?|the|my|our|your|its|ein(?:e[mnr]?)?|de[mnr]|die|das|une?|l[ae]s?|un[ao]?|el|il|het)\s$/iu;
