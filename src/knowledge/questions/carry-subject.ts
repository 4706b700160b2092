import words from './word-lists.json' with { type: 'json' };

/** A part of a sentence that asks for something by itself. */
export interface Clause {
  text: string;
  /** `question`: it has a verb of its own. `phrase`: it only names what is wanted, and shares the beginning of the clause before it. */
  form: 'question' | 'phrase';
}

/** A clause that can be asked on its own. */
export interface StandaloneClause {
  text: string;
  /** Whether its subject was taken from another clause. */
  isDependent: boolean;
}

interface Others {
  earlier: readonly string[];
  sentence: readonly Clause[];
  /** Whether the clause asks for what only a thing has, such as its stock; false when absent. */
  isOfThing?: boolean | undefined;
}

/**
 * Names the subject of a clause that refers to it by a pronoun or not at all.
 *
 * @param earlier The previous clauses, already completed; the nearest one that names something counts.
 * A clause with a subject of its own keeps it: "how long does shipping to Canada take" is not about the thing that was named before.
 *
 * @param sentence All clauses of its sentence, for a subject that is only named later: `the price and the warranty of the Apollo`.
 */
export const carrySubject = (clause: Clause, { earlier, sentence, isOfThing = false }: Others): StandaloneClause => {
  const own = subjectOf(clause.text);
  if (own?.isName === true) return { text: withPlace(clause.text, earlier), isDependent: false };
  const subject = nearestSubject(earlier) ?? laterSubject(clause, sentence);
  const placed = withPlace(clause.text, earlier);
  if (subject === undefined) return { text: placed, isDependent: placed !== clause.text };
  const replaced = replacePronouns(placed, subject);
  if (replaced !== clause.text) return { text: replaced, isDependent: true };
  const isOpen = WHAT_ABOUT.test(clause.text) || (sentence.length > 1 && lacksSubject(clause, { sentence, isOfThing }));
  if (!subject.isName || !isOpen) return { text: placed, isDependent: false };
  return { text: appended(placed, subject), isDependent: true };
};

const nearestSubject = (earlier: readonly string[]): Subject | undefined => {
  const subjects = earlier.toReversed().flatMap((text) => subjectOf(text) ?? []);
  return subjects.find(({ isAspect }) => !isAspect) ?? subjects[0];
};

/** Only a phrase after it can share its object with the clause, as in `the price and the warranty of the Apollo`. */
const laterSubject = (clause: Clause, sentence: readonly Clause[]): Subject | undefined => {
  const next = sentence[sentence.indexOf(clause) + 1];
  if (next === undefined) return undefined;
  const isShared = next.form === 'phrase' && /\s(?:of|for|on|about)\s/i.test(next.text);
  const subject = subjectOf(next.text);
  return isShared || (subjectOf(clause.text) === undefined && PRONOUN.test(clause.text)) ? subject : undefined;
};

const PRONOUN = /\b(?:it|they|them)\b/i;

const replacePronouns = (text: string, subject: Subject): string => {
  const { phrase, noun } = subject;
  let hasOwnThey = asksForThings(text);
  const replaced = text
    .replace(
      /\bhow many\s+(?=(?:have|has|had|did|do|does|are|were|is|was|we|i|they|customers)\b)/i,
      (found) => `${found}${noun} `,
    )
    .replace(/\b(?:the same ones?|that one)\b/i, phrase)
    .replace(/\b(an?|the)\s+([\p{L}-]{3,20})\s+ones?\b(?!\s+of\b)/iu, `$1 $2 ${noun}`)
    .replace(/(?<=\p{L}\s)\bone\b(?=\s*[?.!]?$|\s+(?:up|back|in|on|off|be|at|for)\b)/iu, phrase);
  return replaced.replace(/\b(?:it|its|they|them|their|themselves)\b(?!['’])/gi, (pronoun, at: number) => {
    hasOwnThey ||= PARTIES.test(replaced.slice(0, at));
    if (/^it$/i.test(pronoun) && DUMMY_IT.test(replaced.slice(at))) return pronoun;
    if (!/^its?$/i.test(pronoun) && hasOwnThey) return pronoun;
    return /^(?:its|their)$/i.test(pronoun) ? `${phrase}${phrase.endsWith('s') ? "'" : "'s"}` : phrase;
  });
};

/** An expletive `it`. */
const DUMMY_IT = /^it\s+(?:takes?|possible|true|safe|allowed|okay|worth|make sense)\b/i;

const THERE = /(?<!\b(?:is|are|was|were|be|hi|hello|hey)\s)\bthere\b(?!\s+(?:is|are|was|were|be|a|an|any)\b)/i;

const withPlace = (text: string, earlier: readonly string[]): string => {
  if (!THERE.test(text)) return text;
  const [place] = earlier.toReversed().flatMap((clause) => placeOf(clause) ?? []);
  return place === undefined ? text : text.replace(THERE, place);
};

const WHAT_ABOUT = /^(?:what|how) about\b/i;

/**
 * Whether a clause has no subject of its own: it names nothing, shares the object of the phrase behind it, or names only an aspect that
 * nothing but a thing has.
 */
const lacksSubject = (clause: Clause, { sentence, isOfThing }: Omit<Others, 'earlier'>): boolean => {
  if (asksForThings(clause.text) || !wantsSubject(clause)) return false;
  const nouns = nounPhrases(clause.text);
  if (clause.form === 'phrase' || nouns.length === 0 || laterSubject(clause, sentence) !== undefined) return true;
  return isOfThing === true && nouns.every(({ noun }) => isAspect(noun));
};

/** A clause without an object of its own, such as `what does the warranty cover`; one about the whole shop needs none. */
const wantsSubject = ({ text }: Clause): boolean =>
  isOpenEnded(text.replace(/^.{0,40}\b(?:(?:me|us) about|to (?:know|see|have|learn))\b/i, ''));

const isOpenEnded = (text: string): boolean =>
  !/\b(?:customers?|orders?|revenue|turnover|company|business|you|your)\b/i.test(text) &&
  !/\b(?:about|of|for|with|regarding|by)\s+\p{L}/iu.test(text) &&
  !/\b(?:on|to|from|in)\s+(?!the (?:web|internet|net|market)\b|stock\b|forums?\b|\p{Lu})\p{Ll}/u.test(text);

const appended = (text: string, { phrase }: Subject): string => {
  const [, body = text, end = ''] = /^(.*?)([\s?.!]*)$/s.exec(text) ?? [];
  return `${body} for ${phrase}${end.trim()}`;
};

/** The subject of a clause. */
interface Subject {
  /** In a form that fits into another clause: `the Apollo III`, `our accessories`. */
  phrase: string;
  /** Without an article: `Apollo III`. */
  noun: string;
  /** Whether it is a name: capitalised, or with a number. */
  isName: boolean;
  /** Whether it is only an aspect of a thing: `stock`, `the warranty`. */
  isAspect: boolean;
}

/** The subject of a clause: its first name, otherwise its first noun phrase that is not an aspect such as `stock`. */
const subjectOf = (clause: string): Subject | undefined => {
  const subjects = nounPhrases(clause).filter((phrase) => !isPlace(phrase));
  const things = subjects.filter(({ noun }) => !isAspect(noun));
  // After an article it is a noun; elsewhere it may be a verb that is not in the word list.
  const found = subjects.find(({ isName }) => isName) ?? things.find(isNoun) ?? things[0] ?? subjects[0];
  if (found === undefined) return undefined;
  const { noun, lead, isName } = found;
  const article = /^(?:the|our|my|your)$/i.test(lead) ? `${lead.toLowerCase()} ` : isName ? 'the ' : '';
  return { noun, phrase: `${article}${noun}`, isName, isAspect: isAspect(noun) };
};

/** The place that a clause names, with its preposition: `in Germany`. Periods do not count. */
const placeOf = (clause: string): string | undefined => {
  const place = nounPhrases(clause).find(isPlace);
  return place === undefined ? undefined : `in ${place.noun}`;
};

/** Whether a clause asks for a list of things, so that a following `they` means those: `which products are below their level`. */
const asksForThings = (clause: string): boolean =>
  nounPhrases(clause).some(({ lead, noun }) => /^(?:which|what|many)$/i.test(lead) && !isAspect(noun));

interface NounPhrase {
  noun: string;
  /** The word before it; empty at the start. */
  lead: string;
  isName: boolean;
}

const isNoun = ({ lead }: NounPhrase): boolean =>
  /^(?:the|an?|our|my|your|its|their|this|that|these|those|any|some|all|of|for|about|with|many|which|what)$/i.test(
    lead,
  );

const isPlace = ({ lead, noun }: NounPhrase): boolean =>
  /^(?:in|from|to|at|on|into)$/i.test(lead) && /^\p{Ll}?\p{Lu}/u.test(noun);

/** Noun phrases, in order. */
const nounPhrases = (clause: string): NounPhrase[] => {
  const found: NounPhrase[] = [];
  let run: string[] = [];
  let lead = '';
  const close = () => {
    const named = isName(run, lead);
    // The `iPhone 17 price` is about the iPhone 17.
    const end = named ? run.findLastIndex((word) => !ASPECTS.has(word.toLowerCase())) + 1 : run.length;
    if (run.length > 0) found.push({ noun: run.slice(0, end).join(' '), lead, isName: named });
    run = [];
  };
  for (const token of clause.match(/[\p{L}\p{N}][\p{L}\p{N}.'’/-]*|[^\s\p{L}\p{N}]+/gu) ?? []) {
    const word = token.replace(/['’]s$|[.'’/-]+$/u, '');
    const isBreak =
      !/[\p{L}\p{N}]/u.test(token) || NO_NOUNS.has(word.toLowerCase()) || (isPeriod(word) && run.every(isAspect));
    if (!isBreak) run.push(word);
    if (isBreak || word !== token) close();
    if (isBreak) lead = token;
    else if (run.length === 0) lead = '';
  }
  close();
  return found;
};

/** A capital inside a word or after the start of the clause, or a number after a word: `iPhone 17`, `apollo 2`. */
const isName = (run: readonly string[], lead: string): boolean => {
  if (run.every((word) => ASPECTS.has(word.toLowerCase()) || /^\d+$/.test(word))) return false;
  const first = (run[0] ?? '').slice(0, MAX_WORD);
  if (run.length === 1 && /^v?[\d.]+$/i.test(first)) return false;
  if (/\p{L}.*\p{Lu}|\p{L}.*\d/u.test(first) || run.slice(1).some((word) => /\p{Lu}|\d/u.test(word))) return true;
  return lead !== '' && /^\p{Lu}/u.test(first);
};

const MAX_WORD = 60;

const isAspect = (noun: string): boolean => noun.split(' ').every((word) => ASPECTS.has(word.toLowerCase()));

/**
 * Words that are never part of a noun phrase: articles, pronouns, prepositions, question words, auxiliaries, and the common verbs and adjectives of
 * questions to a shop.
 */
export const NO_NOUNS: ReadonlySet<string> = new Set(words.noNouns);

/**
 * The subset whose presence changes the meaning of a question: negations, comparatives, superlatives, quantities, times, and prepositions that
 * exclude or compare. `t` is the rest of `don't`.
 */
export const DECISIVE_WORDS: ReadonlySet<string> = new Set(words.decisive);

/** Nouns for an aspect of a thing, not a thing: `stock`, `price`, `warranty`. */
const ASPECTS: ReadonlySet<string> = new Set(words.aspects);

/** A quarter, half, year or day: `Q1`, `FY25`, `2026-Q1`, `2026`. A time, not a thing. */
const isPeriod = (word: string): boolean =>
  PERIOD.test(word) || (/^\p{Lu}/u.test(word) && CALENDAR.has(word.toLowerCase()));

const PERIOD = /^(?:(?:[qh][1-4]|fy)(?:[-/.]?\d{2,4})?|(?:19|20)\d\d(?:[-/.](?:[qh][1-4]|\d{1,2})){0,2})$/i;

/** People and companies: a following `they` refers to them, not to the product before. */
const PARTIES =
  /\b(?:customers?|people|users?|owners?|buyers?|reviewers?|testers?|competitors?|rivals?|shops?|stores?|retailers?)\b/i;

const CALENDAR: ReadonlySet<string> = new Set(words.calendar);
