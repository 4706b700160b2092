import type { SupportRequest } from '../../contract/support-response.ts';
import type { Taxonomy } from '../../contract/taxonomy.ts';
import { hasPromptInjection } from '../../grounding/prompt-injection.ts';
import { carrySubject } from '../../knowledge/questions/carry-subject.ts';
import { problemText } from '../../knowledge/retrieval/problem-text.ts';
import type { Turn } from '../../search/analyse-query.ts';
import { devicesOwned } from '../../search/devices-named-in.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { readMail } from '../../text/mail.ts';
import { splitSentences } from '../../text/split-sentences.ts';
import { type AlreadyTried, alreadyTried } from './already-tried.ts';
import { messageKind, needsHistory } from './message-kind.ts';
import { ticketProduct } from './ticket-product.ts';

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
export const readTicket = (
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
): TicketReading => {
  // Masked before it is cut: half of a number would not be recognised as personal data.
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
  const question = kind === 'follow-up' ? withHistory(message, before) : withSubject(message, before);
  const named = ticketProduct(request.metadata?.product, {
    ...{ taxonomy, mask },
    texts: [message, subject ?? '', ...before.toReversed()],
  });
  const owned = named.isNamed ? [] : devicesOwned(facts, taxonomy.devices);
  const stored = owned.length === 1 ? owned[0] : undefined;
  return {
    message,
    subject,
    question: hasPromptInjection(question)
      ? (withoutInjection(question) ?? before.findLast((text) => !hasPromptInjection(text)) ?? question)
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
    saysLittle: needsHistory(problemText(question, subject).text),
    hasPromptInjection: hasPromptInjection(message) || hasPromptInjection(subject ?? ''),
    isShortened: request.message.length > MAX_READ,
  };
};

/** Every sentence is a question: a customer who states something as well reports a problem. */
const isQuestion = (text: string): boolean => {
  const sentences = problemText(text)
    .text.split(/(?<=[.!?？])\s+|\n/)
    .filter((each) => each.trim() !== '');
  return sentences.length > 0 && sentences.every((each) => /[?？]["”»)*_]{0,4}\s*$/.test(each));
};

/** The message without quoted history; a forwarded mail replaces a message of a few words ("FYI"). */
const ownMessage = (text: string): string => {
  const { own, forwarded } = readMail(text);
  if (forwarded === undefined) return own;
  return needsHistory(problemText(own).text) ? forwarded : `${own}\n${forwarded}`;
};

/** Adds at most two earlier messages: the last one that is complete by itself, and the latest after it. */
const withHistory = (message: string, before: readonly string[]): string => {
  const from = before.findLastIndex((text) => !needsHistory(problemText(text).text));
  const since = before.slice(Math.max(0, from));
  return [...new Set([...since.slice(0, 1), ...since.slice(1).slice(-1), message])].join('\n');
};

/** Resolves a pronoun to the subject of earlier messages. */
const withSubject = (message: string, before: readonly string[]): string => {
  if (before.length === 0) return message;
  const clause = { text: message, form: 'question' as const };
  return carrySubject(clause, { earlier: before.slice(-3), sentence: [clause] }).text;
};

/** The sentences without a prompt injection; undefined when none are left. */
const withoutInjection = (text: string): string | undefined => {
  const sentences = splitSentences(text).map(({ start, end }) => text.slice(start, end));
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
  const read = (value: unknown) => (typeof value === 'string' ? mask(value).slice(0, MAX_VALUE) : value);
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(0, MAX_VALUES).map(read) : read(value),
    ]),
  );
};
