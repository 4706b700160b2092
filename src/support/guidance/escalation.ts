import type { AgentGuidance, IntentClassification } from '../../contract/support-response.ts';
import type { EscalationRule, Intent, Taxonomy } from '../../contract/taxonomy.ts';
import type { TicketReading } from '../ticket/read-ticket.ts';
import { customerWords, signalsIn } from './signals.ts';

/** A ticket that the rules are applied to. */
interface EscalationCase {
  ticket: Pick<TicketReading, 'message' | 'subject' | 'question' | 'customerMessages'> &
    Partial<Pick<TicketReading, 'language'>>;
  classification: IntentClassification;
  /** Rules with a coverage never apply when it is absent. */
  coverage?: 'high' | 'medium' | 'low' | 'none';
}

/**
 * Applies the escalation rules of the intent and of the taxonomy. Word rules of other intents apply too when they report danger, and all
 * of them when the message fits no intent.
 *
 * @returns `to` of the first rule about danger that applies, else of the first rule that applies; the reasons of all.
 */
export const escalationOf = (
  taxonomy: Pick<Taxonomy, 'intents' | 'escalation'>,
  intent: Pick<Intent, 'escalation'> | undefined,
  given: EscalationCase,
): AgentGuidance['escalation'] => {
  const text = customerWords(given.ticket);
  const words = wordRuns(text);
  const isDanger = signalsIn(text, given.ticket.language).danger !== undefined;
  const own = [...(intent?.escalation ?? []), ...taxonomy.escalation];
  const others = taxonomy.intents.flatMap(({ escalation }) => escalation.filter(isByWordsAlone));
  const further = intent === undefined ? others : others.filter((rule) => reportsDanger(rule, words));
  const named = [...own, ...further].filter((rule) => applies(rule, { ...given, words }));
  // Words of danger that the taxonomy does not list, such as those of another language.
  const unnamed =
    isDanger && !named.some((rule) => reportsDanger(rule, words))
      ? [...taxonomy.escalation, ...others].find(isAboutDanger)
      : undefined;
  const applying = unnamed === undefined ? named : [...named, unnamed];
  const first = applying.find((rule) => rule === unnamed || reportsDanger(rule, words)) ?? applying[0];
  if (first === undefined) return { needed: false, reasons: [] };
  const reasons = applying.map(({ to, reason }) => (to === first.to ? reason : `${to}: ${reason}`));
  return { needed: true, to: first.to, reasons: [...new Set(reasons)].slice(0, 20) };
};

/** A phrase of the rule that the words contain reports danger. */
const reportsDanger = ({ any_of = [] }: EscalationRule, words: readonly string[]): boolean =>
  any_of.some((phrase) => containsPhrase(words, phrase) && signalsIn(phrase).danger !== undefined);

const isAboutDanger = ({ any_of = [] }: EscalationRule): boolean =>
  any_of.some((phrase) => signalsIn(phrase).danger !== undefined);

const isByWordsAlone = ({ any_of, min_customer_messages, confidence_below, coverage }: EscalationRule): boolean =>
  any_of !== undefined &&
  min_customer_messages === undefined &&
  confidence_below === undefined &&
  coverage === undefined;

const applies = (
  { any_of, min_customer_messages, confidence_below, coverage }: EscalationRule,
  given: EscalationCase & { words: readonly string[] },
): boolean =>
  (any_of === undefined || any_of.some((phrase) => containsPhrase(given.words, phrase))) &&
  (min_customer_messages === undefined || given.ticket.customerMessages.length >= min_customer_messages) &&
  (confidence_below === undefined || given.classification.confidence < confidence_below) &&
  (coverage === undefined || (given.coverage !== undefined && coverage.includes(given.coverage)));

/** Runs of letters and digits in lower case, without apostrophes; phrases of a taxonomy are compared by them. */
const wordRuns = (text: string): string[] =>
  text
    .slice(0, MAX_READ)
    .toLowerCase()
    .normalize('NFC')
    .replace(/['’]/g, '')
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const MAX_READ = 40_000;

/** Whether the words of a phrase follow each other in a text. */
const containsPhrase = (words: readonly string[], phrase: string): boolean => {
  const wanted = wordRuns(phrase);
  const [first] = wanted;
  if (first === undefined) return false;
  return words.some((word, at) => word === first && wanted.every((each, offset) => words[at + offset] === each));
};
