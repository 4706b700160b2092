import { hasPromptInjection } from '../../answering/model/prompt-injection.ts';
import type { SupportRequest } from '../../contract/wire/support-response.ts';
import type { Taxonomy } from '../../contract/wire/taxonomy.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import { devicesOwned } from '../../knowledge/search/devices-named-in.ts';
import { analyseText, STOP_WORDS, type WordKind, wordsOf } from '../../language/analyse-text.ts';
import { standalonePart } from '../../language/complete-question.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { languageNamed } from '../../language/language.ts';
import { readMail } from '../../language/mail.ts';
import { refersBack } from '../../language/refers-back.ts';
import { settles } from '../../language/small-talk.ts';
import { sentencesIn } from '../../language/split-sentences.ts';
import { oncePer } from '../../platform/once-per.ts';
import { namedProducts } from '../retrieval/named-products.ts';
import { problemText } from '../retrieval/problem-text.ts';
import { type AlreadyTried, alreadyTried } from './already-tried.ts';
import { askingItems } from './asks.ts';
import { anyLanguage } from './languages.ts';
import WORDS from './message-kind.json' with { type: 'json' };

/** A ticket as classification, search and drafting use it: masked, with what a follow-up takes from earlier messages. */
export interface TicketReading {
  /** The latest message. */
  message: string;
  subject: string | undefined;
  /** The message with what it needs of earlier messages to be understood, without prompt injections. */
  question: string;
  /** All messages of the customer, oldest first, the latest included. */
  customerMessages: readonly string[];
  /** Earlier messages of the customer (`user`) and of agents (`assistant`), oldest first; those with a prompt injection are omitted. */
  history: readonly Turn[];
  /** The only product that the customer names, else the product of the metadata, else the only one that is stored. */
  product: string | undefined;
  /** False when several products share the name. */
  isProductExact: boolean;
  /** No message names the product, nor do the metadata: it is what is stored about the customer. */
  isProductStored: boolean;
  /** What is stored about the customer, masked, one line each. Data of others. */
  facts: readonly string[];
  /** The product of the metadata, when the customer names another one. */
  otherProduct: string | undefined;
  /** The words of the customer that show the product, such as a serial number, where they do not name it. */
  shownBy?: string | undefined;
  /** Texts are masked and truncated. */
  metadata: Readonly<Record<string, unknown>>;
  /** BCP 47; undefined when it cannot be detected. */
  language: string | undefined;
  alreadyTried: AlreadyTried;
  /** The message needs earlier messages to be understood. */
  isFollowUp: boolean;
  /** The message thanks, or reports that the problem is solved, and asks nothing. */
  isClosing: boolean;
  /** The message consists of questions alone. */
  isQuestion: boolean;
  /** Message and subject together have only a few words. */
  saysLittle: boolean;
  hasPromptInjection: boolean;
  isShortened: boolean;
}

/** UTF-16 units that are read of a message; longer ones are pasted logs. */
const MAX_READ = 8000;
/** Latest messages of the history that are read. */
const MAX_HISTORY = 20;

/**
 * Reads a ticket. Its texts come from customers and agents and are only ever data.
 *
 * @param options.mask Masks personal data.
 * @param options.facts What is stored about the customer.
 */
export function readTicket(
  request: Pick<SupportRequest, 'message' | 'subject' | 'history' | 'metadata'>,
  {
    mask,
    taxonomy,
    facts = [],
  }: {
    mask: (text: string) => string;
    taxonomy: Pick<Taxonomy, 'devices' | 'intents'>;
    facts?: readonly string[] | undefined;
  },
): TicketReading {
  // Masked before it is cut: half of a number would not be recognised as personal data.
  const read = (text: string) => mask(text).slice(0, MAX_READ).trim();
  const message = ownMessage(read(request.message));
  const subject = request.subject === undefined ? undefined : read(request.subject);
  const history = (request.history ?? [])
    .slice(-MAX_HISTORY)
    .map(({ from, text }) => ({ from, text: readMail(read(text)).own }));
  const before = history.flatMap(({ from, text }) =>
    from === 'customer' && text !== '' ? [text] : [],
  );
  const agent = history.flatMap(({ from, text }) => (from === 'agent' ? [text] : []));
  const customerMessages = [...before, message];
  const last = history.at(-1);
  const kind = messageKind(message, {
    before,
    lastOfAgent: last?.from === 'agent' ? last.text : undefined,
  });
  const question =
    kind === 'follow-up'
      ? withHistory(message, before)
      : standalonePart(message, { earlier: before.slice(-3) });
  const named = ticketProduct(request.metadata?.product, {
    taxonomy,
    mask,
    texts: [message, subject ?? '', ...before.toReversed()],
  });
  const owned = named.isNamed ? [] : devicesOwned(facts, taxonomy.devices);
  const stored = owned.length === 1 ? owned[0] : undefined;
  return {
    message,
    subject,
    question: hasPromptInjection(question)
      ? (withoutInjection(question) ??
        before.findLast((text) => !hasPromptInjection(text)) ??
        question)
      : question,
    customerMessages,
    history: history
      .filter(({ text }) => text !== '' && !hasPromptInjection(text))
      .map(({ from, text }) => ({ speaker: from === 'customer' ? 'user' : 'assistant', text })),
    product: named.product ?? stored,
    isProductExact: named.isExact || stored !== undefined,
    isProductStored: stored !== undefined,
    facts: facts.map(mask),
    otherProduct: named.otherProduct,
    metadata: readMetadata(request.metadata ?? {}, mask),
    language: detectLanguage(customerMessages.slice(-3).join('\n')),
    alreadyTried: alreadyTried({ customer: [subject ?? '', ...customerMessages], agent }, taxonomy),
    isFollowUp: kind === 'follow-up',
    isClosing: kind === 'closing',
    isQuestion: isQuestion(question),
    saysLittle: saysLittle(problemText(question, subject).text),
    hasPromptInjection: hasPromptInjection(message) || hasPromptInjection(subject ?? ''),
    isShortened: request.message.length > MAX_READ,
  };
}

/** A list of questions, or every sentence is one: a customer who states something as well reports a problem. */
const isQuestion = (text: string): boolean => {
  const problem = problemText(text).text;
  if (askingItems(problem).length > 0) return true;
  const sentences = problem.split(/(?<=[.!?？])\s+|\n/).filter((each) => each.trim() !== '');
  return sentences.length > 0 && sentences.every((each) => /[?？]["”»)*_]{0,4}\s*$/.test(each));
};

/** The message without quoted history; a forwarded mail replaces a message of a few words ("FYI"). */
const ownMessage = (text: string): string => {
  const { own, forwarded } = readMail(text);
  if (forwarded === undefined) return own;
  return saysLittle(problemText(own).text) ? forwarded : `${own}\n${forwarded}`;
};

/** Adds at most two earlier messages: the last one that is complete by itself, and the latest after it. */
const withHistory = (message: string, before: readonly string[]): string => {
  const from = before.findLastIndex((text) => !saysLittle(problemText(text).text));
  const since = before.slice(Math.max(0, from));
  return [...new Set([...since.slice(0, 1), ...since.slice(1).slice(-1), message])].join('\n');
};

/** The sentences without a prompt injection; undefined when none are left. */
const withoutInjection = (text: string): string | undefined => {
  const sentences = sentencesIn(text);
  const own = sentences.filter((each) => !hasPromptInjection(each)).join(' ');
  return own === '' || hasPromptInjection(own) ? undefined : own;
};

const MAX_VALUE = 1000;
const MAX_VALUES = 20;

/** Masks and truncates the texts of the metadata; other values are only tested for presence. */
const readMetadata = (
  metadata: Readonly<Record<string, unknown>>,
  mask: (text: string) => string,
): Readonly<Record<string, unknown>> => {
  const read = (value: unknown) =>
    typeof value === 'string' ? mask(value).slice(0, MAX_VALUE) : value;
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(0, MAX_VALUES).map(read) : read(value),
    ]),
  );
};

/**
 * How a message relates to the earlier ones: `new` is complete by itself, `follow-up` needs the earlier messages to be understood,
 * `closing` thanks or reports that the problem is solved, and asks nothing.
 */
type MessageKind = 'new' | 'follow-up' | 'closing';

/** A message with fewer content words is no complete question. */
const FEW_WORDS = 5;

/**
 * Classifies a message by its relation to the earlier ones.
 *
 * @param options.before Earlier messages of the customer, oldest first.
 * @param options.lastOfAgent The message directly before, when an agent wrote it.
 */
export function messageKind(
  message: string,
  { before, lastOfAgent }: { before: readonly string[]; lastOfAgent?: string | undefined },
): MessageKind {
  if (settles(message)) return 'closing';
  if (before.length === 0) return 'new';
  const { text } = problemText(message);
  const turn = { question: before.at(-1) ?? '', answer: questionOf(lastOfAgent) };
  return refersBack(text, turn) || refersToAdvice(text) ? 'follow-up' : 'new';
}

/** A few words, or words about advice alone: what it is about stands elsewhere. */
const saysLittle = (text: string): boolean =>
  contentWords(text).size < FEW_WORDS || refersToAdvice(text);

/** Without the stop words of the text's own language, and without words that are joined of others. */
const contentWords = (text: string): Set<string> => {
  const words = new Set<string>();
  const { stopWords } = languageNamed(detectLanguage(text) ?? 'en');
  const visit = (word: string, kind: WordKind) => {
    if (kind !== 'joined' && !STOP_WORDS.has(word)) words.add(word);
  };
  analyseText(text, visit, stopWords);
  return words;
};

/** "Still the same", "did not help": the earlier messages say what it is about. */
const refersToAdvice = (text: string): boolean =>
  new Set(wordsOf(text)).size < 3 * FEW_WORDS &&
  (UNCHANGED.test(text) || REFERS_TO_ADVICE.test(text));

/** What an agent says up to the last question, behind which a greeting may stand. */
const questionOf = (text = ''): string => problemText(text).text.replace(/([?？])[^?？]*$/u, '$1');

const UNCHANGED = anyLanguage(WORDS.unchanged);
const REFERS_TO_ADVICE = anyLanguage(WORDS.refersToAdvice);
/** The product that a ticket is about. */
interface TicketProduct {
  /** Masked, at most 100 characters; undefined when no product is named, or several are. */
  product: string | undefined;
  /** The product of the metadata, when the customer names exactly one other product. */
  otherProduct: string | undefined;
  /** Whether metadata or texts name any product, though it may not be clear which is meant. */
  isNamed: boolean;
  /** No other product has the same name with a further word: "Model 4" may mean a "Model 4 Plus". */
  isExact: boolean;
}

type Products = Pick<Taxonomy, 'devices' | 'intents'>;

/**
 * Determines the product of a ticket: the one in the metadata, unless the customer names exactly one other. The metadata are not
 * trusted either, since a helpdesk may take them from a form that the customer has filled in.
 *
 * @param fromMetadata `metadata.product` of the request.
 * @param options.texts Texts of the customer, masked, the latest first.
 */
const ticketProduct = (
  fromMetadata: unknown,
  {
    texts,
    taxonomy,
    mask,
  }: { texts: readonly string[]; taxonomy: Products; mask: (text: string) => string },
): TicketProduct => {
  const named = productIn(texts, taxonomy);
  const product =
    typeof fromMetadata === 'string'
      ? metadataProduct(fromMetadata, { taxonomy, mask })
      : undefined;
  const isNamed =
    typeof fromMetadata === 'string' || texts.some((text) => namesIn(text, taxonomy).length > 0);
  if (product !== undefined && named === undefined)
    return { product, otherProduct: undefined, isNamed, isExact: true };
  if (product === undefined || named === undefined) {
    const isExact = named !== undefined && !isFamily(named, taxonomy);
    return { product: named, otherProduct: undefined, isNamed, isExact };
  }
  const [known = product.toLowerCase()] = namesIn(product, taxonomy).map((each) =>
    each.toLowerCase(),
  );
  const own = named.toLowerCase();
  // A short name does not contradict the full one.
  if (known === own || isPart(own, known))
    return { product, otherProduct: undefined, isNamed, isExact: true };
  return {
    product: named,
    otherProduct: isPart(known, own) ? undefined : product,
    isNamed,
    isExact: !isFamily(named, taxonomy),
  };
};

const isFamily = (name: string, taxonomy: Products): boolean =>
  productsOf(taxonomy).devices.some(
    (device) => device !== name.toLowerCase() && isPart(name.toLowerCase(), device),
  );

const isPart = (short: string, long: string): boolean => ` ${long} `.includes(` ${short} `);

const MAX_PRODUCT = 100;
const MAX_METADATA = 1000;
const MAX_TEXT = 8000;
const ADDRESS =
  /\S{0,100}(?:\/\/|\p{L}\.\p{Ll}{2,6}(?![\p{L}\s]))\S{0,300}|\p{L}{1,40}\.(?:local|com|net|org|io)(?!\p{L})/gu;

/** Neither markup nor an address. */
const NAME = /^[\p{L}\p{M}\p{N} .,()+/&'’#:-]+$/u;

/** The text itself when it looks like a name, else the only known product in it. */
const metadataProduct = (
  text: string,
  { taxonomy, mask }: { taxonomy: Products; mask: (text: string) => string },
): string | undefined => {
  const plain = text
    .slice(0, MAX_METADATA)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (plain === '') return undefined;
  if (
    plain.length <= MAX_PRODUCT &&
    text.length <= MAX_METADATA &&
    NAME.test(plain) &&
    mask(plain) === plain
  )
    return plain;
  const [only, ...others] = namesIn(plain, taxonomy);
  return others.length === 0 ? only : undefined;
};

/** The only product named by the latest text that names any. */
const productIn = (texts: readonly string[], taxonomy: Products): string | undefined => {
  for (const text of texts) {
    const [only, ...others] = namesIn(text, taxonomy);
    if (only !== undefined) return others.length === 0 ? only : undefined;
  }
  return undefined;
};

/** Product names in the spelling of the taxonomy; unknown products in that of the text. */
const namesIn = (text: string, taxonomy: Products): string[] => {
  const { names, devices } = productsOf(taxonomy);
  // A product name within a host name does not name the product.
  const { known, unknown } = namedProducts(text.slice(0, MAX_TEXT).replace(ADDRESS, ' '), {
    product: undefined,
    devices,
  });
  return [...known.map((each) => names.get(each) ?? each), ...unknown];
};

const productsOf = oncePer(({ devices, intents }: Products) => {
  const all = [...devices, ...intents.flatMap((intent) => intent.devices)];
  const names = new Map(all.map((each) => [each.toLowerCase(), each]));
  return { names, devices: [...names.keys()] };
});
