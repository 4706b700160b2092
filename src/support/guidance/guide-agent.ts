import type { AgentGuidance, IntentClassification, RecommendedStep } from '../../contract/support-response.ts';
import type { RequiredFact, Taxonomy } from '../../contract/taxonomy.ts';
import { markdownToText } from '../../knowledge/rendering/markdown-to-text.ts';
import type { ComposedDraft } from '../draft/generate-draft.ts';
import { inLanguage } from '../in-language.ts';
import { autoSendOf } from './auto-send.ts';
import { escalationOf } from './escalation.ts';
import { type RisksInput, risksOf } from './risks.ts';

export interface GuidanceInput extends RisksInput {
  taxonomy: Taxonomy;
  classification: IntentClassification;
  /** What the customer has not told. */
  missing: readonly RequiredFact[];
}

/** What the agent should know and do: steps with their sources, what to ask, what to look out for, who else must see it. */
export const guideAgent = (input: GuidanceInput): AgentGuidance => {
  const { taxonomy, classification, ticket, knowledge, composed, missing } = input;
  const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
  const given = { ticket, classification, coverage: knowledge.coverage };
  return {
    summary: summaryOf(input, intent?.title),
    recommended_steps: recommendedSteps(composed),
    missing_information: missing.map(({ question }) => inLanguage(question, { own: taxonomy.language }).text),
    risks: risksOf(input),
    escalation: escalationOf(taxonomy, intent, given),
    auto_send: autoSendOf(classification, intent),
  };
};

/** The same that the draft quotes: what the customer has tried is not among them. */
const recommendedSteps = ({ picked }: ComposedDraft): RecommendedStep[] =>
  picked
    .flatMap(({ kind, quotes, passage: { title, url } }) => {
      const steps = kind === 'table' ? rowsOf(quotes) : quotes.map(plainStep);
      return steps.map((step) => ({ step, title: title.slice(0, 200), url: url.slice(0, 500) }));
    })
    .filter(({ step, title, url }) => step !== '' && title !== '' && url !== '')
    .slice(0, 20);

/** As plain text on one line: what shows it knows of no Markdown. */
const plainStep = (quote: string): string =>
  markdownToText(quote)
    .replace(/^\s{0,9}(?:`{3,}|~{3,}).{0,50}$/gm, ' ')
    .replace(/^\s{1,9}(?:[-*•]|\d{1,2}[.)])\s/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1000);

/** The rows of a table, each with what the head calls its cells; the head itself is no step. */
const rowsOf = ([head = '', ...rows]: readonly string[]): string[] => {
  const names = cellsOf(head.split('\n')[0] ?? '');
  return rows.map((row) =>
    cellsOf(row)
      .map((cell, at) => (cell === '' || (names[at] ?? '') === '' ? cell : `${names[at]}: ${cell}`))
      .filter((cell) => cell !== '')
      .join('; ')
      .slice(0, 1000),
  );
};

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map(plainStep);

const summaryOf = ({ classification, ticket, knowledge }: GuidanceInput, title: string | undefined): string => {
  const sure = `${Math.round(classification.confidence * 100)} % sure`;
  if (ticket.isClosing) return 'The customer thanks, or says that it is solved.';
  const what = title === undefined ? `The message fits no intent (${sure})` : `${title} (${sure})`;
  const product = ticket.product === undefined ? '' : `, ${ticket.product}`;
  const count = knowledge.sources_consulted.length;
  const found = count === 0 ? 'no article answers it' : count === 1 ? 'one article found' : `${count} articles found`;
  return `${what}${product}; ${found}, coverage ${knowledge.coverage}.`.slice(0, 1000);
};
