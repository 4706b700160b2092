import type { AgentGuidance, IntentClassification } from '../../contract/support-response.ts';
import type { EscalationRule, Intent, Taxonomy } from '../../contract/taxonomy.ts';
import type { TicketReading } from '../ticket/read-ticket.ts';
import { saidIn, signalsIn } from './signals.ts';

/** What the rules are held against. */
export interface EscalationCase {
  ticket: Pick<TicketReading, 'message' | 'subject' | 'question' | 'customerMessages'> &
    Partial<Pick<TicketReading, 'language'>>;
  classification: IntentClassification;
  /** Absent: rules that ask for one do not hold. */
  coverage?: 'high' | 'medium' | 'low' | 'none';
}

/**
 * Who must see a ticket by the rules of its intent and those of the taxonomy. Smoke is smoke, whatever else was written about: words
 * that other intents name count too where they speak of danger, and all of them for what fits no intent.
 *
 * @returns `to` of the first rule that holds, where one speaks of danger of that; the reasons of all.
 */
export const escalationOf = (
  taxonomy: Pick<Taxonomy, 'intents' | 'escalation'>,
  intent: Pick<Intent, 'escalation'> | undefined,
  given: EscalationCase,
): AgentGuidance['escalation'] => {
  const said = saidIn(given.ticket);
  const words = wordRuns(said);
  const isDanger = signalsIn(said, given.ticket.language).danger !== undefined;
  const own = [...(intent?.escalation ?? []), ...taxonomy.escalation];
  const others = taxonomy.intents.flatMap(({ escalation }) => escalation.filter(isByWordsAlone));
  const further = intent === undefined ? others : others.filter((rule) => speaksOfDanger(rule, words));
  const named = [...own, ...further].filter((rule) => holds(rule, { ...given, words }));
  // Danger in words that the taxonomy does not list, such as those of another language.
  const unnamed =
    isDanger && !named.some((rule) => speaksOfDanger(rule, words))
      ? [...taxonomy.escalation, ...others].find(isAboutDanger)
      : undefined;
  const holding = unnamed === undefined ? named : [...named, unnamed];
  const first = holding.find((rule) => rule === unnamed || speaksOfDanger(rule, words)) ?? holding[0];
  if (first === undefined) return { needed: false, reasons: [] };
  const reasons = holding.map(({ to, reason }) => (to === first.to ? reason : `${to}: ${reason}`));
  return { needed: true, to: first.to, reasons: [...new Set(reasons)].slice(0, 20) };
};

/** A phrase of the rule that stands in the words does. */
const speaksOfDanger = ({ any_of = [] }: EscalationRule, words: readonly string[]): boolean =>
  any_of.some((phrase) => holdsPhrase(words, phrase) && signalsIn(phrase).danger !== undefined);

const isAboutDanger = ({ any_of = [] }: EscalationRule): boolean =>
  any_of.some((phrase) => signalsIn(phrase).danger !== undefined);

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
  (coverage === undefined || (given.coverage !== undefined && coverage.includes(given.coverage)));

/** Runs of letters and digits in lower case, apostrophes aside: what phrases of a taxonomy are compared by. */
const wordRuns = (text: string): string[] =>
  text
    .slice(0, MAX_READ)
    .toLowerCase()
    .normalize('NFC')
    .replace(/['’]/g, '')
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const MAX_READ = 40_000;

/** Whether the words of a phrase stand in a text one behind the other. */
const holdsPhrase = (words: readonly string[], phrase: string): boolean => {
  const wanted = wordRuns(phrase);
  const [first] = wanted;
  if (first === undefined) return false;
  return words.some((word, at) => word === first && wanted.every((each, offset) => words[at + offset] === each));
};
