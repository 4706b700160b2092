import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bitsOfKind,
  type MessageModel,
  messageClassifier,
  messageFeatures,
  softmax,
} from '../../text/classify-message.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { failUsage, readCommandLine } from '../command-line.ts';

const HELP = `Fits the models that read messages (src/text/message-models.json): small talk, the language of it, and sentences of automatic
mail. They are fitted to message-phrases.json beside this file and, as what is none of these, to questions of customers: answer-questions/,
every other one of foreign/, and the examples that librarians are chosen by. Prints what a fit without every fifth phrase does with those
phrases and with the other questions of foreign/.

  node src/dev/eval/fit-messages.ts [options]

  --model <name>  fit one model: talk, language or mail
  --write         fit with all phrases and write, instead of printing figures
  --help          this text
`;

const { values } = readCommandLine(HELP, { options: { model: { type: 'string' }, write: { type: 'boolean' } } });

interface Example {
  text: string;
  kind: string;
}

/** By language, kind and phrase. */
type Phrases = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const HERE = import.meta.dirname;
const SOURCE = join(HERE, '../..');
const PHRASES = JSON.parse(readFileSync(join(HERE, 'message-phrases.json'), 'utf8')) as {
  talk: Phrases;
  mail: Phrases;
};
const TALK = ['question', 'thanks', 'greeting', 'goodbye', 'person', 'matter'];
const MAIL = ['personal', 'absence', 'delivery', 'acknowledgement'];

type Random = () => number;

/** Numbers between 0 and 1, the same ones in each run (mulberry32). */
const randomNumbers = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const oneOf = <T>(list: readonly T[], random: Random): T => {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error('an empty list');
  return one;
};

/** A letter missing, doubled, or exchanged with the next one, in a word that is long enough to be read all the same. */
const mistyped = (text: string, random: Random): string => {
  const words = text.split(' ');
  const at = Math.floor(random() * words.length);
  const word = words[at] ?? '';
  if (word.length < 5) return text;
  const place = 1 + Math.floor(random() * (word.length - 2));
  const letter = word.charAt(place);
  const next = word.charAt(place + 1);
  words[at] =
    word.slice(0, place) + oneOf([next, letter + letter + next, next + letter], random) + word.slice(place + 2);
  return words.join(' ');
};

/** As people type who lack the letter; marks make no difference to the features. */
const LETTERS: Readonly<Record<string, string>> = { ı: 'i', ł: 'l', ø: 'o', æ: 'ae', ß: 'ss' };
const withoutLetters = (text: string): string => text.replace(/[ıłøæß]/g, (letter) => LETTERS[letter] ?? letter);

const isUnspaced = (language: string): boolean => ['zh', 'ja', 'ko'].includes(language);

const lines = (folder: string): string[] =>
  readdirSync(join(HERE, folder))
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(HERE, folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { question: string }).question);

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return value.includes(' ') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

const EXAMPLES = [
  'search/off-topic-questions.json',
  'dev/eval/routing-questions-dev.json',
  'navigator/question-examples.json',
  'agents/semantic/question-examples.json',
  'agents/analytics/question-examples.json',
  'agents/web-search/question-examples.json',
];
const foreign = lines('foreign');
/** What customers ask, mostly in English. */
const questions = [
  ...lines('answer-questions'),
  ...foreign.filter((_, at) => at % 2 === 0),
  ...EXAMPLES.flatMap((file) => stringsIn(JSON.parse(readFileSync(join(SOURCE, file), 'utf8')))),
];

const barePhrase = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L} ]/gu, '')
    .trim();

/** Phrases of small talk and their words, which a piece of a question may be by chance. */
const small = new Set(
  Object.values(PHRASES.talk)
    .flatMap((byKind) => Object.entries(byKind).flatMap(([kind, list]) => (kind === 'question' ? [] : list)))
    .flatMap((text) => [barePhrase(text), ...text.split(' ').map(barePhrase)]),
);

/** A message of one to five words that stand in a question. */
const piecesOf = (question: string, random: Random): Example[] => {
  const words = question.split(/\s+/);
  const at = Math.floor(random() * words.length);
  return [1, 1, 1, 1, 1, 2, 2, 3, 5]
    .map((count) => (count === 1 ? oneOf(words, random) : words.slice(at, at + count).join(' ')))
    .filter((text) => /^\p{L}/u.test(text) && !small.has(barePhrase(text)))
    .map((text) => ({ kind: 'question', text }));
};

/** Messages of the phrases of small talk: alone, together, mistyped, with a word exchanged, beside something that is asked. */
const talkExamples = (phrases: Phrases): Example[] => {
  const random = randomNumbers(5);
  const examples: Example[] = [];
  const add = (kind: string, text: string) => void examples.push({ kind, text });
  for (const [language, byKind] of Object.entries(phrases)) {
    const joins = isUnspaced(language) ? ['，', '', '。'] : [' ', ', ', '. '];
    const one = (kind: string): string => oneOf(byKind[kind] ?? [], random);
    const all = (...kinds: string[]): string => kinds.map(one).join(oneOf(joins, random));
    for (const [kind, list] of Object.entries(byKind))
      for (const text of list) {
        for (let time = 0; time < (kind === 'question' ? 8 : 60); time++) add(kind, text);
        add(kind, withoutLetters(text));
        if (text.length > 6) add(kind, mistyped(text, random));
        if (kind === 'question') examples.push(...piecesOf(text, random).slice(0, 4));
        const words = text.split(' ');
        for (let time = 0; time < 2 && words.length > 2 && kind !== 'question'; time++) {
          const other = language === 'en' && time === 0 ? oneOf(questions, random) : one('question');
          words[Math.floor(random() * words.length)] = oneOf(other.split(' '), random);
          add('question', words.join(' '));
        }
      }
    for (let round = 0; round < 2 * (byKind.thanks?.length ?? 0); round++) {
      for (const kind of ['thanks', 'greeting', 'goodbye', 'person', 'matter', 'question'])
        add(kind === 'matter' || kind === 'person' || kind === 'question' ? kind : 'thanks', all('thanks', kind));
      for (const kind of ['thanks', 'greeting', 'person', 'matter', 'question']) add(kind, all('greeting', kind));
      for (const kind of ['person', 'thanks', 'goodbye']) add('question', all('question', kind));
      add('question', all('person', 'question'));
      add('question', all('thanks', 'thanks', 'question'));
      add('thanks', all('thanks', 'thanks', 'thanks'));
      add('goodbye', all('goodbye', 'goodbye'));
      const word = oneOf(one('question').split(' '), random);
      add('question', oneOf([`${one('thanks')} ${word}`, `${word} ${one('thanks')}`], random));
      add('question', oneOf([`${one('greeting')} ${word}`, `${word} ${one('goodbye')}`], random));
    }
  }
  for (const question of questions) {
    add('question', question);
    examples.push(...piecesOf(question, random));
  }
  return examples;
};

/** Small talk of which `detectLanguage` does not see the language, with it; short phrases, which are the usual ones, more often. */
const languageExamples = (phrases: Phrases): Example[] => {
  const random = randomNumbers(7);
  const examples: Example[] = [];
  for (const [language, byKind] of Object.entries(phrases))
    for (const [kind, list] of Object.entries(byKind)) {
      if (kind === 'question' || kind === 'matter') continue;
      for (const text of list.filter((each) => detectLanguage(each) === undefined)) {
        const times = Math.max(4, 16 - 4 * text.split(' ').length);
        for (let time = 0; time < times; time++) examples.push({ kind: language, text });
        examples.push({ kind: language, text: withoutLetters(text) });
        examples.push({ kind: language, text: `${text} ${oneOf(list, random)}` });
      }
    }
  return examples;
};

/** Sentences of mail, and subjects behind the mark by which `automaticMail` reads them. */
const mailExamples = (mail: Phrases, talk: Phrases): Example[] => {
  const random = randomNumbers(9);
  const examples: Example[] = [];
  const add = (kind: string, text: string) => void examples.push({ kind, text });
  for (const [language, byKind] of Object.entries(mail)) {
    const asked = [...(talk[language]?.question ?? []), ...(talk[language]?.matter ?? [])];
    for (const [name, list] of Object.entries(byKind)) {
      const kind = name.replace('subject-', '');
      for (const text of list) {
        const subject = `${SUBJECT} ${text}`;
        for (let time = 0; time < 25; time++) add(kind, name === kind ? text : subject);
        for (let time = 0; time < 6 && name !== kind && asked.length > 0; time++)
          add(kind, `${subject}: ${oneOf(asked, random)}`);
        for (let time = 0; time < 15 && name === 'personal'; time++) add('personal', subject);
        if (name !== kind) add('personal', `${SUBJECT} re ${text}`);
        const words = text.split(' ');
        if (name === kind && words.length > 5) add(kind, words.slice(0, -1).join(' '));
      }
    }
    for (const text of asked) {
      add('personal', text);
      add('personal', `${SUBJECT} ${text}`);
    }
  }
  for (const question of questions) {
    add('personal', question);
    add(
      'personal',
      `${SUBJECT} ${oneOf(
        piecesOf(question, random)
          .map(({ text }) => text)
          .concat(question),
        random,
      )}`,
    );
  }
  return examples;
};

/** Marks a subject (`automaticMail` does the same). */
const SUBJECT = 'subject';

interface Fit {
  kinds: readonly string[];
  bias: number[];
  /** Weights by feature, in the order of kinds. */
  weights: ReadonlyMap<number, readonly number[]>;
}

interface FitOptions {
  /** Strength of L1 regularisation, which sets weights to zero. */
  l1: number;
  rounds: number;
  /** The only features that have weights, with the kinds for which they have one; all when absent. */
  only?: ReadonlyMap<number, readonly boolean[]>;
}

const RATE = 0.2;
const L2 = 1;

/** Fits a softmax by FTRL-Proximal (McMahan et al., 2013). */
const fitSoftmax = (examples: readonly Example[], kinds: readonly string[], { l1, rounds, only }: FitOptions): Fit => {
  const random = randomNumbers(11);
  const count = kinds.length;
  /** Place of a feature's first weight; the bias stands at 0. */
  const placeOf = new Map<number, number>();
  const masks = kinds.map(() => true);
  const data = examples.map(({ text, kind }) => {
    const places = messageFeatures(text)
      .filter((feature) => only?.has(feature) ?? true)
      .map((feature) => {
        const place = placeOf.get(feature) ?? (placeOf.size + 1) * count;
        if (!placeOf.has(feature)) masks.push(...(only?.get(feature) ?? kinds.map(() => true)));
        placeOf.set(feature, place);
        return place;
      });
    return { places: [0, ...places], label: kinds.indexOf(kind) };
  });
  const size = (placeOf.size + 1) * count;
  const z = new Float64Array(size);
  const n = new Float64Array(size);
  const w = new Float64Array(size);
  const scores = new Float64Array(count);
  for (let step = 0; step < rounds * data.length; step++) {
    const { places, label } = oneOf(data, random);
    scores.fill(0);
    for (const place of places)
      for (let kind = 0; kind < count; kind++) {
        const at = place + kind;
        const value = z[at] as number;
        const least = place === 0 ? 0 : l1;
        w[at] =
          Math.abs(value) <= least || !masks[at]
            ? 0
            : -(value - Math.sign(value) * least) / ((1 + Math.sqrt(n[at] as number)) / RATE + L2);
        scores[kind] = (scores[kind] as number) + (w[at] as number);
      }
    const chances = softmax([...scores]);
    chances.forEach((chance, kind) => {
      const slope = chance - (kind === label ? 1 : 0);
      for (const place of places) {
        const at = place + kind;
        const before = n[at] as number;
        const sigma = (Math.sqrt(before + slope * slope) - Math.sqrt(before)) / RATE;
        z[at] = (z[at] as number) + slope - sigma * (w[at] as number);
        n[at] = before + slope * slope;
      }
    });
  }
  const weights = new Map<number, readonly number[]>();
  for (const [feature, place] of placeOf) {
    const row = [...w.subarray(place, place + count)];
    if (row.some((weight) => weight !== 0)) weights.set(feature, row);
  }
  return { kinds, bias: [...w.subarray(0, count)], weights };
};

/** Fits twice: the second time with the features that mattered most in the first. */
const fitSmall = (
  examples: readonly Example[],
  kinds: readonly string[],
  { features, l1, rounds }: { features: number; l1: number; rounds: number },
): Fit => {
  const whole = fitSoftmax(examples, kinds, { l1, rounds });
  const frequency = new Map<number, number>();
  for (const { text } of examples)
    for (const feature of messageFeatures(text)) frequency.set(feature, (frequency.get(feature) ?? 0) + 1);
  const importance = ([feature, row]: readonly [number, readonly number[]]): number =>
    (Math.max(...row) - Math.min(...row)) * (frequency.get(feature) ?? 0) ** 0.25;
  const best = [...whole.weights].sort((a, b) => importance(b) - importance(a)).slice(0, features);
  const only = new Map(
    best.map(([feature, row]) => {
      const sizes = sparse(row).map(Math.abs);
      const least = sizes.toSorted((a, b) => b - a)[KINDS_OF_FEATURE - 1] ?? 0;
      return [feature, sizes.map((size) => size > 0 && size >= least)];
    }),
  );
  return fitSoftmax(examples, kinds, { l1: l1 / 2, rounds, only });
};

const packed = ({ kinds, bias, weights }: Fit): MessageModel => {
  const kindBits = bitsOfKind(kinds.length);
  const most = 2 ** (7 - kindBits) - 1;
  const step = Number((Math.max(...[...weights.values()].flat().map(Math.abs)) * HIGHEST) / most).toFixed(3);
  const bytes: number[] = [];
  let before = 0;
  for (const [feature, row] of [...weights].sort((a, b) => a[0] - b[0]))
    row.forEach((value, kind) => {
      const weight = Math.max(-most, Math.min(most, Math.round(value / Number(step))));
      if (weight === 0) return;
      let distance = feature - before;
      before = feature;
      while (distance >= 0x80) {
        bytes.push((distance & 0x7f) | 0x80);
        distance >>>= 7;
      }
      bytes.push(distance, (kind << (8 - kindBits)) | (weight & (0xff >> kindBits)));
    });
  return {
    kinds,
    bias: bias.map((value) => Number(value.toFixed(2))),
    step: Number(step),
    weights: Buffer.from(bytes).toString('base64'),
  };
};
/** Weights above this share of the highest one are cut, so that small ones stay different. */
const HIGHEST = 0.75;

const KINDS_OF_FEATURE = 2;

/** The same amount off each weight changes no probability: the amount by which most of them become zero. */
const sparse = (row: readonly number[]): number[] => {
  const others = (shift: number) => row.filter((value) => Math.abs(value - shift) >= SMALL).length;
  const [shift = 0] = [0, ...row].toSorted((a, b) => others(a) - others(b));
  return row.map((value) => (Math.abs(value - shift) < SMALL ? 0 : value - shift));
};
const SMALL = 0.25;

interface ModelOptions {
  examples: Example[];
  kinds: readonly string[];
  /** How many features have weights: what the model's size depends on. */
  features: number;
  l1?: number;
}

const fitted = ({ examples, kinds, features, l1 = 3 }: ModelOptions): MessageModel =>
  packed(fitSmall(examples, kinds, { features, l1, rounds: Math.ceil(1_600_000 / examples.length) }));

const NAMES = ['talk', 'language', 'mail'] as const;
type Name = (typeof NAMES)[number];

const FIT: Readonly<Record<Name, (phrases: typeof PHRASES) => MessageModel>> = {
  talk: ({ talk }) => fitted({ examples: talkExamples(talk), kinds: TALK, features: 3200 }),
  language: ({ talk }) => fitted({ examples: languageExamples(talk), kinds: Object.keys(talk), features: 900, l1: 1 }),
  mail: ({ mail, talk }) => fitted({ examples: mailExamples(mail, talk), kinds: MAIL, features: 1600 }),
};

/** The phrases whose number in their list does, or does not, divide by five. */
const part = (phrases: Phrases, isFifth: boolean): Phrases =>
  Object.fromEntries(
    Object.entries(phrases).map(([language, byKind]) => [
      language,
      Object.fromEntries(
        Object.entries(byKind).map(([kind, list]) => [kind, list.filter((_, at) => (at % 5 === 4) === isFifth)]),
      ),
    ]),
  );

/** Per kind, how many of its phrases are recognised; a probability of at least `LEAST` counts, as in the product. */
const figures = (model: MessageModel, phrases: Phrases, none: string): Record<string, string> => {
  const classify = messageClassifier(model);
  const counts = new Map<string, { right: number; wrong: number; all: number }>();
  for (const byKind of Object.values(phrases))
    for (const [name, list] of Object.entries(byKind))
      for (const text of list) {
        const kind = name.replace('subject-', '');
        const chances = classify(name === kind ? text : `${SUBJECT} ${text}`);
        const best = chances.indexOf(Math.max(...chances));
        const result = (chances[best] ?? 0) >= LEAST ? model.kinds[best] : none;
        const count = counts.get(name) ?? { right: 0, wrong: 0, all: 0 };
        count.all += 1;
        if (result === kind) count.right += 1;
        else if (result !== none) count.wrong += 1;
        counts.set(name, count);
      }
  return Object.fromEntries(
    [...counts].map(([kind, { right, wrong, all }]) => [kind, `${right} of ${all}, ${wrong} as another`]),
  );
};
const LEAST = 0.6;

const names = values.model === undefined ? NAMES : NAMES.filter((name) => name === values.model);
if (names.length === 0) failUsage(`Cannot fit: --model is none of ${NAMES.join(', ')}`);
if (values.write === true) {
  const file = join(SOURCE, 'text/message-models.json');
  const models = JSON.parse(readFileSync(file, 'utf8')) as Record<Name, MessageModel>;
  for (const name of names) models[name] = FIT[name](PHRASES);
  writeFileSync(file, `${JSON.stringify(models, undefined, 2)}\n`);
} else {
  const most = { talk: part(PHRASES.talk, false), mail: part(PHRASES.mail, false) };
  const others = { en: { question: foreign.filter((_, at) => at % 2 === 1) } };
  for (const name of names.filter((each) => each !== 'language') as ('talk' | 'mail')[]) {
    const model = FIT[name](most);
    const none = name === 'mail' ? 'personal' : 'question';
    const results = { ...figures(model, part(PHRASES[name], true), none), foreign: figures(model, others, none) };
    process.stdout.write(`${name} ${JSON.stringify(results, undefined, 2)}\n`);
  }
}
