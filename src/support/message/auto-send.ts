import type { IntentClassification } from '../../contract/wire/support-response.ts';
import type { Intent, Taxonomy } from '../../contract/wire/taxonomy.ts';
import { sentencesIn } from '../../language/split-sentences.ts';
import { stem } from '../../language/stem.ts';
import { oncePer } from '../../platform/once-per.ts';
import WORDS from './auto-send.json' with { type: 'json' };
import { englishName, inLanguage, primaryOf, wordsExpression } from './languages.ts';
import type { TicketReading } from './read-ticket.ts';

/** How questions are asked in one language. */
interface AskingWords {
  /** Regular expressions of whole words: the customer asks how something is done. */
  asks: readonly string[];
  /** Regular expressions of phrases that ask or thank somebody and say nothing else: `could you tell me`. */
  courtesies: readonly string[];
  /** Words without a subject, between spaces: articles, pronouns, auxiliaries, `make`. `You` is none: "Can you do it for me?" */
  small: string;
  /** Words of greetings, thanks and farewells. */
  polite: string;
  /** Words that turn a question into another one: negations, conditions, failures. */
  doubts: string;
}

interface HoldCase {
  classification: IntentClassification;
  intent: Intent;
  taxonomy: Taxonomy;
  /** What signals and attachments of the message speak against. */
  signals: { isAngry: boolean; requested: string | undefined };
}

/** Least confidence of a further intent that a person has to see. */
const OTHER_INTENT_FROM = 0.35;

/**
 * Why a person must see a message although its intent lets a template go out alone; empty when the template very probably answers it.
 * One question in the language of the template, nothing else in the message, no earlier messages, no sign of another wish or a failure,
 * and no word that the template or one example of `auto_send` does not have. Decided by the message and the taxonomy; in doubt a person.
 */
export function reasonsForPerson(
  ticket: Omit<TicketReading, 'facts'>,
  { classification, intent, taxonomy, signals }: HoldCase,
): string[] {
  const template = inLanguage(
    intent.auto_send.template ?? intent.reply_template ?? taxonomy.general_template,
    {
      wanted: ticket.language,
      own: taxonomy.language,
    },
  );
  const others = (classification.secondary_intents ?? []).filter(
    ({ confidence }) => confidence >= OTHER_INTENT_FROM,
  );
  const titleOf = (id: string) => taxonomy.intents.find((each) => each.id === id)?.title ?? id;
  const circumstances = [
    ...others
      .slice(0, 2)
      .map(({ intent: id }) => `The message may also be about "${titleOf(id)}".`),
    ...(signals.isAngry ? ['The customer sounds angry.'] : []),
    ...(signals.requested === undefined ? [] : [`The customer asks for a ${signals.requested}.`]),
    ...(ticket.customerMessages.length > 1 || ticket.history.length > 0
      ? ['There are earlier messages in this conversation.']
      : []),
    ...(ticket.hasPromptInjection
      ? ['The message holds instructions aimed at a language model.']
      : []),
    ...(ticket.isShortened ? ['The message is too long to be read whole.'] : []),
    ...(hasAttachments(ticket) ? ['The message has attachments, which were not read.'] : []),
    ...(ticket.otherProduct === undefined
      ? []
      : ['The ticket names another product than the customer.']),
    ...(ticket.language !== undefined && primaryOf(ticket.language) !== primaryOf(template.language)
      ? [
          `The customer writes in ${englishName(ticket.language)}, the template is in ${englishName(template.language)}.`,
        ]
      : []),
  ];
  const uncovered =
    circumstances.length > 0 ? undefined : uncoveredBy({ ...template, intent, taxonomy }, ticket);
  return [...circumstances, ...(uncovered === undefined ? [] : [uncovered])];
}

const hasAttachments = ({ metadata: { attachments } }: Pick<TicketReading, 'metadata'>): boolean =>
  Array.isArray(attachments) && attachments.length > 0;

interface AnsweringTemplate {
  text: string;
  /** BCP 47. */
  language: string;
  intent: Intent;
  taxonomy: Taxonomy;
}

/** Why the template does not surely answer the message, as a sentence; undefined when it does. */
const uncoveredBy = (
  template: AnsweringTemplate,
  { message, subject }: Pick<TicketReading, 'message' | 'subject'>,
): string | undefined => {
  const answers = answersOf(template);
  if (answers.examples.some(({ plain }) => plain === plainOf(message))) return undefined;
  const words = wordsIn(template.language, template.taxonomy);
  if (words === undefined)
    return 'Questions in this language are known by the examples of the template alone.';
  const asked = sentencesOf(message).filter(
    (sentence, at, all) =>
      !isPolite(sentence, words) && !(isName(sentence) && isPolite(all[at - 1] ?? '', words)),
  );
  const [question] = asked;
  if (question === undefined) return 'The message asks nothing.';
  if (asked.length > 1) return 'The message says more than one question.';
  const said = contentOf(question, words);
  if (said.length === 0) return 'The message does not say what it is about.';
  const asksHow = isHowTo(question, words);
  const known = answers.units.find((unit) => asksHow && isAnswered(said, { unit, answers, words }));
  const isAsked = asksHow || /[?？]\W*$/.test(question);
  const example = answers.examples.find(
    ({ content, isAsking }) => (isAsked || !isAsking) && isLike(said, content),
  );
  const vocabulary = example?.content ?? (known && [...known, ...answers.title]);
  if (vocabulary === undefined) return unknownWords(said, answers);
  const topic = contentOf(subject ?? '', words).filter(
    (word) => !vocabulary.includes(word) && !words.polite.has(word),
  );
  return topic.length === 0
    ? undefined
    : `The subject says what the template does not: ${listed(topic)}.`;
};

const unknownWords = (said: readonly string[], { units, title }: Answers): string => {
  const known = new Set([...units.flat(), ...title]);
  const unknown = said.filter((word) => !known.has(word));
  return unknown.length > 0
    ? `The template does not speak of ${listed(unknown)}.`
    : 'The template does not surely answer what the message asks.';
};

const listed = (words: readonly string[]): string =>
  words
    .slice(0, 5)
    .map((word) => `"${word.slice(0, 40)}"`)
    .join(', ');

/** What a template answers, as stems of content words. */
interface Answers {
  /** Each list of steps with its introduction; each paragraph where there are no steps. Those that deny something are omitted. */
  units: readonly (readonly string[])[];
  /** The intent's. */
  title: readonly string[];
  examples: readonly { plain: string; content: readonly string[]; isAsking: boolean }[];
}

const answersOf = ({ text, language, intent, taxonomy }: AnsweringTemplate): Answers => {
  const { examples = [] } = intent.auto_send;
  const words = wordsIn(language, taxonomy);
  const contents = (each: string) => (words === undefined ? [] : contentOf(each, words));
  const paragraphs = text
    .replace(/\{[a-z_]+\}/g, ' ')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim());
  const lists = paragraphs.flatMap((paragraph, at) =>
    STEP.test(paragraph)
      ? [`${paragraphs[at - 1]?.endsWith(':') ? paragraphs[at - 1] : ''}\n${paragraph}`]
      : [],
  );
  const statements = (lists.length > 0 ? lists : paragraphs).map((each) =>
    sentencesOf(each).filter((sentence) => words === undefined || !hasDoubt(sentence, words)),
  );
  return {
    units: statements.map((each) => each.flatMap(contents)),
    title: contents(`${intent.title} ${intent.id.replaceAll('_', ' ')}`),
    examples: examples.map((each) => ({
      plain: plainOf(each),
      content: contents(each),
      isAsking: each.includes('?'),
    })),
  };
};

const STEP = /^\s*(?:\d{1,2}[.)]|[-*+])\s/;

/** Share of an example's words that a question has which asks the same. */
const LIKE_FROM = 0.6;

/** The question says nothing that the example does not say, and most of what it says. */
const isLike = (said: readonly string[], example: readonly string[]): boolean =>
  said.every((word) => example.includes(word)) &&
  example.filter((word) => said.includes(word)).length >= LIKE_FROM * example.length;

/** All of the question is in one list of steps or the title, and it is clear that it is about the title. */
const isAnswered = (
  said: readonly string[],
  {
    unit,
    answers: { title },
    words,
  }: { unit: readonly string[]; answers: Answers; words: ReadyWords },
): boolean => {
  if (said.some((word) => words.doubts.has(word))) return false;
  const named = said.filter((word) => title.includes(word));
  const isAbout = named.length === said.length || named.length >= 2;
  return isAbout && said.every((word) => unit.includes(word) || title.includes(word));
};

interface ReadyWords {
  asks: RegExp;
  courtesies: RegExp;
  small: ReadonlySet<string>;
  polite: ReadonlySet<string>;
  /** As stems, like the content words that they are looked for in. */
  doubts: ReadonlySet<string>;
  /** Names of products, which change no question. */
  products: ReadonlySet<string>;
}

const wordsIn = (
  language: string,
  { devices }: Pick<Taxonomy, 'devices'>,
): ReadyWords | undefined => {
  const ready = readyWords(WORDS).get(primaryOf(language));
  return ready && { ...ready, products: new Set(devices.flatMap(tokensOf)) };
};

const readyWords = oncePer(
  (all: Readonly<Record<string, AskingWords>>): ReadonlyMap<string, Omit<ReadyWords, 'products'>> =>
    new Map(
      Object.entries(all).map(([language, { asks, courtesies, small, polite, doubts }]) => [
        language,
        {
          asks: wordsExpression(asks),
          courtesies: new RegExp(wordsExpression(courtesies).source, 'giu'),
          small: new Set(small.split(' ')),
          polite: new Set(polite.split(' ')),
          doubts: new Set(doubts.split(' ').map(stem)),
        },
      ]),
    ),
);

const isHowTo = (sentence: string, { asks }: ReadyWords): boolean =>
  asks.test(sentence.replace(/[’‘]/g, "'"));

const hasDoubt = (sentence: string, { doubts }: ReadyWords): boolean =>
  tokensOf(sentence).some((token) => doubts.has(stem(token)));

/** Greeting, thanks or farewell, with a name behind it or without. */
const isPolite = (
  sentence: string,
  { courtesies, polite, small, products }: ReadyWords,
): boolean => {
  if (/[?？]/.test(sentence)) return false;
  const rest = sentence.replace(courtesies, ' ');
  const tokens = rest.match(TOKEN) ?? [];
  if (tokens.length === 0) return rest !== sentence;
  const unknown = tokens.filter(
    (token) => ![polite, small, products].some((words) => words.has(token.toLowerCase())),
  );
  if (unknown.length === 0) return true;
  return polite.has((tokens[0] ?? '').toLowerCase()) && isName(unknown.join(' '));
};

/** Whether a text has no words but those of greetings, thanks and farewells in its language, with a name behind them or without. */
export function isCourtesy(text: string, language: string): boolean {
  const words = readyWords(WORDS).get(primaryOf(language));
  if (words === undefined) return false;
  const { polite, small } = words;
  const tokens = text.match(TOKEN) ?? [];
  const isTelling = (word = ''): boolean =>
    polite.has(word.toLowerCase()) && !small.has(word.toLowerCase());
  const rest = tokens.filter((word) => !polite.has(word.toLowerCase()));
  // "In Windows" begins as "in advance" does.
  return rest.length === 0
    ? tokens.some(isTelling)
    : isTelling(tokens[0]) && isName(rest.join(' '));
}

const isName = (text: string): boolean =>
  /^(?:\[name\]|\p{Lu}\p{L}*\.?(?: \p{Lu}\p{L}*\.?){0,2})$/u.test(text.trim());

/** Stems of the words that say what a sentence is about, each once. */
const contentOf = (
  sentence: string,
  { courtesies, small, polite, products }: ReadyWords,
): string[] => [
  ...new Set(
    tokensOf(sentence.replace(/[’‘]/g, "'").replace(courtesies, ' '))
      .filter((token) => !small.has(token) && !polite.has(token) && !products.has(token))
      .map(stem),
  ),
];

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['-]\p{L}+)*/gu;

const tokensOf = (text: string): string[] =>
  text.toLowerCase().replace(/[’‘]/g, "'").match(TOKEN) ?? [];

const sentencesOf = (text: string): string[] =>
  text
    .split('\n')
    .flatMap(sentencesIn)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));

const plainOf = (text: string): string => tokensOf(text).join(' ');
