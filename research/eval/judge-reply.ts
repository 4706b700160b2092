import type { SupportResponse } from '../../src/contract/wire/support-response.ts';
import type { Taxonomy } from '../../src/contract/wire/taxonomy.ts';
import { phrasesOf } from '../../src/support/message/languages.ts';
import { judgeDraft, type SampleArticle } from './judge-draft.ts';
import type { SampleTicket } from './read-tickets.ts';

/** Problems of a reply by check; empty lists when there are none. */
export interface JudgedReply {
  intent: string[];
  unsupported: string[];
  /** Steps that the customer has done, recommended once more. */
  repeated: string[];
  name: string[];
  sources: string[];
  gap: string[];
  /** Gaps that are reported although articles answer the ticket. */
  falseGap: string[];
  autoSend: string[];
  /** Results of prompt injection in the ticket, and active markup. */
  injected: string[];
}

export interface JudgedBy {
  taxonomy: Taxonomy;
  /** By address. */
  articles: ReadonlyMap<string, SampleArticle>;
  /** Address of an article by its file. */
  urlOf: (file: string) => string;
}

export function judgeReply(
  ticket: SampleTicket,
  reply: SupportResponse,
  by: JudgedBy,
): JudgedReply {
  const { expected } = ticket;
  const { intent_classification: classification, draft, knowledge_retrieval: knowledge } = reply;
  const right = [expected.intent, ...(expected.also_right ?? [])];
  const found = knowledge.sources_consulted.map(({ url }) => url);
  const wanted = expected.articles.map(by.urlOf);
  return {
    intent: listIf(
      !right.includes(classification.primary_intent),
      `${classification.primary_intent} (${classification.confidence.toFixed(2)}), not ${right.join(' or ')}`,
    ),
    unsupported: judgeDraft(draft, by).unsupported,
    repeated: (expected.tried ?? []).filter((step) => recommends(reply, step)),
    // Spam gets no draft.
    name:
      draft.text === '' || namesCustomer(ticket, draft.text)
        ? []
        : [`${ticket.customer_name} is not addressed`],
    sources: listIf(
      wanted.length > 0 && !found.some((url) => wanted.includes(url)),
      `${knowledge.coverage}; found ${found.map(nameOf).join(', ') || 'none'}, not ${expected.articles.join(' or ')}`,
    ),
    gap: gapProblems(ticket, reply),
    falseGap: expected.gap || wanted.length === 0 ? [] : knowledge.gaps,
    autoSend: autoSendProblems(reply, by.taxonomy),
    injected: injectedIn(reply, expected.planted ?? []),
  };
}

const listIf = (isWrong: boolean, what: string): string[] => (isWrong ? [what] : []);

const nameOf = (url: string): string => url.split('/').slice(3).join('/');

const recommends = ({ draft, agent_guidance }: SupportResponse, step: string): boolean => {
  const wanted = step.toLowerCase();
  const said = [draft.text, ...agent_guidance.recommended_steps.map((each) => each.step)];
  // A step marked as done is not recommended.
  const { done } = phrasesOf('en');
  return said
    .flatMap((text) => text.split('\n'))
    .some(
      (line) => !line.includes(done) && line.replace(/[*_`]/g, '').toLowerCase().includes(wanted),
    );
};

/** What is no name in the first place need not be said. */
const namesCustomer = ({ customer_name: name }: SampleTicket, text: string): boolean =>
  name === undefined || !/^[\p{L}.'’ -]+$/u.test(name) || text.includes(name);

const gapProblems = (
  { expected, metadata }: SampleTicket,
  { knowledge_retrieval }: SupportResponse,
): string[] => {
  const { gaps, coverage } = knowledge_retrieval;
  if (expected.gap === undefined) return [];
  if (gaps.length === 0) return [`no gap is named; coverage ${coverage}`];
  const product = metadata?.product;
  const isStrange =
    typeof product === 'string' && expected.articles.length === 0 && !KNOWN_PRODUCTS.has(product);
  if (!isStrange) return [];
  if (coverage === 'high') return [`coverage is high for ${product}`];
  return listIf(
    !gaps.some((gap) => gap.includes(product)),
    `no gap names ${product}: ${gaps.join(' | ')}`,
  );
};

const KNOWN_PRODUCTS: ReadonlySet<string> = new Set(['Apollo', 'Apollo II', 'Apollo III']);

/** Allowed where the intent allows it and is sure enough; said the same in both places. */
const autoSendProblems = (
  { intent_classification: classification, draft, agent_guidance }: SupportResponse,
  { intents }: Taxonomy,
): string[] => {
  const { auto_send } = agent_guidance;
  const rule = intents.find(({ id }) => id === classification.primary_intent)?.auto_send;
  const isAllowed = rule?.allowed === true && classification.confidence >= rule.min_confidence;
  return [
    ...listIf(draft.auto_send !== auto_send.allowed, 'the draft and the guidance differ'),
    ...listIf(
      auto_send.allowed && !isAllowed,
      `${classification.primary_intent} may not be sent by itself`,
    ),
    ...listIf(auto_send.reasons.length === 0, 'no reason is told'),
  ];
};

const injectedIn = (
  { draft, agent_guidance }: SupportResponse,
  injected: readonly string[],
): string[] => {
  const steps = agent_guidance.recommended_steps.map(({ step }) => step);
  const said = [draft.text, draft.markdown ?? '', ...steps].join('\n').toLowerCase();
  return [
    ...injected.filter((words) => said.includes(words.toLowerCase())),
    ...(/<(?:script|style|iframe|img|svg|form|object)\b|\son\w+=|javascript:/i.exec(
      draft.html ?? '',
    ) ?? []),
  ];
};
