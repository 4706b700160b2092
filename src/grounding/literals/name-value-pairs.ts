/** A name, and what holds for it: the head of a column and the cell below it, or "300 W (Apollo)". */
export interface NameValue {
  name: readonly string[];
  value: readonly string[];
}

/** The words of a text in lower case, in their order; numbers keep their points. */
export const phraseOf = (text: string): string[] =>
  text
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .match(/\d+(?:[.,:]\d+)*|[\p{L}\p{M}]+(?:\d+\p{L}*)*/gu) ?? [];

const MAX_LENGTH = 2000;

/** Where the words of `phrase` stand in a row within `words`. */
const placesOf = (phrase: readonly string[], words: readonly string[]): number[] =>
  phrase.length === 0
    ? []
    : words.flatMap((_, at) => (phrase.every((word, place) => words[at + place] === word) ? [at] : []));

/** Names that are said, each with its place; of two that begin alike the longer: not Apollo where Apollo II is said. */
export const namesSaid = (
  words: readonly string[],
  names: readonly (readonly string[])[],
): { name: readonly string[]; at: number }[] => {
  const different = new Map(names.map((name) => [name.join(' '), name]));
  const found = [...different.values()].flatMap((name) => placesOf(name, words).map((at) => ({ name, at })));
  return found
    .filter(
      ({ name, at }) =>
        !found.some(
          (other) =>
            other.name.length > name.length && other.at <= at && other.at + other.name.length >= at + name.length,
        ),
    )
    .sort((one, other) => one.at - other.at);
};

/** Pairs of a sentence that names things behind their amounts: "at least 300 W (Apollo) or 450 W (Apollo II)". */
export const pairsIn = (text: string): NameValue[] =>
  [...text.slice(0, MAX_LENGTH).matchAll(/(\d[\d.,]{0,12})\s{0,2}[^\s\d()]{0,12}\s{0,2}\(([^()]{1,40})\)/g)]
    .map(([, value = '', name = '']) => ({ name: phraseOf(name), value: phraseOf(value) }))
    .slice(0, MAX_PAIRS);

const MAX_PAIRS = 12;

/**
 * Whether a statement gives a name the value of another one: it names `Apollo II` and gives the number of `Apollo`, or gives
 * two names two values in the other order. Says nothing where none of the names is said.
 */
export const isMispaired = (words: readonly string[], pairs: readonly NameValue[]): boolean => {
  const said = namesSaid(
    words,
    pairs.map(({ name }) => name).filter((name) => name.length > 0),
  );
  if (said.length === 0) return false;
  const isNamed = ({ name }: NameValue) => said.some((each) => each.name.join(' ') === name.join(' '));
  const named = pairs.filter(isNamed);
  const others = pairs.filter((pair) => !isNamed(pair));
  const rest = withoutPlaces(words, said);
  const has = (value: readonly string[], word: string) => value.includes(word);
  // What stands in cells of others only, and in no name.
  const borrowed = rest.some(
    (word) =>
      isTelling(word) && others.some(({ value }) => has(value, word)) && !named.some(({ value }) => has(value, word)),
  );
  if (borrowed) return true;
  if (named.some(({ value }) => value.some(isTelling) && !value.some((word) => rest.includes(word)))) return true;
  const values = valuesSaid(words, { pairs: named, said });
  if (values.length !== said.length || said.length < 2) return false;
  return said.some(({ name }, at) => {
    const own = named.find((pair) => pair.name.join(' ') === name.join(' '));
    return !own?.value.includes(values[at] ?? '');
  });
};

/** Numbers, and words that are not of the smallest. */
const isTelling = (word: string): boolean => /^\d/.test(word) || word.length > 3;

const withoutPlaces = (words: readonly string[], said: ReturnType<typeof namesSaid>): string[] =>
  words.filter((_, place) => !said.some(({ name, at }) => place >= at && place < at + name.length));

/** The first telling word of each value, in the order in which the statement says them. */
const valuesSaid = (
  words: readonly string[],
  { pairs, said }: { pairs: readonly NameValue[]; said: ReturnType<typeof namesSaid> },
): string[] => {
  const keys = new Set(pairs.flatMap(({ value }) => value.find((word) => /^\d/.test(word)) ?? value[0] ?? []));
  return words.filter(
    (word, place) => keys.has(word) && !said.some(({ name, at }) => place >= at && place < at + name.length),
  );
};
