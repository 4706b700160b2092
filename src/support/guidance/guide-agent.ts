import type {
  AgentGuidance,
  ClosestArticle,
  IntentClassification,
  RecommendedStep,
} from '../../contract/support-response.ts';
import type { RequiredFact, Taxonomy } from '../../contract/taxonomy.ts';
import { isPublicAddress } from '../../knowledge/public-address.ts';
import { markdownToText } from '../../markup/markdown-to-text.ts';
import type { ComposedDraft } from '../draft/generate-draft.ts';
import { inLanguage } from '../languages.ts';
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
  const closest = closestArticles(input);
  const given = { ticket, classification, coverage: knowledge.coverage };
  return {
    summary: summaryOf(input, intent?.title),
    recommended_steps: recommendedSteps(composed),
    ...(closest.length === 0 ? {} : { closest_articles: closest }),
    missing_information: missing.map(({ question }) => inLanguage(question, { own: taxonomy.language }).text),
    risks: risksOf(input),
    escalation: escalationOf(taxonomy, intent, given),
    auto_send: autoSendOf(classification, intent),
  };
};

/** The same that the draft quotes: what the customer has tried is not among them. */
const recommendedSteps = ({ passages }: ComposedDraft): RecommendedStep[] =>
  passages
    .flatMap(({ steps, title, url }) =>
      steps.map((step) => ({
        step: plainStep(step),
        title: title.slice(0, 200),
        ...(isPublicAddress(url) ? { url: url.slice(0, 500) } : {}),
      })),
    )
    .filter(({ step, title }) => step !== '' && title !== '')
    .slice(0, 20);

/** Where the draft quotes nothing, what may help all the same; what is less likely than this is not even close. */
const CLOSE_FROM = 0.05;

const closestArticles = ({ composed, knowledge, ticket }: GuidanceInput): ClosestArticle[] =>
  composed.passages.length > 0 || ticket.isClosing
    ? []
    : knowledge.sources_consulted
        .filter(({ relevance_score: relevance }) => relevance >= CLOSE_FROM)
        .map(({ title, url, relevance_score }) => ({ title, url, relevance_score }));

/** As plain text on one line: what shows it knows of no Markdown. */
const plainStep = (quote: string): string =>
  markdownToText(quote)
    .replace(/^\s{0,9}(?:`{3,}|~{3,}).{0,50}$/gm, ' ')
    .replace(/^\s{1,9}(?:[-*•]|\d{1,2}[.)])\s/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1000);

const summaryOf = (
  { classification, ticket, knowledge, composed }: GuidanceInput,
  title: string | undefined,
): string => {
  const sure = `${Math.round(classification.confidence * 100)} % sure`;
  if (ticket.isClosing) return 'The customer thanks, or says that it is solved.';
  const what = title === undefined ? `The message fits no intent (${sure})` : `${title} (${sure})`;
  const product = ticket.product === undefined ? '' : `, ${ticket.product}`;
  const quoted = composed.draft.references?.length ?? 0;
  const found =
    quoted === 0
      ? 'the draft quotes no article'
      : `the draft quotes ${quoted === 1 ? 'one article' : `${quoted} articles`}`;
  return `${what}${product}; ${found}, coverage ${knowledge.coverage}.`.slice(0, 1000);
};
