import type { IntentClassification } from '../../contract/wire/support-response.ts';
import { type Intent, type RequiredFact, UNKNOWN_INTENT } from '../../contract/wire/taxonomy.ts';
import { analyseText } from '../../language/analyse-text.ts';
import { stem } from '../../language/stem.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { TicketReading } from './read-ticket.ts';

/** Whether a draft may be sent without a person, and why. */
interface AutoSend {
  allowed: boolean;
  /** At least one. */
  reasons: string[];
}

/**
 * Whether no reply is to be proposed: the message very probably has an intent with `no_reply`, and does not speak of danger. Decided by the
 * classification and the taxonomy alone.
 */
export function getsNoReply(
  { confidence, danger }: IntentClassification,
  intent: Pick<Intent, 'no_reply'> | undefined,
): boolean {
  return (
    intent?.no_reply !== undefined &&
    confidence >= intent.no_reply.min_confidence &&
    danger === undefined
  );
}

/**
 * Whether a draft without an answer is worse than none: the message looks like one of an intent with `no_reply`, not surely enough to look
 * nothing up, and the intent has no words of its own. Those of the general template promise that somebody will read it.
 */
export function getsNoEmptyReply(
  { danger }: IntentClassification,
  intent: Pick<Intent, 'no_reply' | 'reply_template'> | undefined,
): boolean {
  return (
    intent?.no_reply !== undefined && intent.reply_template === undefined && danger === undefined
  );
}

/**
 * Decides by the classification and the taxonomy alone, as in v1.0: neither knowledge nor the draft changes it. A classification without
 * `needs_person` is one of v1.0.
 *
 * @param intent The classified intent; undefined when the taxonomy does not have it.
 */
export function autoSendOf(
  { primary_intent, confidence, danger, escalated_to, needs_person = [] }: IntentClassification,
  intent: Pick<Intent, 'title' | 'auto_send' | 'no_reply'> | undefined,
): AutoSend {
  if (primary_intent === UNKNOWN_INTENT || intent === undefined)
    return { allowed: false, reasons: ['The message fits no intent well enough.'] };
  if (danger !== undefined)
    return {
      allowed: false,
      reasons: [`The message speaks of possible danger ("${danger}"): a person has to see it.`],
    };
  if (escalated_to !== undefined)
    return {
      allowed: false,
      reasons: [`The message is one for "${escalated_to}": a person has to see it.`],
    };
  if (intent.no_reply !== undefined)
    return {
      allowed: false,
      reasons: [`Nothing is sent by itself to a message that looks like "${intent.title}".`],
    };
  const { allowed, min_confidence } = intent.auto_send;
  if (!allowed)
    return {
      allowed: false,
      reasons: [`Drafts of the intent "${intent.title}" always go through a person.`],
    };
  const sure = `the classification is ${percent(confidence)} sure`;
  const rule = `The intent "${intent.title}" lets its template go out alone from ${percent(min_confidence)} on`;
  if (confidence >= min_confidence && needs_person.length > 0)
    return { allowed: false, reasons: needs_person };
  return { allowed: confidence >= min_confidence, reasons: [`${rule}; ${sure}.`] };
}

/** Rounded down: 89.9 % must not read as the 90 % that it misses. */
const percent = (share: number): string => `${Math.floor(share * 1000 + 1e-9) / 10} %`;

/** Facts that an intent requires and that neither the customer nor the metadata have given. */
export function missingInformation(
  intent: Pick<Intent, 'required_facts'> | undefined,
  ticket: Pick<TicketReading, 'subject' | 'customerMessages' | 'metadata'>,
): RequiredFact[] {
  if (intent === undefined) return [];
  const text = [ticket.subject ?? '', ...ticket.customerMessages].join('\n').slice(-MAX_READ);
  return intent.required_facts.filter(
    (fact) => !isInMetadata(fact, ticket.metadata) && !isGiven(fact, text),
  );
}

/** UTF-16 units that the patterns of a taxonomy are matched against, the latest ones. */
const MAX_READ = 8000;

const isInMetadata = ({ metadata = [] }: RequiredFact, known: TicketReading['metadata']): boolean =>
  metadata.some((name) => {
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    if (value === undefined || value === null || value === false) return false;
    if (typeof value === 'string') return value.trim() !== '';
    return Array.isArray(value) ? value.length > 0 : true;
  });

const isGiven = (fact: RequiredFact, text: string): boolean =>
  fact.patterns === undefined
    ? questionsOf(fact).some((question) => sharesWords(question, text))
    : expressionsOf(fact).some((each) => each.test(text));

const questionsOf = ({ question }: RequiredFact): string[] =>
  typeof question === 'string' ? [question] : Object.values(question);

/** Patterns that do not compile are skipped: a taxonomy may have been checked by another engine when it was stored. */
const expressionsOf = oncePer(({ patterns = [] }: RequiredFact): readonly RegExp[] =>
  patterns.flatMap((pattern) => {
    try {
      return [new RegExp(pattern, 'iu')];
    } catch {
      return [];
    }
  }),
);

/** The text has at least half of the question's words. */
const sharesWords = (question: string, text: string): boolean => {
  const wanted = stemsOf(question);
  const given = stemsOf(text);
  const shared = [...wanted].filter((each) => given.has(each)).length;
  return wanted.size > 0 && shared * 2 >= wanted.size;
};

const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>();
  analyseText(text, (word) => stems.add(stem(word)));
  return stems;
};
