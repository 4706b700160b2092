import { withoutMarks } from './analyse-text.ts';
import { detectLanguage } from './detect-language.ts';
import REFERENCES from './lists/references.json' with { type: 'json' };
import { smallTalkIn, withoutSmallTalk } from './small-talk.ts';
import type { Span } from './split-sentences.ts';

/**
 * What a question takes from the turns before it: `nothing`, it is read alone; `thing`, a pronoun stands for something that was named
 * before, but the question asks something of its own ("Is it covered by the warranty?"); `question`, it has no subject of its own and
 * continues the question before ("And in Canada?", "How long does that take?").
 */
export type Reference = 'nothing' | 'thing' | 'question';

/** The turn before a question. */
export interface TurnBefore {
  /** The previous question of the same person, which tells the language of a message of one or two words. */
  question: string;
  /** Its answer; what is said after one that ends with a question mark replies to it. */
  answer?: string | undefined;
}

/** A longer message explains itself. In UTF-16 units. */
const MAX_LENGTH = 300;

/**
 * Decides whether a question refers to the conversation before it. Every part that reads a conversation asks here, and a question that does
 * not refer back is read alone. Pure; knows the languages of `lists/references.json`.
 *
 * @param message As written, with or without thanks or a greeting before the question.
 */
export const referenceIn = (message: string, { question: before, answer = '' }: TurnBefore = NO_TURN): Reference => {
  if (message.length > MAX_LENGTH) return 'nothing';
  const text = ownTextOf(message);
  const references = languagesOf(text, before).map((language): Reference => {
    const forms = formsOf(language);
    const reference = 'fragments' in forms ? referenceInCharacters(text, forms) : referenceInWords(text, forms);
    return reference === 'nothing' && isReply(text, answer, forms) ? 'question' : reference;
  });
  return references.find((reference) => reference !== 'nothing') ?? 'nothing';
};

/** A message without thanks and greetings, and without marks at its beginning. */
const ownTextOf = (message: string): string =>
  withoutSmallTalk(message)
    .replace(/[’ʼ`´]/g, "'")
    .replace(/^[\s¿¡"'“„«(-]+/u, '')
    .trim();

const NO_TURN: TurnBefore = { question: '' };

/** Whether a question refers to the conversation before it. */
export const refersBack = (message: string, before?: TurnBefore): boolean => referenceIn(message, before) !== 'nothing';

/** Something that is said when a question was asked back, and no question itself. */
const isReply = (text: string, answer: string, forms: WordForms | CharacterForms): boolean =>
  /[?？]\s*$/.test(answer) &&
  !/[?？]/.test(text) &&
  ('fragments' in forms || !forms.asking.has(wordsIn(text, forms)[0]?.word ?? ''));

/**
 * The turns that a question is read with: none unless it refers back. Thanks, greetings and requests for a person are left out with their
 * replies, so that "and in Canada?" after "thanks!" continues the question before.
 */
export const turnsFor = <Turn extends { speaker: 'user' | 'assistant'; text: string }>(
  question: string,
  turns: readonly Turn[],
): Turn[] => {
  const asked: Turn[] = [];
  let isQuestion = true;
  for (const turn of turns) {
    if (turn.speaker === 'user') isQuestion = smallTalkIn(turn.text) === undefined;
    if (isQuestion) asked.push(turn);
  }
  return asked.length > 0 && refersBack(question, lastOf(asked)) ? asked : [];
};

/** The last question in a history, and what was answered to it. */
export const lastOf = (turns: readonly { speaker: 'user' | 'assistant'; text: string }[]): TurnBefore | undefined => {
  const at = turns.findLastIndex(({ speaker }) => speaker === 'user');
  return at < 0 ? undefined : { question: turns[at]?.text ?? '', answer: turns.slice(at + 1).at(-1)?.text };
};

/** Own words from which on a question with a pronoun asks something of its own. */
const OWN_WORDS = 2;
/** Own words from which on a question explains itself, whatever its pronouns mean. */
const OWN_SUBJECT = 5;
/** Words of the longest part of a question. */
const MAX_FRAGMENT = 6;

const referenceInWords = (text: string, forms: WordForms): Reference => {
  const { isContinued, isOpen, rest } = continuationOf(text, forms);
  const words = wordsIn(rest, forms);
  const subjects = words.filter(({ isContent }) => isContent).length;
  const asks = words.some(({ word }) => forms.asking.has(word));
  const isQuestion = asks || text.endsWith('?');
  const byWords: Reference = subjects >= OWN_WORDS ? 'thing' : 'question';
  if (isOpen) return 'question';
  if (isContinued) {
    const [first] = words;
    const isCondition = first !== undefined && forms.joints.has(first.word) && !forms.asking.has(first.word);
    if (isCondition) return byWords;
    const isWhole = first !== undefined && forms.asking.has(first.word);
    if (!isWhole && (text.endsWith('?') || words.length <= MAX_FRAGMENT)) return 'question';
    if (isWhole && subjects < OWN_WORDS) return subjects === 0 ? 'question' : 'thing';
  }
  if (subjects < OWN_SUBJECT && hasOpenPronoun(rest, forms)) return subjects === 0 && !isQuestion ? 'nothing' : byWords;
  if (subjects === 0) return isQuestion ? 'question' : 'nothing';
  const isPhrase = !asks && words.length <= MAX_FRAGMENT && forms.prepositions.has(words[0]?.word ?? '');
  return isPhrase ? 'question' : 'nothing';
};

/** Scripts without spaces. */
const referenceInCharacters = (text: string, { pronouns, expletives, fragments }: CharacterForms): Reference => {
  if (fragments.test(text)) return 'question';
  const read = text.replace(expletives, (found) => ' '.repeat(found.length));
  const at = read.search(pronouns);
  const isResolved = /[\p{L}\p{N}]{4,}[、，。；,.!?！？\n]/u.test(read.slice(0, Math.max(0, at)));
  if (at < 0 || isResolved) return 'nothing';
  return text.length > MAX_BARE_CHARACTERS ? 'thing' : 'question';
};

const MAX_BARE_CHARACTERS = 10;

/** Whether a text has a pronoun of which nothing in the message itself can be meant. */
const hasOpenPronoun = (text: string, forms: WordForms): boolean => openPronounsIn(text, forms).length > 0;

/** The pronouns of which nothing in the message itself can be meant: no subject stands in a clause before them. */
const openPronounsIn = (text: string, forms: WordForms): Pronoun[] => {
  const read = text.replace(forms.expletives, (found) => ' '.repeat(found.length));
  const bounds = [...read.matchAll(forms.bounds)].map(({ index, 0: found }) => index + found.length);
  const namesBefore = (end: number) => wordsIn(read.slice(0, end), forms).some(({ isContent }) => isContent);
  const matchesOf = (pattern: RegExp, isPossessive: boolean): Pronoun[] =>
    [...read.matchAll(pattern)].map(({ index, 0: match }) => ({
      start: index,
      end: index + match.length,
      isPossessive,
    }));
  return [
    ...[forms.pronouns, forms.sensitive]
      .flatMap((pattern) => matchesOf(pattern, false))
      .filter(({ start }) => !namesBefore(bounds.findLast((bound) => bound <= start) ?? 0)),
    ...matchesOf(forms.possessives, true).filter(({ start }) => !namesBefore(start)),
  ];
};

/** A pronoun with the words that tell that it is one. */
interface Pronoun extends Span {
  isPossessive: boolean;
}

/** Said before any question: "ok", "hm", "so". */
const LEAD_IN =
  /^(?:ok(?:ay|ey)?|h?m+|oh|ah|aha|wow|so|well|interesting|really|thanks|thx|gut|ja|nein|no|yes|bien|bueno|vale|oui|non|bene|bom|goed|bra|dobrze)(?![\p{L}\p{N}])[\s,.!…:;-]*(?=\S)/iu;

/** How a message continues the one before it. `isOpen`: by words that leave the rest of the question out, as "what about" does. */
const continuationOf = (text: string, { continuing }: WordForms) => {
  let rest = text.replace(LEAD_IN, '');
  let isContinued = false;
  let isOpen = false;
  for (let found = continuing.exec(rest); found !== null && found[0] !== ''; found = continuing.exec(rest)) {
    const phrase = found[0].replace(/[\s,.:;!…-]+$/u, '');
    isContinued = true;
    isOpen ||= phrase.includes(' ');
    rest = rest.slice(found[0].length);
    if (rest === '' || isOpen) break;
  }
  return { isContinued, isOpen, rest };
};

/** A question without the words that continue the one before it: "And what about shipping?" is about "shipping?". */
export const withoutContinuation = (text: string): string => {
  const forms = formsOf(languagesOf(text)[0] ?? 'en');
  return ('fragments' in forms ? '' : continuationOf(text, forms).rest) || text;
};

/** What of a question refers back, and how its words and those of other texts in its language are read. */
export interface References {
  /** The question without what it begins with to continue another: "And on the II?" is about "on the II?". */
  rest: string;
  /** It is only a part of a question. */
  isPart: boolean;
  /** What `rest` leaves out, when it leaves the rest of a question out: "what about", "what if". */
  lead: string;
  /** What stands for something that was named before, in `rest` and in order. */
  pronouns: readonly Pronoun[];
  /** It has a pronoun, which something in it may explain. */
  hasPronoun: boolean;
  wordsOf(text: string): Word[];
  isPreposition(word: string): boolean;
  /** It may begin a question: "how", "does". */
  isAsking(word: string): boolean;
  /** The script has no spaces: its words are single characters. */
  hasNoSpaces: boolean;
}

/**
 * Reads what of a question refers back.
 *
 * @param before Another text in the same language.
 */
export const referencesIn = (question: string, before = ''): References => {
  const text = ownTextOf(question);
  const forms = formsOf(languagesOf(`${before} ${text}`)[0] ?? 'en');
  if ('fragments' in forms) {
    const pronouns = [...text.matchAll(new RegExp(forms.pronouns.source, 'gu'))].map(({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
      isPossessive: false,
    }));
    const isNone = () => false;
    const isPart = forms.fragments.test(text);
    const reading = { wordsOf: charactersIn, isPreposition: isNone, isAsking: isNone, hasNoSpaces: true };
    return { rest: text, isPart, lead: '', pronouns, hasPronoun: pronouns.length > 0, ...reading };
  }
  const { isContinued, isOpen, rest } = continuationOf(text, forms);
  const wordsOf = (each: string) => wordsIn(each, forms);
  const [first] = wordsOf(rest);
  return {
    rest,
    isPart: isOpen || (isContinued && !forms.asking.has(first?.word ?? '')),
    lead: isOpen ? text.slice(0, text.length - rest.length) : '',
    pronouns: openPronounsIn(rest, forms).toSorted((one, other) => one.start - other.start),
    hasPronoun: [forms.pronouns, forms.sensitive, forms.possessives].some((pattern) => rest.search(pattern) >= 0),
    wordsOf,
    isPreposition: (each) => forms.prepositions.has(each),
    isAsking: (each) => forms.asking.has(each),
    hasNoSpaces: false,
  };
};

/** How a question is read whose words that refer back are to be replaced. */
export interface OwnWords {
  /** Its words in lower case, in the runs between those that refer back: "How long do I hold it on the II?" has two. */
  runs: string[][];
  /** It is only a part of a question, "And on the II?": `preposition` stood before its first run. */
  part: { preposition: string | undefined } | undefined;
  /** Reads another text in the same language. */
  wordsOf(text: string): Word[];
  isPreposition(word: string): boolean;
  /** It asks, joins or is polite, so that what is asked does not depend on it. */
  isFree(word: string): boolean;
}

/**
 * Reads which words of a question have to stand in one that asks the same and stands alone.
 *
 * @param isWhole Whether it continues nothing that was said before.
 */
export const ownWordsIn = (question: string, isWhole = false): OwnWords => {
  const forms = formsOf(languagesOf(question)[0] ?? 'en');
  if ('fragments' in forms) {
    const chunks = question.split(new RegExp(forms.pronouns.source, 'gu'));
    const runs = chunks.map(charactersIn).filter(({ length }) => length > 0);
    const isNone = () => false;
    return { runs: runs.map(textsOf), part: undefined, wordsOf: charactersIn, isPreposition: isNone, isFree: isNone };
  }
  const alone = { isContinued: false, isOpen: false, rest: question };
  const { isContinued, isOpen, rest } = isWhole ? alone : continuationOf(question.trim(), forms);
  const pronouns = [forms.pronouns, forms.sensitive, ...(isWhole ? [forms.possessives] : [])];
  const withBreaks = pronouns.reduce((text, pattern) => text.replace(pattern, '\n'), rest);
  const [first = [], ...others] = withBreaks.split('\n').map((text) => wordsIn(text, forms));
  const isPart = isOpen || (isContinued && !forms.asking.has(first[0]?.word ?? ''));
  const subject = isPart ? Math.max(0, first.findIndex(isContentWord)) : 0;
  const runs = [first.slice(subject), ...others];
  const lead = textsOf(first.slice(0, subject));
  return {
    runs: runs
      .map((run, at) => textsOf(at === runs.length - 1 && !isWhole ? withoutEnd(run) : run))
      .filter(({ length }) => length > 0),
    part: isPart ? { preposition: lead.findLast((word) => forms.prepositions.has(word)) } : undefined,
    wordsOf: (text) => wordsIn(text, forms),
    isPreposition: (word) => forms.prepositions.has(word),
    isFree: (word) => forms.free.has(word),
  };
};

const isContentWord = ({ isContent }: Word): boolean => isContent;
const textsOf = (words: readonly Word[]): string[] => words.map(({ word }) => word);

/** Without what follows the last word that names something, such as "too" and "instead". */
const withoutEnd = (run: readonly Word[]): readonly Word[] => {
  const last = run.findLastIndex(isContentWord);
  return last < 0 ? run : run.slice(0, last + 1);
};

/** In scripts without spaces. */
const charactersIn = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{N}]/gu)].map(({ index, 0: found }) => ({
    word: found.toLowerCase(),
    isContent: true,
    start: index,
    end: index + found.length,
  }));

export interface Word extends Span {
  /** In lower case. */
  word: string;
  /** It may name a subject. */
  isContent: boolean;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:[-.:/'][\p{L}\p{M}\p{N}]+)*'?/gu;
const ELIDED_WORD = /[\p{L}\p{M}\p{N}]+(?:[-.:/][\p{L}\p{M}\p{N}]+)*'?/gu;

const wordsIn = (text: string, { functionWords, hasElision }: WordForms): Word[] =>
  [...text.matchAll(hasElision ? ELIDED_WORD : WORD)].map(({ index, 0: found }) => {
    const word = found.toLowerCase();
    const isContent = !functionWords.has(word) && !word.split('-').every((part) => functionWords.has(part));
    return { word, isContent, start: index, end: index + found.length };
  });

type Lists = Readonly<Record<string, string | readonly string[]>>;
const BY_LANGUAGE: Readonly<Record<string, Lists>> = REFERENCES;
const LANGUAGES = Object.keys(BY_LANGUAGE);

interface WordForms {
  /** Words that begin a whole question or request. */
  asking: ReadonlySet<string>;
  /** Words that name no subject. */
  functionWords: ReadonlySet<string>;
  prepositions: ReadonlySet<string>;
  joints: ReadonlySet<string>;
  /** Words that ask, join two clauses or are polite. */
  free: ReadonlySet<string>;
  /** Words of politeness before a request. */
  polite: ReadonlySet<string>;
  /** What joins two clauses of equal rank: "and", "as well as". */
  joining: RegExp;
  /** What continues the question before, at the beginning. */
  continuing: RegExp;
  pronouns: RegExp;
  /** Pronouns in lower case only, where a capital makes another word of them. */
  sensitive: RegExp;
  /** Pronouns that may mean a subject of the same clause: "Does the shop have its own app?" */
  possessives: RegExp;
  /** Uses of pronouns that mean nothing. */
  expletives: RegExp;
  /** The beginning of a clause. */
  bounds: RegExp;
  /** Articles and pronouns end with an apostrophe before a vowel. */
  hasElision: boolean;
}

interface CharacterForms {
  pronouns: RegExp;
  expletives: RegExp;
  /** Whole messages that are a part of a question. */
  fragments: RegExp;
}

const compiled = new Map<string, WordForms | CharacterForms>();

const formsOf = (language: string): WordForms | CharacterForms => {
  const known = compiled.get(language);
  if (known !== undefined) return known;
  const lists = BY_LANGUAGE[language] ?? REFERENCES.en;
  const forms = 'fragments' in lists ? characterForms(lists) : wordForms(lists);
  compiled.set(language, forms);
  return forms;
};

/** Matches nothing. */
const NEVER = '(?!)';
const anyOf = (patterns: string | readonly string[] | undefined): string =>
  patterns === undefined || patterns.length === 0 ? NEVER : [patterns].flat().join('|');
const word = (patterns: string): string => `(?<![\\p{L}\\p{N}])(?:${patterns})(?![\\p{L}\\p{N}])`;

const characterForms = ({ pronouns, expletives, fragments }: Lists): CharacterForms => ({
  pronouns: new RegExp(anyOf(pronouns), 'u'),
  expletives: new RegExp(anyOf(expletives), 'gu'),
  fragments: new RegExp(anyOf(fragments), 'u'),
});

const wordForms = (lists: Lists): WordForms => {
  const joints = wordsOfList(lists.joints);
  return {
    asking: wordsOfList(lists.asking),
    functionWords: vocabularyOf(lists),
    prepositions: wordsOfList(lists.prepositions),
    joints,
    free: freeWordsOf(lists),
    polite: wordsOfList(lists.polite),
    joining: joiningOf(lists.joining),
    continuing: new RegExp(`^(?:${anyOf(lists.continuing)})(?![\\p{L}\\p{N}])[\\s,.:;!…-]*`, 'iu'),
    pronouns: new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyOf(lists.pronouns)})(?![\\p{L}\\p{N}])`, 'giu'),
    sensitive: new RegExp(word(anyOf(lists.sensitive)), 'gu'),
    possessives: new RegExp(word(anyOf(lists.possessives)), 'giu'),
    expletives: new RegExp(word(anyOf(lists.expletives)), 'giu'),
    bounds: new RegExp(`[.,;:!?\\n]\\s*|${word([...joints].join('|'))}\\s*`, 'giu'),
    hasElision: [...joints, ...wordsOfList(lists.function)].some((each) => each.endsWith("'")),
  };
};

/** All but contractions, which may be negations ("isn't"), and phrases. */
const freeWordsOf = ({ asking, polite, joining }: Lists): ReadonlySet<string> =>
  new Set([asking, polite, joining].flatMap((list) => `${list}`.split(' ').filter((each) => /^\p{L}+$/u.test(each))));

/** The longest first, and with what stands around them. */
const joiningOf = (list: string | readonly string[] | undefined): RegExp => {
  const phrases = typeof list === 'string' ? list.split(' ').map((phrase) => phrase.replaceAll('-', '\\s+')) : [];
  const any = anyOf(phrases.toSorted((one, other) => other.length - one.length));
  return new RegExp(`\\s*[;；]\\s*|[,，、]?\\s+(?:(?:${any}|&)[,，]?\\s+){1,3}|[,，、]\\s+(?:(?:${any})\\s+)?`, 'giu');
};

const wordsOfList = (list: string | readonly string[] | undefined): ReadonlySet<string> =>
  new Set(typeof list === 'string' ? list.split(' ').flatMap((each) => [each, ...each.split('-')]) : []);

/**
 * Words of a language that name no subject, in lower case without diacritics: pronouns, question words, and verbs such as "mean" and "cost".
 * Empty for a language that is not known here.
 */
export const functionWordsOf = (language: string): ReadonlySet<string> => {
  const known = functionWords.get(language);
  if (known !== undefined) return known;
  if (!Object.hasOwn(BY_LANGUAGE, language)) return NO_WORDS;
  const words = new Set([...vocabularyOf(BY_LANGUAGE[language] ?? {})].map(withoutMarks));
  functionWords.set(language, words);
  return words;
};
const functionWords = new Map<string, ReadonlySet<string>>();
const NO_WORDS: ReadonlySet<string> = new Set();

/** Whether a text has words and none of them names a subject, as in "It does not work". */
export const namesNoSubject = (text: string): boolean =>
  languagesOf(text).some((language) => {
    const forms = formsOf(language);
    if ('fragments' in forms) return false;
    const words = wordsIn(text, forms);
    return words.length > 0 && words.every(({ isContent }) => !isContent);
  });

const vocabularies = new Map<Lists, ReadonlySet<string>>();

/** All words of a language that name no subject. */
const vocabularyOf = (lists: Lists): ReadonlySet<string> => {
  const known = vocabularies.get(lists);
  if (known !== undefined) return known;
  const vocabulary = new Set(
    [lists.asking, lists.function, lists.prepositions, lists.joints].flatMap((list) => [...wordsOfList(list)]),
  );
  for (const phrase of lists.continuing ?? []) if (/^\p{L}+$/u.test(phrase)) vocabulary.add(phrase);
  for (const phrase of lists.pronouns ?? []) {
    const [, plain] = /^(\p{L}+)(?=$|\()/u.exec(phrase) ?? [];
    if (plain !== undefined) vocabulary.add(plain);
  }
  vocabularies.set(lists, vocabulary);
  return vocabulary;
};

/** Worth of a detected language, in words that it knows; of a few words it is a guess. */
const DETECTED = 1.5;
const FEW_WORDS = 4;

let knowing: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** The languages in whose vocabulary a word is, with or without what follows an apostrophe. */
const languagesKnowing = (word: string): ReadonlySet<string> => {
  knowing ??= languagesByWord();
  const own = knowing.get(word) ?? NO_WORDS;
  const elided = word.includes("'") ? knowing.get(word.replace(/'.*/, "'")) : undefined;
  return elided === undefined ? own : new Set([...own, ...elided]);
};

const languagesByWord = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const languages = new Map<string, Set<string>>();
  for (const language of LANGUAGES) {
    for (const each of vocabularyOf(BY_LANGUAGE[language] ?? {})) {
      languages.set(each, (languages.get(each) ?? new Set()).add(language));
    }
  }
  return languages;
};

/** How a text or a part of it asks. */
export interface Asking {
  /** It begins as a question or request does, after words such as "and" and "please". */
  beginsAsking: boolean;
  /** It begins with a preposition: the rest of a clause. */
  goesOn: boolean;
  /** It begins with a function word such as an article, and asks nothing: it names something. */
  isPhrase: boolean;
  /** It begins with a word such as "which" or "when", which after a comma tells more of what stands before it. */
  isRelative: boolean;
  /** Words that name a subject. */
  subjects: number;
  words: number;
}

/** Reads how a text asks, in the language of the text that it belongs to. */
export const askingIn = (text: string, whole: string = text): Asking => {
  const forms = formsOf(languagesOf(whole)[0] ?? 'en');
  if ('fragments' in forms) {
    // Scripts without spaces: two characters are about a word.
    const words = Math.ceil(text.replace(/[^\p{L}\p{N}]+/gu, '').length / 2);
    return { beginsAsking: words > 2, goesOn: false, isPhrase: false, isRelative: false, subjects: words, words };
  }
  const words = wordsIn(continuationOf(text.replace(/^[\s¿¡"'“„«(-]+/u, ''), forms).rest, forms);
  const own = words.filter(({ word }) => !forms.polite.has(word));
  const isAsking = (word: string | undefined) => word !== undefined && forms.asking.has(word);
  const [first, second] = own.filter(({ word }) => isAsking(word) || !forms.prepositions.has(word));
  // "When I open it, ..." is a condition, "when is it open" is a question.
  const isCondition =
    first !== undefined && forms.joints.has(first.word) && !isAsking(second?.word) && whole.startsWith(`${text},`);
  return {
    beginsAsking: isAsking(first?.word) && !isCondition,
    goesOn: forms.prepositions.has(own[0]?.word ?? ''),
    isPhrase: own[0]?.isContent === false && !isAsking(own[0].word),
    isRelative: forms.joints.has(own[0]?.word ?? ''),
    subjects: words.filter(({ isContent }) => isContent).length,
    words: words.length,
  };
};

/** The joints between clauses of a text: "and", a comma. */
export const jointsIn = (text: string): RegExpExecArray[] => {
  const forms = formsOf(languagesOf(text)[0] ?? 'en');
  return [...text.matchAll('fragments' in forms ? /[，、；;]\s*/gu : forms.joining)];
};

/** The language that knows most words of a text, several for a text of a few words that they share: all of them count. */
export const languagesOf = (text: string, before = ''): string[] => {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?:'(?:\p{L}+)?)?/gu) ?? [];
  const detected = detectLanguage(text);
  if (detected !== undefined && BY_LANGUAGE[detected]?.fragments !== undefined) return [detected];
  const earlier = before === '' ? undefined : detectLanguage(before);
  const counts = new Map<string, number>();
  for (const each of words) {
    for (const language of languagesKnowing(each)) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const scored = LANGUAGES.map((language) => {
    const count = counts.get(language) ?? 0;
    const [likely, equal] = [
      language === detected && words.length >= FEW_WORDS ? DETECTED : 0,
      language === earlier ? 0.5 : 0,
    ];
    return { language, score: count + likely + equal + (language === 'en' ? 0.1 : 0) };
  });
  const most = Math.max(...scored.map(({ score }) => score));
  return scored.flatMap(({ language, score }) => (score === most ? [language] : []));
};
