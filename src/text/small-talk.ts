import { detectLanguage } from './detect-language.ts';
import SMALL_TALK from './lists/small-talk.json' with { type: 'json' };

/**
 * What a message does that asks nothing of the articles: it thanks or says that the problem is solved, greets, says goodbye, or asks for a
 * person instead.
 */
export type SmallTalkKind = 'thanks' | 'greeting' | 'goodbye' | 'person';

export interface SmallTalk {
  kind: SmallTalkKind;
  /** Primary tag of BCP 47. */
  language: string;
}

/** A longer message says more. In UTF-16 units. */
const MAX_LENGTH = 200;

/**
 * Recognises a message that consists of small talk alone, in the languages of `lists/small-talk.json`. Every word of it has to be one that
 * thanks, greets, says goodbye or asks for a person, or a polite word beside those: "Thanks, but how?" and "How do I talk to a person about
 * a refund?" are questions.
 *
 * @param before The previous message of the same person, which tells the language of "ok".
 */
export const smallTalkIn = (message: string, before = ''): SmallTalk | undefined => {
  if (message.length > MAX_LENGTH) return undefined;
  const plain = plainText(message);
  if (plain === '') return undefined;
  // A question mark asks, unless it greets or asks for a person: "How are you?", "Can I talk to a person?"
  const asks = /[?？]/.test(message);
  const found = LANGUAGES.flatMap((language) => {
    const kind = isLikely(plain, language) ? formsOf(language).kindIn(plain) : undefined;
    return kind === undefined || (asks && (kind === 'thanks' || kind === 'goodbye')) ? [] : [{ kind, language }];
  });
  if (found.length < 2) return found[0];
  const likely = [detectLanguage(message), before === '' ? undefined : detectLanguage(before), 'en'];
  const [language] = likely.filter((each) => found.some((one) => one.language === each));
  return found.find((one) => one.language === language) ?? found[0];
};

/** Whether a message asks how a person is reached, or for one about a matter that it names: articles may answer that. */
export const mentionsPerson = (message: string): boolean => {
  if (message.length > MAX_LENGTH) return false;
  const plain = plainText(message);
  return LANGUAGES.some((language) => mayMention(plain, language) && formsOf(language).asksForPerson(plain));
};

/** The message without what only thanks or greets before or behind its question: "Thanks, that helped. And …". */
export const withoutSmallTalk = (message: string): string => {
  const clauses = message.slice(0, MAX_READ).split(/(?<=[.,;:!?…\n])(?=\s)|(?<=[。！？、，])/u);
  if (clauses.length < 2 || clauses.length > MAX_CLAUSES) return message;
  const isSaid = (clause: string): boolean => {
    const kind = smallTalkIn(clause)?.kind;
    return kind !== undefined && kind !== 'person';
  };
  const first = clauses.findIndex((clause) => !isSaid(clause));
  if (first < 0) return message;
  const last = clauses.findLastIndex((clause) => !isSaid(clause));
  const rest = `${clauses.slice(first, last + 1).join('')}${last === clauses.length - 1 ? message.slice(MAX_READ) : ''}`;
  return rest.trim();
};

const MAX_READ = 2000;
const MAX_CLAUSES = 40;

/** In lower case, words separated by single spaces, without emojis and punctuation. A message of thumbs and hearts becomes `👍`. */
const plainText = (message: string): string => {
  const plain = message
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’ʼ`´]/g, "'")
    .replace(/[^\p{L}\p{M}\p{N}' -]+/gu, ' ')
    .replace(/(?<!\p{L})['-]+|['-]+(?!\p{L})/gu, (marks, at: number, text: string) =>
      /\p{L}/u.test(text.charAt(at - 1)) && marks === "'" ? marks : ' ',
    )
    .replace(/(\p{L})\1{2,}/gu, '$1')
    .replace(/ +/g, ' ')
    .trim();
  return plain === '' &&
    /^[\s\p{P}]*(?:[👍👌🙏❤💙💚🎉👏😊🙂😀😃😄🥰🤝✅]\p{M}*[\u{1f3fb}-\u{1f3ff}\ufe0f\u200d]*[\s\p{P}]*)+$/u.test(
      message,
    )
    ? THUMB
    : plain;
};
const THUMB = '👍';

/**
 * Whether each word of a message begins like one that its language has for small talk. Expressions cost some milliseconds when they are
 * first used, and most messages need none.
 */
const isLikely = (plain: string, language: string): boolean => {
  const known = vocabularyOf(language);
  if (known === undefined) return UNSPACED.test(plain);
  if (plain === THUMB) return language === 'en';
  return plain.split(/[ '-]+/).every((word) => {
    if (word === '' || known.has(word)) return true;
    for (let end = MIN_STEM; end < word.length; end++) if (known.has(word.slice(0, end))) return true;
    return false;
  });
};

/** Words end in many ways. */
const MIN_STEM = 2;

const mayMention = (plain: string, language: string): boolean => {
  const lists = BY_LANGUAGE[language] ?? {};
  if ('whole' in lists) return false;
  const verbs = new Set([lists.speak ?? [], lists.reach ?? []].flat().join('|').split(/[| ]/));
  return plain.split(' ').some((word) => verbs.has(word));
};

const vocabularies = new Map<string, ReadonlySet<string>>();

/** All words in the lists and expressions of a language; undefined for one that is written without spaces. */
const vocabularyOf = (language: string): ReadonlySet<string> | undefined => {
  const known = vocabularies.get(language);
  if (known !== undefined) return known;
  const lists = BY_LANGUAGE[language] ?? {};
  if ('whole' in lists) return undefined;
  const text = Object.values(lists).flat().join(' ');
  const words = new Set(text.match(/\p{L}+/gu));
  // "persons?" holds "person", too.
  for (const [, word = ''] of text.matchAll(/(\p{L}+)\p{L}\?/gu)) words.add(word);
  vocabularies.set(language, words);
  return words;
};

interface Forms {
  kindIn: (plain: string) => SmallTalkKind | undefined;
  asksForPerson: (plain: string) => boolean;
}

type Lists = Readonly<Record<string, string | readonly string[]>>;
const BY_LANGUAGE: Readonly<Record<string, Lists | { whole: Wholes }>> = SMALL_TALK;
const LANGUAGES = Object.keys(BY_LANGUAGE);

const compiled = new Map<string, Forms>();

const formsOf = (language: string): Forms => {
  const known = compiled.get(language);
  if (known !== undefined) return known;
  const lists = BY_LANGUAGE[language] ?? SMALL_TALK.en;
  // Lists of words have no member of this name.
  const forms = 'whole' in lists ? pieceForms(lists.whole as Wholes) : wordForms(lists as Lists, language);
  compiled.set(language, forms);
  return forms;
};

/** The pieces that a message consists of, and an expression for what makes it small talk. */
type Wholes = Readonly<Record<SmallTalkKind, { pieces: readonly string[]; needs: string }>>;

/** Languages without spaces between words, or whose endings change too much to list words. */
const pieceForms = (wholes: Wholes): Forms => {
  const kinds = (['person', 'thanks', 'goodbye', 'greeting'] as const).map((kind) => ({
    kind,
    pieces: wholes[kind].pieces.map((piece) => new RegExp(piece, 'uy')),
    needs: new RegExp(wholes[kind].needs, 'u'),
  }));
  return {
    kindIn: (plain) => {
      const text = plain.replaceAll(' ', '');
      return kinds.find(({ pieces, needs }) => needs.test(text) && consistsOf(text, pieces))?.kind;
    },
    asksForPerson: () => false,
  };
};

const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;

/** Whether a text can be cut into pieces. Every place is reached at most once, so that no text takes long. */
const consistsOf = (text: string, pieces: readonly RegExp[]): boolean => {
  const reached = new Set([0]);
  // Places that are added while this runs are visited too.
  for (const at of reached)
    for (const piece of pieces) {
      piece.lastIndex = at;
      if (piece.test(text) && piece.lastIndex > at) reached.add(piece.lastIndex);
    }
  return reached.has(text.length);
};

/** In the order in which they are looked for: the first words of one may be a whole other one ("nice", "nice day"). */
const KINDS = ['solved', 'goodbye', 'greeting', 'thanks'] as const;
/** What a message does that does several. */
const FOREMOST = ['thanks', 'solved', 'goodbye', 'greeting'] as const;

const wordForms = (lists: Lists, language: string): Forms => {
  const phrases = (name: string): RegExp => phrase([lists[name] ?? []].flat().join('|'));
  const words = (name: string): ReadonlySet<string> => new Set([lists[name] ?? []].flat().join(' ').split(' '));
  const patterns = Object.fromEntries(KINDS.map((name) => [name, phrases(name)])) as Record<
    (typeof KINDS)[number],
    RegExp
  >;
  const [who, talk, reach] = [phrases('who'), phrases('talk'), phrases('reach')];
  const [polite, wish, asks, bare] = [words('polite'), words('wish'), words('asks'), words('bare')];
  /** Removes what a pattern finds, and counts it. */
  const taking = (text: string) => {
    let rest = text;
    return {
      take: (pattern: RegExp): number => {
        const count = rest.match(pattern)?.length ?? 0;
        rest = rest.replace(pattern, ' ');
        return count;
      },
      rest: () => rest.split(' ').flatMap((word) => (word === '' ? [] : [word])),
    };
  };
  const isIn = (word: string, ...sets: readonly ReadonlySet<string>[]): boolean =>
    sets.some((set) => set.has(word)) ||
    (/['-]/.test(word) &&
      word
        .replace(/'/g, "' ")
        .split(/[ -]/)
        .every((part) => part === '' || sets.some((set) => set.has(part))));
  const person = (plain: string, ...further: readonly ReadonlySet<string>[]): boolean => {
    const { take, rest } = taking(plain);
    const talks = take(talk);
    const reaches = take(reach);
    const persons = take(who);
    if (persons === 0) return false;
    const others = rest();
    const isRequest =
      talks > 0 || (reaches > 0 && others.length > 0) || plain.split(' ').some((word) => bare.has(word));
    return isRequest && others.every((word) => isIn(word, wish, ...further));
  };
  const speak = phrases('speak').source;
  const near = new RegExp(`${speak}.{0,20}${who.source}|${who.source}.{0,20}${speak}`, 'iu');
  const any = new RegExp([who, ...Object.values(patterns)].map(({ source }) => source).join('|'), 'iu');
  return {
    kindIn: (plain) => {
      if (plain === THUMB) return language === 'en' ? 'thanks' : undefined;
      if (!any.test(plain)) return undefined;
      if (person(plain)) return 'person';
      const { take, rest } = taking(plain);
      const said = KINDS.filter((kind) => take(patterns[kind]) > 0);
      const found = FOREMOST.find((kind) => said.includes(kind));
      if (found === undefined || !rest().every((word) => isIn(word, polite))) return undefined;
      return found === 'solved' ? 'thanks' : found;
    },
    asksForPerson: (plain) => near.test(plain) || (plain.search(talk) < 0 && person(plain, asks, polite)),
  };
};

/** Whole words, all of them. */
const phrase = (source: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}'])(?:${source || '(?!)'})(?![\\p{L}\\p{N}])`, 'giu');
