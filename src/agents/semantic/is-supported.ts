import { citedSentences } from './cited-sentences.ts';
import { type SourceText, type Statement, statementsOf } from './statements-of.ts';
import { denies, namesIn, numberedClausesOf, numbersIn, plainWordsIn, stemsOf } from './words-of-statement.ts';

/** Of a sentence's content words, those that its document must hold. */
const SHARED_WORDS = 0.7;

/**
 * Whether every sentence of a summary stands on each document that it cites, `[1]` being the first. A sentence without a
 * citation, or with one of no document, does not. Its numbers and names have to stand together in one sentence or table row
 * there, which says of each number what the summary says of it; most of its words occur in the document, and it denies what
 * is denied there, and only that. Words alone cannot show that a sentence follows from a text; this refuses what visibly
 * does not, and rather too much than too little.
 */
export const isSupported = (summary: string, documents: readonly SourceText[]): boolean => {
  const known = documents.map(statementsOf);
  const sentences = citedSentences(summary);
  return (
    sentences.length > 0 &&
    sentences.every(({ text, cited }) => cited.length > 0 && cited.every((number) => stands(text, known[number - 1])))
  );
};

interface Claim {
  text: string;
  stems: readonly string[];
  numbers: readonly string[];
  names: readonly string[];
  denies: boolean;
}

const stands = (text: string, statements: readonly Statement[] | undefined): boolean => {
  if (statements === undefined) return false;
  const stems = [...stemsOf(text)];
  if (stems.length === 0) return false;
  const names = [...namesIn(text), ...firstNameOf(text, statements)];
  const claim = { text, stems, numbers: numbersIn(text), names, denies: denies(text) };
  if (claim.numbers.length + names.length === 0) return standsOnAll(claim, statements);
  return statements.some((statement) => standsOn(claim, statement, statements));
};

/** The first word has a capital anyway: it is a name where the document writes it with one inside a sentence. */
const firstNameOf = (text: string, statements: readonly Statement[]): string[] => {
  const first = /^\W*(\p{Lu}[\p{L}\p{N}]*)/u.exec(text)?.[1]?.toLowerCase();
  return first !== undefined && statements.some(({ names }) => names.includes(first)) ? [first] : [];
};

const standsOnAll = ({ stems, denies: isDenied }: Claim, statements: readonly Statement[]): boolean => {
  const shared = stems.filter((each) =>
    statements.some(({ stems, context }) => stems.has(each) || context.stems.has(each)),
  );
  if (shared.length < SHARED_WORDS * stems.length) return false;
  const scored = statements.map((statement) => ({
    shared: stems.filter((each) => statement.stems.has(each)).length,
    denies: statement.denies,
  }));
  const most = Math.max(0, ...scored.map((each) => each.shared));
  return scored.filter((each) => each.shared === most).every((each) => each.denies) === isDenied;
};

const standsOn = (claim: Claim, statement: Statement, all: readonly Statement[]): boolean => {
  const { stems, words, context } = statement;
  if (claim.denies !== statement.denies) return false;
  if (!claim.numbers.every((number) => statement.numbers.has(number) || isNumberOfName(claim, number, context.words)))
    return false;
  if (!claim.names.every((name) => words.has(name) || context.words.has(name))) return false;
  const missing = claim.stems.filter((each) => !stems.has(each) && !context.stems.has(each));
  // A word of another sentence there may make this one say what neither does.
  if (missing.some((each) => all.some((other) => other.stems.has(each)))) return false;
  if (missing.length > (1 - SHARED_WORDS) * claim.stems.length) return false;
  return !swapsSubject(claim, statement) && keepsNumbersInPlace(claim, statement);
};

/** The `40` of a heading such as `Error 40`, behind the same word. */
const isNumberOfName = ({ text }: Claim, number: string, around: ReadonlySet<string>): boolean =>
  around.has(number) &&
  [...text.matchAll(NUMBERED_NAME)].some(([, name = '', own]) => own === number && around.has(name.toLowerCase()));

const NUMBERED_NAME = /(?<!\S)(\p{Lu}[\p{L}\p{N}]{0,60}) (\d+)(?![\d])/gu;

/** It puts a word of the headings where the statement has another one of them, or another name. */
const swapsSubject = ({ stems, text, names }: Claim, statement: Statement): boolean => {
  const said = new Set(stems);
  const saidWords = plainWordsIn(text);
  const isFromAround = stems.some((each) => !statement.stems.has(each) && statement.context.stems.has(each));
  const isNameFromAround = names.some((name) => !statement.words.has(name));
  return (
    (isFromAround && [...statement.stems].some((each) => statement.context.stems.has(each) && !said.has(each))) ||
    (isNameFromAround && statement.names.some((name) => !saidWords.has(name)))
  );
};

/** Of "24 months for the grinder, 12 for the boiler" no part takes the number of one and words of the other. */
const keepsNumbersInPlace = ({ text }: Claim, statement: Statement): boolean => {
  if (/\brespectively\b/i.test(statement.text)) return flat(statement.text).includes(flat(text));
  const theirs = numberedClausesOf(statement.text);
  return numberedClausesOf(text).every((ours) =>
    [...ours.numbers].every((number) => {
      const places = theirs.filter(({ numbers }) => numbers.has(number));
      return (
        places.length === 0 ||
        places.some(
          (place) =>
            !mixes(
              ours.stems,
              place.stems,
              theirs.filter((each) => each !== place),
            ),
        )
      );
    }),
  );
};

/** It takes words of other clauses, and leaves out some of the number's own. */
const mixes = (
  ours: ReadonlySet<string>,
  own: ReadonlySet<string>,
  others: readonly { stems: ReadonlySet<string> }[],
): boolean =>
  [...ours].some((each) => !own.has(each) && others.some(({ stems }) => stems.has(each))) &&
  [...own].some((each) => !ours.has(each));

const flat = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
