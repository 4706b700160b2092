import type { SupportRequest } from '../../contract/support-response.ts';
import type { Taxonomy } from '../../contract/taxonomy.ts';
import { hasPromptInjection } from '../../grounding/prompt-injection.ts';
import { carrySubject } from '../../knowledge/questions/carry-subject.ts';
import { problemText } from '../../knowledge/retrieval/problem-text.ts';
import type { Turn } from '../../search/analyse-query.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { readMail } from '../../text/mail.ts';
import { splitSentences } from '../../text/split-sentences.ts';
import { type AlreadyTried, alreadyTried } from './already-tried.ts';
import { leansOnHistory, messageKind } from './message-kind.ts';
import { ticketProduct } from './ticket-product.ts';

/** A ticket as it is classified, searched and drafted by: masked, with what a follow-up takes from messages before. */
export interface TicketReading {
  /** The latest message. */
  message: string;
  subject: string | undefined;
  /** What is asked: the message, and of the messages before what it needs to be understood. Without what speaks to a model. */
  question: string;
  /** All of the customer, oldest first, the latest included. */
  customerMessages: readonly string[];
  /** The messages before, oldest first, of the customer (`user`) and of agents; without what speaks to a model. */
  history: readonly Turn[];
  /** The only one that the customer names, else that of the metadata. */
  product: string | undefined;
  /** Which product it is is known: not only the name that several models share. */
  isProductExact: boolean;
  /** What the metadata say instead, where the customer names another. */
  otherProduct: string | undefined;
  /** Its texts masked and cut. */
  metadata: Readonly<Record<string, unknown>>;
  /** BCP 47; undefined where it cannot be told. */
  language: string | undefined;
  alreadyTried: AlreadyTried;
  /** It is understood by the messages before. */
  isFollowUp: boolean;
  /** It thanks, or says that the trouble is over, and asks nothing. */
  isClosing: boolean;
  /** It asks, and tells nothing besides. */
  isQuestion: boolean;
  /** A few words, with all that was said before. */
  saysLittle: boolean;
  hasPromptInjection: boolean;
  isShortened: boolean;
}

/** Of a message so much is read, in UTF-16 units: more is a pasted log. */
const MAX_READ = 8000;
/** Messages before that are looked at, the latest. */
const MAX_HISTORY = 20;

/**
 * Reads a ticket. Everything in it is a customer's or an agent's text, and only ever data.
 *
 * @param options.mask Takes personal data out; the customer's name is not read here.
 */
export const readTicket = (
  request: Pick<SupportRequest, 'message' | 'subject' | 'history' | 'metadata'>,
  { mask, taxonomy }: { mask: (text: string) => string; taxonomy: Pick<Taxonomy, 'devices' | 'intents'> },
): TicketReading => {
  // Masked first: of a number that is cut in two, no half would be known for one.
  const read = (text: string) => mask(text).slice(0, MAX_READ).trim();
  const message = ownMessage(read(request.message));
  const subject = request.subject === undefined ? undefined : read(request.subject);
  const history = (request.history ?? [])
    .slice(-MAX_HISTORY)
    .map(({ from, text }) => ({ from, text: readMail(read(text)).own }));
  const before = history.flatMap(({ from, text }) => (from === 'customer' && text !== '' ? [text] : []));
  const agent = history.flatMap(({ from, text }) => (from === 'agent' ? [text] : []));
  const customerMessages = [...before, message];
  const last = history.at(-1);
  const kind = messageKind(message, { before, lastOfAgent: last?.from === 'agent' ? last.text : undefined });
  const asked = kind === 'follow-up' ? withHistory(message, before) : withSubject(message, before);
  const told = ticketProduct(request.metadata?.product, {
    ...{ taxonomy, mask },
    texts: [message, subject ?? '', ...before.toReversed()],
  });
  return {
    message,
    subject,
    question: hasPromptInjection(asked)
      ? (withoutInjection(asked) ?? before.findLast((text) => !hasPromptInjection(text)) ?? asked)
      : asked,
    customerMessages,
    history: history
      .filter(({ text }) => text !== '' && !hasPromptInjection(text))
      .map(({ from, text }) => ({ speaker: from === 'customer' ? 'user' : 'assistant', text })),
    product: told.product,
    isProductExact: told.isExact,
    otherProduct: told.otherwise,
    metadata: readMetadata(request.metadata ?? {}, mask),
    language: detectLanguage(customerMessages.slice(-3).join('\n')),
    alreadyTried: alreadyTried({ customer: [subject ?? '', ...customerMessages], agent }),
    isFollowUp: kind === 'follow-up',
    isClosing: kind === 'closing',
    isQuestion: isQuestion(asked),
    saysLittle: leansOnHistory(problemText(asked, subject).text),
    hasPromptInjection: hasPromptInjection(message) || hasPromptInjection(subject ?? ''),
    isShortened: request.message.length > MAX_READ,
  };
};

/** All that it says is asked: whoever tells something besides reports trouble. */
const isQuestion = (text: string): boolean => {
  const said = problemText(text)
    .text.split(/(?<=[.!?？])\s+|\n/)
    .filter((each) => each.trim() !== '');
  return said.length > 0 && said.every((each) => /[?？]["”»)*_]{0,4}\s*$/.test(each));
};

/** Without quoted history; a mail that is handed on by words that say little ("FYI") is read instead of them. */
const ownMessage = (text: string): string => {
  const { own, forwarded } = readMail(text);
  if (forwarded === undefined) return own;
  return leansOnHistory(problemText(own).text) ? forwarded : `${own}\n${forwarded}`;
};

/** With what was said since the last message that stands by itself, and no more of it than two messages. */
const withHistory = (message: string, before: readonly string[]): string => {
  const from = before.findLastIndex((text) => !leansOnHistory(problemText(text).text));
  const since = before.slice(Math.max(0, from));
  return [...new Set([...since.slice(0, 1), ...since.slice(1).slice(-1), message])].join('\n');
};

/** A pronoun gets the thing that the messages before name. */
const withSubject = (message: string, before: readonly string[]): string => {
  if (before.length === 0) return message;
  const clause = { text: message, form: 'question' as const };
  return carrySubject(clause, { earlier: before.slice(-3), sentence: [clause] }).text;
};

/** The sentences that speak to people, where together they still do; undefined where none do. */
const withoutInjection = (asked: string): string | undefined => {
  const sentences = splitSentences(asked).map(({ start, end }) => asked.slice(start, end));
  const own = sentences.filter((each) => !hasPromptInjection(each)).join(' ');
  return own === '' || hasPromptInjection(own) ? undefined : own;
};

const MAX_VALUE = 1000;
const MAX_VALUES = 20;

/** The members of the metadata that are texts or lists of texts; what else there is says only that it is there. */
const readMetadata = (
  metadata: Readonly<Record<string, unknown>>,
  mask: (text: string) => string,
): Readonly<Record<string, unknown>> => {
  const read = (value: unknown) => (typeof value === 'string' ? mask(value).slice(0, MAX_VALUE) : value);
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(0, MAX_VALUES).map(read) : read(value),
    ]),
  );
};
