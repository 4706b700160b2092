import { type Language, languageNamed } from '../../language/language.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { Edition } from './open-edition.ts';
import { findTerm, findWord } from './open-index.ts';
import { entryText } from './text-table.ts';

/** Languages of one edition in which a word is looked up. */
const MAX_LANGUAGES = 12;

/** The languages of an edition, that of most articles first. */
export const languagesOf = oncePer((edition: Edition): readonly [Language, ...Language[]] => {
  const [usual = 'en', ...others] = edition.languages.slice(0, MAX_LANGUAGES);
  return [languageNamed(usual), ...others.map(languageNamed)];
});

/** A word as an edition has it. */
interface WordOfEdition {
  /** Its place among the sorted words; -1 when only another form of it is there. */
  place: number;
  /** Its term; -1 when the edition has no form of it. */
  termId: number;
}

/**
 * Looks a word up: as it is, else by its stem in each language of the edition.
 *
 * @param written The word with its diacritics, of which stems are made.
 */
export function findWordOf(edition: Edition, word: string, written = word): WordOfEdition {
  const { index } = edition;
  const place = findWord(index, word);
  if (place >= 0) return { place, termId: index.wordTerms[index.wordIds[place] ?? -1] ?? -1 };
  for (const language of languagesOf(edition)) {
    const termId = findTerm(index, language.stem(written));
    if (termId >= 0) return { place, termId };
  }
  return { place, termId: -1 };
}

/** The stem under which an edition has a word; one that it lacks is stemmed in the language of most articles. */
export function stemIn(edition: Edition, word: string, written = word): string {
  const { termId } = findWordOf(edition, word, written);
  return termId < 0
    ? languagesOf(edition)[0].stem(written)
    : entryText(edition.index.terms, termId);
}
