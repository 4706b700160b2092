import type { TextVectors } from '../answering/understand/parse-question.ts';
import { PARTIAL_BELOW } from '../contract/core/confidence-level.ts';
import type { AIClient } from '../contract/core/librarian.ts';
import { unavailableRetrieval } from '../contract/wire/knowledge.ts';
import type {
  IntentClassification,
  SupportRequest,
  SupportResponse,
} from '../contract/wire/support-response.ts';
import { type Intent, type Taxonomy, UNKNOWN_INTENT } from '../contract/wire/taxonomy.ts';
import { readPages } from '../knowledge/edition/chunk-texts.ts';
import { type AutomaticMail, automaticMail, type MailSigns } from '../language/automatic-mail.ts';
import { type Danger, withoutDeniedDanger } from '../language/danger.ts';
import type { Mask } from '../language/privacy/mask.ts';
import { reportedDanger } from '../language/reported-danger.ts';
import type { WaitUntil } from '../platform/concurrency.ts';
import { covers } from '../platform/context/capabilities.ts';
import { answerParts } from './drafts/answer-parts.ts';
import { type Answer, answerPassages } from './drafts/answer-passages.ts';
import { withoutName } from './drafts/fill-template.ts';
import type { FramedTicket } from './drafts/frame.ts';
import { type ComposedDraft, createDraftComposer, noDraft } from './drafts/generate-draft.ts';
import {
  coveredBy,
  isCovered,
  rankTicketUnits,
  type TicketUnits,
  withUnits,
} from './drafts/ticket-units.ts';
import {
  canAnswerFrom,
  type FoundUnits,
  type ModelDraftOptions,
  type ModelOutcome,
  writeWithModel,
} from './drafts/write-with-model.ts';
import { customerWords, escalationOf, guideAgent, signalsIn } from './guidance/guide-agent.ts';
import type { IntentClassifier } from './intents/classifier.ts';
import { classifyWithModel } from './intents/classify-with-model.ts';
import type { OpenTaxonomy } from './intents/current-taxonomy.ts';
import { reasonsForPerson } from './message/auto-send.ts';
import { deviceShown } from './message/device-signs.ts';
import { getsNoReply, missingInformation } from './message/intent-rules.ts';
import { readTicket, type TicketReading } from './message/read-ticket.ts';
import { isDeclinedQuestion } from './retrieval/declined-question.ts';
import {
  type Knowledge,
  type KnowledgeScope,
  knowledgeBlock,
  withoutWeakSources,
} from './retrieval/knowledge.ts';
import { ownNumbersIn } from './retrieval/problem-text.ts';
import { type KnowledgeRetriever, TIMEOUT_MS } from './retrieval/retrieve-knowledge.ts';

export interface AnalysisParts {
  taxonomyFor: (workspace: string, scope: { waitUntil: WaitUntil }) => Promise<OpenTaxonomy>;
  retrieveKnowledge: KnowledgeRetriever;
  /** Begins to open the current edition, which retrieval has little time to wait for. */
  openEdition?: ((scope: KnowledgeScope) => Promise<unknown>) | undefined;
  mask: Mask;
  /** Compare texts by meaning; absent: by words alone. */
  wordVectors?: (() => TextVectors) | undefined;
  /** Logs a failure that the analysis goes on without. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/** The parts that belong to one request. */
export interface AnalysisScope extends KnowledgeScope {
  /** What is stored about the customer, one line each, best first. Data of others. */
  facts?: readonly string[] | undefined;
  /** A model within the budgets of the request; absent when none is configured. */
  ai?: AIClient | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds left for the whole analysis, now. */
  timeLeftMs: () => number;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Analyses a ticket: its intent, the knowledge about it, a draft reply and guidance for the agent. A failure of
 * knowledge or model leaves the rest of the analysis as it is.
 */
export async function analyze(
  request: SupportRequest,
  scope: AnalysisScope,
  parts: AnalysisParts,
): Promise<SupportResponse> {
  const { ai, signal, now } = scope;
  const timeLeftMs = boundedTime(scope.timeLeftMs);
  if (covers(scope.context.capabilities, 'kb:read'))
    parts.openEdition?.(scope).catch(() => undefined);
  const { taxonomy, classifier, settings } = await parts.taxonomyFor(
    scope.context.workspace,
    scope,
  );
  const read = readTicket(request, {
    mask: maskFor(request, parts.mask),
    taxonomy,
    facts: scope.facts,
  });
  const danger = reportedDanger(customerWords(read));
  const asked = danger === undefined ? read : inDanger(read, danger);
  const automatic = automaticMail(
    { ...mailSignsOf(request), subject: request.subject },
    request.message,
  );
  // Words alone never hide danger.
  if (automatic !== undefined && (danger === undefined || isMail(request)))
    return automaticAnalysis(automatic, { ticket: asked, taxonomy });
  const { text, first: words } = classified(textToClassify(asked), {
    isDanger: danger !== undefined,
    taxonomy,
    classifier,
  });
  const options = { taxonomy, classifier, ai, signal, timeLeftMs: timeLeftMs() };
  const intent = asked.isClosing
    ? withoutIntent(words, classifier.threshold)
    : await classifyWithModel(text, words, options);
  const classification = withWarnings(intent, { ticket: asked, taxonomy, danger });
  const known = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
  const isUnanswered = asked.isClosing || getsNoReply(classification, known);
  const search = (of: TicketReading) =>
    retrieve(of, classification, { request, scope, parts, taxonomy });
  const first = isUnanswered ? withoutKnowledge() : await search(asked);
  const ticket = withShownDevice(asked, { knowledge: first, taxonomy });
  const retrieved =
    ticket.product === asked.product ? first : await inTime(first, () => search(ticket));
  const {
    found,
    answer,
    units,
    isDeclined = false,
  } = await answerIn(retrieved, { ticket, classification, parts });
  const needs = needsOf(ticket, { classification, knowledge: found, taxonomy });
  // A template names no product that only a stored fact names: it may be old, and the draft may go out without a person.
  const metadata =
    ticket.product === undefined || ticket.isProductStored ? {} : { product: ticket.product };
  const missing = asksAbout(known, classification) ? missingInformation(known, ticket) : [];
  const compose = (own: Answer | undefined) =>
    createDraftComposer({
      taxonomy,
      tone: settings?.tone,
      ticket: { ...ticket, ...needs, answer: own, missing },
    })(...[classification, request.customer_name, metadata, found]);
  const { composed, outcome } = await written(compose(answer), {
    ticket,
    found: units && { ...found, units, isForeign: isInOtherLanguage(ticket, found) },
    isCovered: isCovered(found),
    warning: answer?.warning,
    holding: () => compose(undefined),
    signature: taxonomy.signature,
    settings,
    ai,
    signal,
    timeLeftMs: timeLeftMs(),
  });
  const isByModel =
    outcome !== undefined && outcome.refused === undefined && composed.passages.length > 0;
  const covered = isByModel && !isCovered(found) ? coveredBy(found, composed.passages) : found;
  return {
    intent_classification: classification,
    draft: composed.draft,
    // Weak sources are only shown to people; neither draft nor guidance uses them.
    knowledge_retrieval: knowledgeBlock(
      request.include_weak === true ? covered : withoutWeakSources(covered),
    ),
    agent_guidance: guideAgent({
      taxonomy,
      classification,
      ticket,
      missing,
      composed,
      now,
      knowledge: covered,
      isDeclined,
      model: outcome,
    }),
  };
}

/**
 * An intent whose own team sees every ticket is not chosen for words of danger that the message denies: "I live in a smoke-free home". Any other
 * keeps them, since "burn an SD card" tells what it is about.
 */
const classified = (
  words: string,
  {
    isDanger,
    taxonomy,
    classifier,
  }: { isDanger: boolean; taxonomy: Taxonomy; classifier: IntentClassifier },
): { text: string; first: IntentClassification } => {
  const first = classifier.classify(words);
  const intent = taxonomy.intents.find(({ id }) => id === first.primary_intent);
  if (isDanger || !isAlwaysEscalated(intent)) return { text: words, first };
  const text = withoutDeniedDanger(words);
  return text === words ? { text, first } : { text, first: classifier.classify(text) };
};

const mailSignsOf = ({ from, headers }: Pick<SupportRequest, 'from' | 'headers'>): MailSigns => ({
  from: from ?? undefined,
  headers: headers ?? undefined,
});

const isMail = ({ from, headers }: Pick<SupportRequest, 'from' | 'headers'>): boolean =>
  automaticMail(mailSignsOf({ from, headers })) !== undefined;

/** No intent, draft, knowledge or gap: an answer to automatic mail reaches no one, or starts a loop. */
const automaticAnalysis = (
  automatic: AutomaticMail,
  { ticket, taxonomy }: { ticket: TicketReading; taxonomy: Taxonomy },
): SupportResponse => {
  const classification = { primary_intent: UNKNOWN_INTENT, confidence: 0, automatic };
  const { draft } = noDraft({ primary_intent: 'general' }, ticket.language ?? taxonomy.language);
  const reason = `The message is ${automatic}: no reply is proposed, and nothing was looked up.`;
  return {
    intent_classification: classification,
    draft,
    knowledge_retrieval: withoutKnowledge(),
    agent_guidance: {
      summary: reason,
      recommended_steps: [],
      missing_information: [],
      risks: [reason],
      escalation: { needed: false, reasons: [] },
      auto_send: { allowed: false, reasons: [reason] },
    },
  };
};

/** Danger is never settled by thanks, and its words tell the language of a message that is too short for detection. */
const inDanger = (ticket: TicketReading, { language }: Danger): TicketReading => ({
  ...ticket,
  isClosing: false,
  language: ticket.language ?? language,
});

/**
 * Adds danger and escalation to the classification, since the classification alone decides whether a draft is sent without a person.
 * Danger that a model has found stays.
 */
const withWarnings = (
  classification: IntentClassification,
  {
    ticket,
    taxonomy,
    danger,
  }: { ticket: TicketReading; taxonomy: Taxonomy; danger: Danger | undefined },
): IntentClassification => {
  const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
  const words = danger?.words ?? classification.danger;
  const warned = words === undefined ? classification : { ...classification, danger: words };
  const { to } = escalationOf(taxonomy, intent, { ticket, classification: warned });
  const classified = { ...warned, ...(to === undefined ? {} : { escalated_to: to }) };
  if (intent?.auto_send.allowed !== true) return classified;
  const signals = signalsIn(customerWords(ticket), ticket.language);
  return {
    ...classified,
    needs_person: reasonsForPerson(ticket, { classification, intent, taxonomy, signals }),
  };
};

/** In danger, only the facts of an intent whose own team sees every ticket are asked for: whether anybody is hurt, not which pool. */
const asksAbout = (
  intent: Intent | undefined,
  { danger, escalated_to }: IntentClassification,
): boolean => danger === undefined || isAlwaysEscalated(intent, escalated_to);

const isAlwaysEscalated = (intent: Intent | undefined, team?: string): boolean =>
  intent?.escalation.some(
    ({ always, to }) => always === true && (team === undefined || to === team),
  ) === true;

/**
 * The ticket about the device that a serial number or a count in it shows, where it names none or another one. A short name does not
 * contradict the full one.
 */
const withShownDevice = (
  ticket: TicketReading,
  { knowledge, taxonomy }: { knowledge: Knowledge; taxonomy: Taxonomy },
): TicketReading => {
  const edition = knowledge.evidence?.edition;
  const shown = edition && deviceShown(edition, customerWords(ticket), taxonomy.devices);
  if (shown === undefined) return ticket;
  const { device, words } = shown;
  const [known = '', own] = [ticket.product?.toLowerCase(), device.toLowerCase()];
  if (known === own) return ticket;
  return {
    ...ticket,
    product: device,
    isProductExact: true,
    isProductStored: false,
    shownBy: words,
    otherProduct:
      ticket.isProductStored || ticket.product === undefined ? ticket.otherProduct : ticket.product,
  };
};

/** Messages from which on a customer has waited too long. */
const MANY_MESSAGES = 3;

/** What the case asks of a draft besides an answer: regret, a person who decides, a number to look up. */
const needsOf = (
  ticket: TicketReading,
  {
    classification,
    knowledge,
    taxonomy,
  }: { classification: IntentClassification; knowledge: Knowledge; taxonomy: Taxonomy },
): Pick<FramedTicket, 'isUpset' | 'isForPerson' | 'recordNumber'> => {
  const { isAngry } = signalsIn(customerWords(ticket), ticket.language);
  const edition = knowledge.evidence?.edition;
  const isSerial = (number: string): boolean =>
    edition !== undefined && deviceShown(edition, number, taxonomy.devices) !== undefined;
  return {
    isUpset: isAngry || ticket.customerMessages.length >= MANY_MESSAGES,
    isForPerson: isAngry && classification.escalated_to !== undefined,
    recordNumber: ownNumbersIn(customerWords(ticket)).find((number) => !isSerial(number)),
  };
};

/** A second search within the time of one; else the first one stays. */
const inTime = async (first: Knowledge, search: () => Promise<Knowledge>): Promise<Knowledge> => {
  const second = await search();
  const retrieval_time_ms = first.retrieval_time_ms + second.retrieval_time_ms;
  return retrieval_time_ms > TIMEOUT_MS ? first : { ...second, retrieval_time_ms };
};

/** A closing message has no intent, whatever its words. */
const withoutIntent = (
  { confidence }: IntentClassification,
  threshold: number,
): IntentClassification => ({
  primary_intent: UNKNOWN_INTENT,
  confidence: Math.min(confidence, Math.round(threshold * 1000) / 1000),
});

const withoutKnowledge = (): Knowledge => ({
  sources_consulted: [],
  coverage: 'none',
  gaps: [],
  retrieval_time_ms: 0,
});

/** Upper bound of an analysis, whatever the caller's deadline. */
const ANALYSIS_MS = 20_000;
/** Share of the remaining time, and upper bound, for the calls of the model. */
const MODEL_SHARE = 0.7;
const MODEL_MS = 10_000;

const boundedTime = (timeLeftMs: () => number): (() => number) => {
  const spare = Math.max(0, timeLeftMs() - ANALYSIS_MS);
  return () => timeLeftMs() - spare;
};

/** A message that is too short for language detection counts as being in the language of the articles. */
const isInOtherLanguage = ({ language }: TicketReading, { isForeign }: Knowledge): boolean =>
  isForeign === true && language !== undefined;

/** Has the model write the draft when it may answer and there are passages to answer from. */
const written = async (
  composed: ComposedDraft,
  { ai, found, timeLeftMs, ...options }: WritingOptions,
): Promise<{ composed: ComposedDraft; outcome?: ModelOutcome }> => {
  const isAnswerable = composed.frame !== undefined && found !== undefined && canAnswerFrom(found);
  // A model never sees a prompt injection; the guidance says so.
  if (ai === undefined || !isAnswerable || options.ticket.hasPromptInjection) return { composed };
  const timeMs = Math.min(MODEL_MS, Math.floor(timeLeftMs * MODEL_SHARE));
  return writeWithModel(composed, { ...options, found, ai, timeMs });
};

interface WritingOptions extends Omit<ModelDraftOptions, 'ai' | 'timeMs' | 'ticket' | 'found'> {
  ai: AIClient | undefined;
  ticket: TicketReading;
  found: FoundUnits | undefined;
  timeLeftMs: number;
}

interface FoundAnswer {
  found: Knowledge;
  answer?: Answer;
  units?: TicketUnits;
  /** `/v1/ask` would decline the question that the passages are quoted for. */
  isDeclined?: boolean;
}

/** The answering passages, and the relevance that they give the sources. A faulty article leaves the draft without quotes. */
const answerIn = async (
  knowledge: Knowledge,
  {
    ticket,
    classification,
    parts: { wordVectors, onFault },
  }: { ticket: TicketReading; classification: IntentClassification; parts: AnalysisParts },
): Promise<FoundAnswer> => {
  const { evidence } = knowledge;
  if (evidence === undefined) return { found: knowledge };
  try {
    // What is quoted counts as retrieved.
    const timeoutMs = Math.max(1, TIMEOUT_MS - knowledge.retrieval_time_ms);
    const work = () => {
      const options = { product: ticket.product, vectors: wordVectors?.() };
      const units = rankTicketUnits(evidence, options);
      const singleAnswer = answerPassages(evidence, units, ticket);
      const raised = withUnits(knowledge, units);
      const isAnswered = isCovered(raised) && singleAnswer.passages.length > 0;
      // A warning is about the whole case, and the questions by themselves would lose it.
      const isDivisible = singleAnswer.warning === undefined;
      const { divided, unclear }: ReturnType<typeof answerParts> = isDivisible
        ? answerParts(evidence, ticket, {
            passages: isAnswered ? singleAnswer.passages : [],
            vectors: options.vectors,
          })
        : { unclear: [] };
      if (divided !== undefined) {
        const hasPromptInjection = singleAnswer.hasPromptInjection || divided.hasPromptInjection;
        return {
          found: coveredBy(raised, divided.passages),
          answer: { ...divided, unclear, hasPromptInjection },
          units,
        };
      }
      const isDeclined = isAnswered && isDeclinedQuestion(evidence, options);
      const isLabelled = evidence.intents.length > 0;
      // The label of an intent that is not sure does not answer a question by itself.
      if (isDeclined && isLabelled && classification.confidence < PARTIAL_BELOW)
        return { found: knowledge, answer: { ...singleAnswer, passages: [] }, units };
      // Below the level at which the note calls a message covered nothing is quoted, not even a warning.
      return {
        found: raised,
        answer: isCovered(raised)
          ? { ...singleAnswer, unclear }
          : { ...singleAnswer, passages: [] },
        units,
        isDeclined,
      };
    };
    return (await readPages(evidence.edition, work, { timeoutMs })).value;
  } catch (error) {
    onFault?.('pick passages', error);
    return { found: knowledge };
  }
};

/** Masks personal data and the customer's name. */
const maskFor = (
  { customer_name: name }: SupportRequest,
  { mask }: Mask,
): ((text: string) => string) => {
  const own = name?.trim() ?? '';
  return own.length < 3 ? mask : (text) => mask(withoutName(text, own));
};

/** Share of the first intent's confidence from which articles of another intent are searched as well. */
const NEARLY = 0.85;

/** The subject, on a line of its own, may name what the message omits. */
const textToClassify = ({ subject, question }: TicketReading): string =>
  subject === undefined || subject === '' ? question : `${subject}\n${question}`;

const retrieve = async (
  ticket: TicketReading,
  { primary_intent, confidence, secondary_intents = [] }: IntentClassification,
  {
    request,
    scope,
    parts,
    taxonomy,
  }: { request: SupportRequest; scope: AnalysisScope; parts: AnalysisParts; taxonomy: Taxonomy },
): Promise<Knowledge> => {
  if (!covers(scope.context.capabilities, 'kb:read')) return unavailableRetrieval('not_allowed');
  const { context, waitUntil, signal } = scope;
  const question = {
    intent: primary_intent,
    message: ticket.question,
    subject: ticket.subject,
    customer_name: request.customer_name,
    metadata: {
      ...(ticket.product === undefined ? {} : { product: ticket.product }),
      person_id: request.metadata?.person_id,
    },
    include_weak: true,
  };
  const nearby = secondary_intents
    .filter((other) => other.confidence >= NEARLY * confidence)
    .map(({ intent }) => intent);
  const own = taxonomy.intents.find(({ id }) => id === primary_intent)?.article_intents ?? [];
  const articleIntents = [...own, ...nearby];
  return parts.retrieveKnowledge(question, {
    context,
    waitUntil,
    signal,
    products: taxonomy.devices,
    articleIntents,
  });
};
