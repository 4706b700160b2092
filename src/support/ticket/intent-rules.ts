import type { IntentClassification } from '../../contract/support-response.ts';
import { type Intent, type RequiredFact, UNKNOWN_INTENT } from '../../contract/taxonomy.ts';
import { oncePer } from '../../runtime/once-per.ts';
import { analyseText } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import type { TicketReading } from './read-ticket.ts';

/** Whether a draft may go out without a person, and why or why not. */
export interface AutoSend {
  allowed: boolean;
  /** At least one. */
  reasons: string[];
}

/**
 * By the classification and the taxonomy alone, as in v1.0 (design 7.9): what the knowledge base has, what a draft says and
 * who wrote it change nothing.
 *
 * @param intent Of the taxonomy; undefined where it has none of that id.
 */
export const autoSendOf = (
  { primary_intent, confidence, danger, escalated_to }: IntentClassification,
  intent: Pick<Intent, 'title' | 'auto_send'> | undefined,
): AutoSend => {
  if (primary_intent === UNKNOWN_INTENT || intent === undefined)
    return { allowed: false, reasons: ['The message fits no intent well enough.'] };
  if (danger !== undefined)
    return {
      allowed: false,
      reasons: [`The message speaks of possible danger ("${danger}"): a person has to see it.`],
    };
  if (escalated_to !== undefined)
    return { allowed: false, reasons: [`The message is one for "${escalated_to}": a person has to see it.`] };
  const { allowed, min_confidence } = intent.auto_send;
  if (!allowed)
    return { allowed: false, reasons: [`Drafts of the intent "${intent.title}" always go through a person.`] };
  const sure = `the classification is ${percent(confidence)} sure`;
  const rule = `The intent "${intent.title}" lets its template go out alone from ${percent(min_confidence)} on`;
  return { allowed: confidence >= min_confidence, reasons: [`${rule}; ${sure}.`] };
};

/** Rounded down, so that 89.9 % is never told as the 90 % that it misses. */
const percent = (share: number): string => `${Math.floor(share * 1000 + 1e-9) / 10} %`;

/** Facts that an intent needs and the customer has told neither now nor before. */
export const missingInformation = (
  intent: Pick<Intent, 'required_facts'> | undefined,
  ticket: Pick<TicketReading, 'subject' | 'customerMessages' | 'metadata'>,
): RequiredFact[] => {
  if (intent === undefined) return [];
  const said = [ticket.subject ?? '', ...ticket.customerMessages].join('\n').slice(-MAX_READ);
  return intent.required_facts.filter((fact) => !isInMetadata(fact, ticket.metadata) && !isSaid(fact, said));
};

/** Patterns of a taxonomy are read over so much, the latest of it, in UTF-16 units. */
const MAX_READ = 8000;

const isInMetadata = ({ metadata = [] }: RequiredFact, known: TicketReading['metadata']): boolean =>
  metadata.some((name) => {
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    if (value === undefined || value === null || value === false) return false;
    if (typeof value === 'string') return value.trim() !== '';
    return Array.isArray(value) ? value.length > 0 : true;
  });

const isSaid = (fact: RequiredFact, said: string): boolean =>
  fact.patterns === undefined
    ? questionsOf(fact).some((question) => sharesWords(question, said))
    : expressionsOf(fact).some((each) => each.test(said));

const questionsOf = ({ question }: RequiredFact): string[] =>
  typeof question === 'string' ? [question] : Object.values(question);

/** Those that compile: a taxonomy is checked when it is stored, by whatever engine did that. */
const expressionsOf = oncePer(({ patterns = [] }: RequiredFact): readonly RegExp[] =>
  patterns.flatMap((pattern) => {
    try {
      return [new RegExp(pattern, 'iu')];
    } catch {
      return [];
    }
  }),
);

/** Half of what the question asks about stands in what was said. */
const sharesWords = (question: string, said: string): boolean => {
  const asked = stemsOf(question);
  const told = stemsOf(said);
  const shared = [...asked].filter((each) => told.has(each)).length;
  return asked.size > 0 && shared * 2 >= asked.size;
};

const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>();
  analyseText(text, (word) => stems.add(stem(word)));
  return stems;
};
