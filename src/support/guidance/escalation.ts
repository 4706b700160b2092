import type { AgentGuidance, IntentClassification } from '../../contract/support-response.ts';
import type { EscalationRule, Intent, Taxonomy } from '../../contract/taxonomy.ts';
import type { TicketReading } from '../read-ticket.ts';
import { holdsPhrase, wordRuns } from './word-sequence.ts';

/** What the rules are held against. */
export interface EscalationCase {
  ticket: Pick<TicketReading, 'message' | 'subject' | 'customerMessages'>;
  classification: IntentClassification;
  coverage: 'high' | 'medium' | 'low' | 'none';
}

/**
 * Who must see a ticket by the rules of its intent. One that fits no intent is held against the words that any intent names:
 * smoke is smoke, whatever it was written about.
 *
 * @returns `to` of the first rule that holds; the reasons of all.
 */
export const escalationOf = (
  taxonomy: Pick<Taxonomy, 'intents'>,
  intent: Pick<Intent, 'escalation'> | undefined,
  given: EscalationCase,
): AgentGuidance['escalation'] => {
  const rules = intent?.escalation ?? taxonomy.intents.flatMap(({ escalation }) => escalation.filter(isByWordsAlone));
  const words = wordRuns(`${given.ticket.subject ?? ''}\n${given.ticket.message}`);
  const holding = rules.filter((rule) => holds(rule, { ...given, words }));
  const [first] = holding;
  if (first === undefined) return { needed: false, reasons: [] };
  const reasons = holding.map(({ to, reason }) => (to === first.to ? reason : `${to}: ${reason}`));
  return { needed: true, to: first.to, reasons: [...new Set(reasons)].slice(0, 20) };
};

const isByWordsAlone = ({ any_of, min_customer_messages, confidence_below, coverage }: EscalationRule): boolean =>
  any_of !== undefined &&
  min_customer_messages === undefined &&
  confidence_below === undefined &&
  coverage === undefined;

const holds = (
  { any_of, min_customer_messages, confidence_below, coverage }: EscalationRule,
  given: EscalationCase & { words: readonly string[] },
): boolean =>
  (any_of === undefined || any_of.some((phrase) => holdsPhrase(given.words, phrase))) &&
  (min_customer_messages === undefined || given.ticket.customerMessages.length >= min_customer_messages) &&
  (confidence_below === undefined || given.classification.confidence < confidence_below) &&
  (coverage === undefined || coverage.includes(given.coverage));
