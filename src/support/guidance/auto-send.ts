import type { IntentClassification } from '../../contract/support-response.ts';
import { type Intent, UNKNOWN_INTENT } from '../../contract/taxonomy.ts';

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
