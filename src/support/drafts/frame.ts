import type { DraftTone } from '../../contract/wire/desk-settings.ts';
import type { IntentClassification } from '../../contract/wire/support-response.ts';
import type { RequiredFact, Taxonomy } from '../../contract/wire/taxonomy.ts';
import { escapeMarkdown } from '../../documents/markdown/escape-markdown.ts';
import { hasPhrases, inLanguage, phrasesOf, primaryOf } from '../message/languages.ts';
import {
  type ChosenTemplate,
  chooseTemplate,
  type FilledTemplate,
  fillTemplate,
  greet,
  hasPlaceForQuotes,
  repeatable,
} from './fill-template.ts';

/** What the words of a draft depend on besides the classification. Texts are masked. */
export interface FramedTicket {
  subject?: string | undefined;
  /** The message consists of questions alone. */
  isQuestion?: boolean | undefined;
  /** The message is too short to tell what would help. */
  saysLittle?: boolean | undefined;
  /** The product that the customer names, and the other one of the ticket: the draft names both. */
  product?: string | undefined;
  otherProduct?: string | undefined;
  /** The words that show the product where the customer does not name it, such as a serial number. */
  shownBy?: string | undefined;
  /** The customer complains, or has written several times: the draft begins with regret. */
  isUpset?: boolean | undefined;
  /** A person decides, and nothing is quoted. */
  isForPerson?: boolean | undefined;
  /** The number of an order, a repair or an invoice, which a person has to look up. */
  recordNumber?: string | undefined;
}

/** The words of a filled template around quotes. */
export interface DraftFrame {
  /** The id of its intent, or `general`. */
  id: string;
  /** BCP 47. */
  language: string;
  filled: FilledTemplate;
}

interface FrameOptions {
  taxonomy: Taxonomy;
  classification: IntentClassification;
  ticket: FramedTicket | undefined;
  customerName: string | undefined;
  /** Absent: the words of the templates. */
  tone?: DraftTone | undefined;
  /** The product of the metadata. */
  product: string | undefined;
  /** The language of the customer, BCP 47. */
  language: string | undefined;
  /** `answer` with quotes, `fallback` without, `alone` when it is sent without a person. */
  use: 'answer' | 'fallback' | 'alone';
  /** Facts that the customer has not given. */
  missing: readonly RequiredFact[];
}

/** Least confidence of an intent whose template is used; another intent must not be nearly as likely. */
const SURE_OF_INTENT = 0.5;
const NEARLY = 0.85;

export function isSureOf({ confidence, secondary_intents = [] }: IntentClassification): boolean {
  return (
    confidence >= SURE_OF_INTENT &&
    secondary_intents.every((other) => other.confidence < NEARLY * confidence)
  );
}

/**
 * The words around the quotes: the template of the intent, or the general phrases where it has none in the customer's language. Without a
 * ticket, and alone, the template as it is.
 */
export function frameDraft(options: FrameOptions): DraftFrame {
  const { taxonomy, classification, ticket, language, use } = options;
  const intent = isSureOf(classification) ? classification.primary_intent : 'general';
  const template = chooseTemplate(taxonomy, { intent, language, use });
  const isPlain = use === 'alone' || (ticket === undefined && use === 'fallback');
  const isOther =
    !isPlain &&
    language !== undefined &&
    hasPhrases(language) &&
    !isSame(template.language, language);
  const spoken = isOther ? primaryOf(language) : template.language;
  const questions = isPlain ? questionsIn(options, spoken) : openQuestions(options, spoken);
  const filled = isOther
    ? generalWords(options, { language: spoken, questions })
    : templateWords(options, { template, questions });
  const { customerName, tone = 'neutral' } = options;
  const greeting =
    tone === 'neutral' || use === 'alone' ? filled.greeting : greet(customerName, spoken, tone);
  const id = isOther ? 'general' : template.id;
  const frame = { id, language: spoken, filled: { ...filled, greeting } };
  return ticket === undefined || use === 'alone' ? frame : withCase(frame, { ...options, ticket });
}

/** All questions, in the language of the template where they have it. */
const questionsIn = ({ taxonomy, missing }: FrameOptions, language: string): string[] =>
  missing.map(
    ({ question }) => inLanguage(question, { wanted: language, own: taxonomy.language }).text,
  );

const isSame = (one: string, other: string): boolean => primaryOf(one) === primaryOf(other);

/** A reply with more questions is not answered. */
const MAX_QUESTIONS = 3;

/** The first questions in this language; none of an unlikely intent, none about the device to a question or about another product. */
const openQuestions = (
  { taxonomy, classification, ticket, product, use, missing }: FrameOptions,
  language: string,
): string[] => {
  if (!isSureOf(classification)) return [];
  const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
  const isFallback = use === 'fallback' && intent?.fallback_template !== undefined;
  if (isFallback && (ticket?.isQuestion === true || !isKnownProduct(product, taxonomy))) return [];
  return missing
    .map(({ question }) => inLanguage(question, { wanted: language, own: taxonomy.language }))
    .filter((each) => isSame(each.language, language))
    .map(({ text }) => text)
    .slice(0, MAX_QUESTIONS);
};

/** The name ends with a product of the taxonomy, so that a brand may stand before it. A taxonomy without products knows any. */
const isKnownProduct = (
  product: string | undefined,
  { devices }: Pick<Taxonomy, 'devices'>,
): boolean => {
  const words = ` ${product?.toLowerCase() ?? ''}`;
  return (
    product === undefined ||
    devices.length === 0 ||
    devices.some((each) => words.endsWith(` ${each.toLowerCase()}`))
  );
};

interface Worded {
  language: string;
  questions: readonly string[];
}

/** The general phrases of a language that no template is in. */
const generalWords = (options: FrameOptions, { language, questions }: Worded): FilledTemplate => {
  const phrases = phrasesOf(language);
  const list = questions.map((question) => `- ${escapeMarkdown(question)}`).join('\n');
  const asked = list === '' ? furtherQuestion(options, phrases) : `${phrases.ask}\n\n${list}`;
  const read = options.ticket?.recordNumber === undefined ? phrases.read : '';
  const after = options.use === 'answer' ? [phrases.stillOpen] : [asked, read];
  return {
    greeting: greet(options.customerName, language),
    before: received(options, phrases),
    after: joined(after),
  };
};

const templateWords = (
  options: FrameOptions,
  { template, questions }: { template: ChosenTemplate; questions: readonly string[] },
): FilledTemplate => {
  const { taxonomy, ticket, customerName, product, use } = options;
  const isOther = ticket !== undefined && use === 'fallback' && !isKnownProduct(product, taxonomy);
  const shown = isOther ? undefined : product;
  const words = fillTemplate(template, {
    customerName,
    product: shown,
    subject: ticket?.subject,
    missing: questions,
  });
  if (ticket === undefined || use === 'alone') return words;
  const phrases = phrasesOf(template.language);
  const filled = ticket.isUpset === true ? withRegret(words, { template, phrases }) : words;
  if (isOther)
    return {
      ...filled,
      before: joined([filled.before, coveredProducts(taxonomy, template.language)]),
    };
  // The general template is for messages without an answer.
  if (use === 'answer')
    return template.id === 'general'
      ? { ...filled, before: received(options, phrases), after: phrases.stillOpen }
      : filled;
  // Who looks up a number reads the message.
  if (template.id === 'general' && ticket.recordNumber !== undefined)
    return { ...filled, before: received(options, phrases), after: '' };
  const more = questions.length === 0 ? furtherQuestion(options, phrases) : '';
  return { ...filled, after: joined([filled.after, more]) };
};

/** For a product without articles. The product is not named: that would confirm that it exists. */
const coveredProducts = ({ devices }: Taxonomy, language: string): string => {
  const list = new Intl.ListFormat(language, { type: 'conjunction' }).format(
    devices.map(escapeMarkdown),
  );
  return phrasesOf(language).otherProduct.replace('{products}', () => list);
};

type Phrases = ReturnType<typeof phrasesOf>;

const received = ({ ticket }: FrameOptions, { sorry, received: thanks }: Phrases): string =>
  ticket?.isUpset === true ? sorry : thanks;

/** Regret in place of the thanks before the quotes. A template without a place for quotes stays, since it is all before them. */
const withRegret = (
  filled: FilledTemplate,
  { template, phrases: { sorry } }: { template: ChosenTemplate; phrases: Phrases },
): FilledTemplate => ({
  ...filled,
  before: hasPlaceForQuotes(template) ? sorry : joined([sorry, filled.before]),
});

/** What a message that says little is asked without facts of an intent. */
const furtherQuestion = (
  { ticket, product }: FrameOptions,
  { tellMore, sayMore }: Phrases,
): string => {
  if (ticket?.saysLittle !== true || ticket.recordNumber !== undefined) return '';
  return product === undefined && ticket.isQuestion !== true ? tellMore : sayMore;
};

/** Adds what the case asks for: the contradiction of two products, and what a person looks up. */
const withCase = (
  frame: DraftFrame,
  { taxonomy, classification, ticket }: FrameOptions & { ticket: FramedTicket },
): DraftFrame => {
  const phrases = phrasesOf(frame.language);
  const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
  const { greeting, before, after } = frame.filled;
  const number = repeatable(ticket.recordNumber);
  const looked =
    number === undefined ? undefined : phrases.lookUp.replace('{number}', () => number);
  // The words of an intent that a team always sees say themselves who decides.
  const isDecided = intent?.escalation.some(({ always }) => always === true) === true;
  const last =
    ticket.isForPerson === true
      ? [looked ?? phrases.takesOver]
      : [isDecided ? '' : (looked ?? ''), after];
  return {
    ...frame,
    filled: {
      greeting,
      before: joined([before, bothProducts(ticket, phrases)]),
      after: joined(last),
    },
  };
};

/** Says that the ticket and the customer name different products, and asks which it is, unless a serial number shows it. */
const bothProducts = (
  { product, otherProduct, shownBy }: FramedTicket,
  phrases: Phrases,
): string => {
  const named = repeatable(product);
  const known = repeatable(otherProduct);
  const sign = repeatable(shownBy);
  if (named === undefined || known === undefined) return '';
  return (sign === undefined ? phrases.twoProducts : phrases.shownProduct)
    .replaceAll('{named}', () => named)
    .replace('{known}', () => known)
    .replace('{sign}', () => sign ?? '');
};

const joined = (parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');
