import type { SupportRequest } from '../contract/support-response.ts';
import type { Taxonomy } from '../contract/taxonomy.ts';
import { detectLanguage } from '../knowledge/answers/languages/detect-language.ts';
import { isPlanted } from '../knowledge/answers/planted-text.ts';
import { carrySubject } from '../knowledge/questions/carry-subject.ts';
import { wordsOf } from '../knowledge/search/analyse-text.ts';
import { devicesNamedIn } from '../knowledge/search/devices-named-in.ts';
import { type TriedAlready, triedAlready } from './draft/tried-already.ts';

/** A ticket as it is classified, searched and drafted by: masked, with what a follow-up takes from messages before. */
export interface TicketReading {
  /** The latest message. */
  message: string;
  subject: string | undefined;
  /** What is asked: the message, and of the messages before what it needs to be understood. Without what speaks to a model. */
  question: string;
  /** All of the customer, oldest first, the latest included. */
  customerMessages: readonly string[];
  /** From the metadata, else the only one that the customer names. */
  product: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
  /** BCP 47; undefined where it cannot be told. */
  language: string | undefined;
  tried: TriedAlready;
  /** It says little beyond that nothing has changed. */
  isFollowUp: boolean;
  isPlanted: boolean;
  isShortened: boolean;
}

/** Of a message so much is read, in UTF-16 units: more is a pasted log. */
const MAX_READ = 8000;
/** Messages before that are looked at, the latest. */
const MAX_HISTORY = 20;
/** A message with fewer words of content asks nothing by itself. */
const FEW_WORDS = 5;

/**
 * Reads a ticket. Everything in it is a customer's or an agent's text, and only ever data.
 *
 * @param options.mask Takes personal data out; the customer's name is not read here.
 */
export const readTicket = (
  request: Pick<SupportRequest, 'message' | 'subject' | 'history' | 'metadata'>,
  { mask, taxonomy }: { mask: (text: string) => string; taxonomy: Pick<Taxonomy, 'devices' | 'intents'> },
): TicketReading => {
  const read = (text: string) => mask(text.slice(0, MAX_READ)).trim();
  const message = read(request.message);
  const subject = request.subject === undefined ? undefined : read(request.subject);
  const history = (request.history ?? []).slice(-MAX_HISTORY).map(({ from, text }) => ({ from, text: read(text) }));
  const before = history.flatMap(({ from, text }) => (from === 'customer' && text !== '' ? [text] : []));
  const agent = history.flatMap(({ from, text }) => (from === 'agent' ? [text] : []));
  const customerMessages = [...before, message];
  const metadata = request.metadata ?? {};
  const isFollowUp = before.length > 0 && leansOnHistory(message);
  const asked = isFollowUp ? [...before.slice(-2), message].join('\n') : withSubject(message, before);
  const products = [...new Set([...taxonomy.devices, ...taxonomy.intents.flatMap(({ devices }) => devices)])];
  const told = typeof metadata.product === 'string' ? metadata.product.trim().slice(0, 100) : '';
  return {
    message,
    subject,
    question: isPlanted(asked) ? (before.findLast((text) => !isPlanted(text)) ?? asked) : asked,
    customerMessages,
    product: told === '' ? productIn([message, subject ?? '', ...before.toReversed()], products) : told,
    metadata,
    language: detectLanguage(customerMessages.slice(-3).join('\n')),
    tried: triedAlready({ customer: [subject ?? '', ...customerMessages], agent }),
    isFollowUp,
    isPlanted: isPlanted(message) || isPlanted(subject ?? ''),
    isShortened: request.message.length > MAX_READ,
  };
};

/** "Still the same", "did not help": what it is about was said before. */
const leansOnHistory = (message: string): boolean => {
  const words = new Set(wordsOf(message)).size;
  return words < FEW_WORDS || (words < 3 * FEW_WORDS && STILL.test(message));
};

const STILL =
  /\b(?:still|same (?:problem|issue|error|thing|as before)|did(?:n['’]t| not) (?:help|work)|does(?:n['’]t| not) help|no (?:change|luck|difference)|not (?:fixed|solved)|nothing (?:changed|helped)|again|immer noch|noch immer|hat nicht geholfen|unverändert|toujours pas|toujours le même|sigue (?:igual|sin)|todavía|ancora|ainda|nog steeds)\b/i;

/** A pronoun gets the thing that the messages before name. */
const withSubject = (message: string, before: readonly string[]): string => {
  if (before.length === 0) return message;
  const clause = { text: message, form: 'question' as const };
  return carrySubject(clause, { earlier: before.slice(-3), sentence: [clause] }).text;
};

/** The only product that the latest text to name any names. */
const productIn = (texts: readonly string[], products: readonly string[]): string | undefined => {
  for (const text of texts) {
    const named = devicesNamedIn(text, products);
    if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  }
  return undefined;
};
