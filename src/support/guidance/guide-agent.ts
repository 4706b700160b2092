import type { AgentGuidance, IntentClassification, RecommendedStep } from '../../contract/support-response.ts';
import type { Taxonomy } from '../../contract/taxonomy.ts';
import type { ComposedDraft } from '../draft/generate-draft.ts';
import { autoSendOf } from './auto-send.ts';
import { escalationOf } from './escalation.ts';
import { missingInformation } from './missing-information.ts';
import { type RisksInput, risksOf } from './risks.ts';

export interface GuidanceInput extends RisksInput {
  taxonomy: Taxonomy;
  classification: IntentClassification;
}

/** What the agent should know and do: steps with their sources, what to ask, what to look out for, who else must see it. */
export const guideAgent = (input: GuidanceInput): AgentGuidance => {
  const { taxonomy, classification, ticket, knowledge, composed } = input;
  const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
  const given = { ticket, classification, coverage: knowledge.coverage };
  return {
    summary: summaryOf(input, intent?.title),
    recommended_steps: recommendedSteps(composed),
    missing_information: missingInformation(intent, ticket),
    risks: risksOf(input),
    escalation: escalationOf(taxonomy, intent, given),
    auto_send: autoSendOf(classification, intent),
  };
};

/** The same that the draft quotes: what the customer has tried is not among them. */
const recommendedSteps = ({ picked }: ComposedDraft): RecommendedStep[] =>
  picked
    .flatMap(({ kind, quotes, passage: { title, url } }) => {
      // The head of a table is no step.
      const steps = kind === 'table' ? quotes.slice(1) : quotes;
      return steps.map((quote) => ({ step: stepOf(quote), title: title.slice(0, 200), url: url.slice(0, 500) }));
    })
    .filter(({ step, title, url }) => step !== '' && title !== '' && url !== '')
    .slice(0, 20);

const stepOf = (quote: string): string => quote.replace(/\s+/g, ' ').trim().slice(0, 1000);

const summaryOf = ({ classification, ticket, knowledge }: GuidanceInput, title: string | undefined): string => {
  const sure = `${Math.round(classification.confidence * 100)} % sure`;
  const what = title === undefined ? `The message fits no intent (${sure})` : `${title} (${sure})`;
  const product = ticket.product === undefined ? '' : `, ${ticket.product}`;
  const count = knowledge.sources_consulted.length;
  const found = count === 0 ? 'no article answers it' : count === 1 ? 'one article found' : `${count} articles found`;
  return `${what}${product}; ${found}, coverage ${knowledge.coverage}.`.slice(0, 1000);
};
