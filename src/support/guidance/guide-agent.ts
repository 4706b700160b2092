import {
  ARTICLE_URL_MAX_LENGTH,
  RETRIEVAL_MIN_SCORE,
  type WeakKnowledgeRetrieval,
} from '../../contract/wire/knowledge.ts';
import type {
  AgentGuidance,
  ClosestArticle,
  Draft,
  IntentClassification,
  QuotedArticle,
  RecommendedStep,
} from '../../contract/wire/support-response.ts';
import type {
  EscalationRule,
  Intent,
  RequiredFact,
  Taxonomy,
} from '../../contract/wire/taxonomy.ts';
import { markdownToText } from '../../documents/markdown/render-markdown.ts';
import { dangerIn } from '../../language/danger.ts';
import { isPublicAddress } from '../../platform/http/public-address.ts';
import { asksIn } from '../message/asks.ts';
import { autoSendOf, getsNoReply } from '../message/intent-rules.ts';
import { byLanguage, englishName, inLanguage, primaryOf } from '../message/languages.ts';
import type { TicketReading } from '../message/read-ticket.ts';
import { problemText } from '../retrieval/problem-text.ts';
import WORDS from './signal-words.json' with { type: 'json' };

interface GuidanceInput {
  taxonomy: Taxonomy;
  classification: IntentClassification;
  ticket: TicketReading;
  /** Required facts that the customer has not given. */
  missing: readonly RequiredFact[];
  knowledge: WeakKnowledgeRetrieval;
  composed: GuidedDraft;
  /** `/v1/ask` would decline the question that the draft quotes articles for. */
  isDeclined?: boolean | undefined;
  /** Absent without a model. */
  model?: ModelOutcome | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

/** What the guidance describes of a draft. */
interface GuidedDraft {
  draft: Draft;
  /** The quoted passages, best first. */
  passages: readonly {
    title: string;
    url: string;
    language: string | undefined;
    steps: readonly string[];
  }[];
  /** What an article forbids, where the draft quotes nothing for the sake of safety. */
  warning?: GuidedDraft['passages'][number] | undefined;
  /** Whether prompt injections were removed from the sources. */
  hasPromptInjection: boolean;
  /** The questions of several that the draft does not answer; absent where it was not written for each of them. */
  open?: readonly string[] | undefined;
  /** What may be a question that the draft says nothing of. */
  unclear?: readonly string[] | undefined;
}

/** Result of the attempt to let a model write the draft. */
interface ModelOutcome {
  /** Why its words were not used, as the end of a sentence; undefined when they were. */
  refused: string | undefined;
  /** Number of statements that were removed as unsupported. */
  removed: number;
  /** Steps of the articles that the model omits. */
  leftOut: readonly string[];
  /** What its reading of the ticket tells the agent. */
  notes?: readonly string[] | undefined;
}

/** Tells the agent what to do: steps with their sources, what to ask, what to check, and to whom to escalate. */
export function guideAgent(input: GuidanceInput): AgentGuidance {
  const { taxonomy, classification, ticket, knowledge, composed, missing } = input;
  const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
  const closest = closestArticles(input);
  const quoted = quotedArticles(composed);
  const given = { ticket, classification, coverage: knowledge.coverage };
  return {
    summary: summaryOf(input, intent),
    recommended_steps: recommendedSteps(composed),
    ...(quoted.length === 0 ? {} : { quoted_articles: quoted }),
    ...(closest.length === 0 ? {} : { closest_articles: closest }),
    missing_information: missing.map(
      ({ question }) => inLanguage(question, { own: taxonomy.language }).text,
    ),
    risks: getsNoReply(classification, intent)
      ? [NO_REPLY]
      : isWithoutDraft(input)
        ? [PERHAPS_NO_REPLY]
        : risksOf(input),
    escalation: escalationOf(taxonomy, intent, given),
    auto_send: autoSendOf(classification, intent),
  };
}

const NO_REPLY =
  'No reply is proposed, and nothing was looked up. If a customer wrote it after all, reply in your own words.';

const PERHAPS_NO_REPLY =
  'No reply is proposed, as the articles do not answer it either. It may be from a customer all the same: read it, and then reply in your own words.';

const isWithoutDraft = ({ composed }: GuidanceInput): boolean => composed.draft.text === '';

/** The steps that the draft quotes, without those that the customer has tried; in danger, only what an article forbids. */
const recommendedSteps = ({ passages, warning }: GuidedDraft): RecommendedStep[] =>
  [...(warning === undefined ? [] : [warning]), ...passages]
    .flatMap(({ steps, title, url }) =>
      steps.map((step) => ({
        step: plainStep(step),
        title: title.slice(0, 200),
        ...(isPublicAddress(url) && url.length <= ARTICLE_URL_MAX_LENGTH ? { url } : {}),
      })),
    )
    .filter(({ step, title }) => step !== '' && title !== '')
    .slice(0, 20);

/** Each article that the draft quotes, once; its address where the public can open it. */
const quotedArticles = ({ passages }: GuidedDraft): QuotedArticle[] =>
  [...new Map(passages.map(({ title, url }) => [`${title}\n${url}`, { title, url }])).values()]
    .slice(0, 10)
    .map(({ title, url }) => ({
      title: title.slice(0, 200),
      ...(isPublicAddress(url) && url.length <= ARTICLE_URL_MAX_LENGTH ? { url } : {}),
    }));

/** Least relevance of an article that is listed when the draft quotes nothing. */
const CLOSE_FROM = 0.05;

const closestArticles = ({ composed, knowledge, ticket }: GuidanceInput): ClosestArticle[] =>
  composed.passages.length > 0 || ticket.isClosing
    ? []
    : knowledge.sources_consulted
        .filter(({ relevance_score: relevance }) => relevance >= CLOSE_FROM)
        .map(({ title, url, relevance_score }) => ({ title, url, relevance_score }));

/** Plain text on one line, for helpdesks that render no Markdown. */
const plainStep = (quote: string): string =>
  markdownToText(quote)
    .replace(/^\s{0,9}(?:`{3,}|~{3,}).{0,50}$/gm, ' ')
    .replace(/^\s{1,9}(?:[-*•]|\d{1,2}[.)])\s/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1000);

const summaryOf = (input: GuidanceInput, intent: Intent | undefined): string => {
  const { classification, ticket, knowledge, composed } = input;
  const confidence = `${Math.round(classification.confidence * 100)} % sure`;
  if (ticket.isClosing) return 'The customer thanks, or says that it is solved.';
  if (intent !== undefined && isWithoutDraft(input))
    return `Looks like "${intent.title}" (${confidence}): no reply is proposed.`;
  const what =
    intent === undefined
      ? `The message fits no intent (${confidence})`
      : `${intent.title} (${confidence})`;
  const product = ticket.product === undefined ? '' : `, ${ticket.product}`;
  // Articles without a public address are not among the references.
  const quoted = new Set(composed.passages.map(({ title, url }) => `${title}\n${url}`)).size;
  const found =
    quoted === 0
      ? 'the draft quotes no article'
      : `the draft quotes ${quoted === 1 ? 'one article' : `${quoted} articles`}`;
  return `${what}${product}; ${found}, coverage ${knowledge.coverage}.`.slice(0, 1000);
};

/** Age from which an article is reported as possibly out of date: 18 months. */
const OLD_DAYS = 548;
const DAY_MS = 86_400_000;

/** What the agent should check before sending, the gravest first; at most 20 sentences. */
const risksOf = (input: GuidanceInput): string[] =>
  [...fromCustomer(input), ...fromKnowledge(input), ...fromDraft(input)]
    .map((each) => each.slice(0, 1000))
    .slice(0, 20);

const fromCustomer = ({ ticket, classification }: GuidanceInput): string[] => {
  const { danger } = classification;
  const { isAngry, requested } = signalsIn(customerWords(ticket), ticket.language);
  const attachments = namesOf(ticket.metadata.attachments);
  return [
    ...(danger === undefined
      ? []
      : [
          `The message speaks of possible danger ("${danger}"): make sure that no one is at risk before anything else.`,
        ]),
    ...(ticket.isClosing
      ? [
          'The customer thanks, or says that it is solved: there seems to be nothing to answer, and nothing was looked up.',
        ]
      : []),
    ...(ticket.isProductStored
      ? [
          `The message names no product: "${ticket.product}" is what is stored about the customer. Check that it is still correct.`,
        ]
      : []),
    ...(ticket.otherProduct === undefined
      ? []
      : [
          ticket.shownBy === undefined
            ? `The ticket says "${ticket.otherProduct}", the customer "${ticket.product}": the draft follows the customer's words and asks which it is.`
            : `The ticket says "${ticket.otherProduct}", but "${ticket.shownBy}" belongs to "${ticket.product}": the draft follows it and says so.`,
        ]),
    ...(isAngry
      ? ['The customer sounds angry: read the tone of the draft before it goes out.']
      : []),
    ...(requested === undefined
      ? []
      : [
          `The customer asks for a ${requested}: a person has to decide, and the draft promises none.`,
        ]),
    ...(attachments.length === 0 ? [] : [`Attachments were not read: ${attachments.join(', ')}.`]),
    ...(ticket.hasPromptInjection
      ? ['The message holds instructions aimed at a language model: no model was shown it.']
      : []),
    ...(ticket.isShortened ? ['The message is very long: only its beginning was read.'] : []),
  ];
};

const fromKnowledge = ({
  ticket,
  classification,
  knowledge,
  composed,
  isDeclined = false,
  now,
}: GuidanceInput): string[] => {
  if (ticket.isClosing) return [];
  // Also articles without a public address, which are not among the references of the draft.
  const { passages } = composed;
  const old = knowledge.sources_consulted.filter(
    ({ title, last_updated }) =>
      passages.some((each) => each.title === title) &&
      now - Date.parse(last_updated) > OLD_DAYS * DAY_MS,
  );
  return [
    ...(passages.length > 0 || composed.draft.auto_send
      ? []
      : [
          classification.danger !== undefined
            ? 'The draft only asks for safety: it quotes no article and answers nothing else.'
            : isSure(knowledge)
              ? NOT_QUOTED
              : wasNotSearched(knowledge)
                ? NOT_SEARCHED
                : 'No article clearly answers this, and neither does the draft.',
        ]),
    ...(isDeclined && passages.length > 0 ? [DECLINED] : []),
    ...old.map(
      ({ title, last_updated }) =>
        `A source may be out of date: "${oneLine(title)}" was last updated on ${last_updated.slice(0, 10)}.`,
    ),
    ...(composed.hasPromptInjection
      ? ['An article holds instructions aimed at a language model: they were left out.']
      : []),
  ];
};

/** Nothing is known about the articles then, neither that they answer nor that they do not. */
const wasNotSearched = ({ degraded = [] }: GuidanceInput['knowledge']): boolean =>
  degraded.includes('timeout') || degraded.includes('unavailable');

const NOT_SEARCHED =
  'The articles could not be searched in time, so whether one answers this is not known: search them, or have the message analysed again.';

const DECLINED = 'The articles may not answer the question: asked by itself it would be declined.';

const isSure = ({ sources_consulted: sources }: GuidanceInput['knowledge']): boolean =>
  sources.some(({ relevance_score: relevance }) => relevance >= RETRIEVAL_MIN_SCORE);

const NOT_QUOTED =
  'The draft quotes nothing: an article comes close, but repeats what was tried, is for another device, or does not answer, or a person has to decide first.';

const fromDraft = ({ ticket, composed, model }: GuidanceInput): string[] => {
  const { draft, passages } = composed;
  const own = primaryOf(draft.language ?? '');
  const isByModel = draft.written_by === 'model';
  // A model writes in the language of the draft.
  const quotes = isByModel ? [] : passages;
  const quoted = new Set(quotes.flatMap(({ language }) => language ?? []).map(primaryOf));
  const foreign = [...quoted].filter((each) => each !== own);
  const { text: problem } = problemText(ticket.question);
  const questions = asksIn(problem, { isCovered: false }).asks.length;
  const open = isByModel ? [] : (composed.open ?? []);
  const unclear = isByModel ? [] : (composed.unclear ?? []);
  return [
    ...(draft.auto_send
      ? ['The draft is a template: no one has checked that it answers this message.']
      : []),
    ...(open.length > 0
      ? [`The draft leaves open ${open.map((each) => `“${each}”`).join(', ')}.`]
      : []),
    ...(unclear.length > 0
      ? [`See whether the draft answers ${unclear.map((each) => `“${each}”`).join(', ')}.`]
      : []),
    ...(passages.length > 0 && questions > 1 && composed.open === undefined && unclear.length === 0
      ? [`The message asks ${questions} questions: see that the draft answers each of them.`]
      : []),
    ...(ticket.language !== undefined && own !== '' && primaryOf(ticket.language) !== own
      ? [
          `The customer writes in ${englishName(ticket.language)}, the draft is in ${englishName(own)}.`,
        ]
      : []),
    ...(own !== '' && foreign.length > 0
      ? [
          `The draft is in two languages: ${englishName(own)}, and quotes in ${foreign.map((each) => englishName(each)).join(', ')}.`,
        ]
      : []),
    ...(model?.notes ?? []),
    ...(model?.refused === undefined
      ? []
      : [`The draft was written without a model: ${model.refused}.`]),
    ...(model === undefined || model.refused !== undefined || model.removed === 0
      ? []
      : [
          `No source says everything that the model wrote: ${model.removed} of its statements were removed.`,
        ]),
    ...(model === undefined || model.refused !== undefined || model.leftOut.length === 0
      ? []
      : [`The draft leaves out steps that its articles have: ${namedSteps(model.leftOut)}.`]),
  ];
};

const MAX_STEPS = 4;
const MAX_STEP_LENGTH = 120;

/** The first few steps, each shortened to one line. */
const namedSteps = (steps: readonly string[]): string => {
  const lines = steps.slice(0, MAX_STEPS).map((step) => {
    const line = step.replace(/\s+/g, ' ').trim();
    return `“${line.length > MAX_STEP_LENGTH ? `${line.slice(0, MAX_STEP_LENGTH)}…` : line}”`;
  });
  const more = steps.length - lines.length;
  return `${lines.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

const namesOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .filter((each) => typeof each === 'string')
        .slice(0, 10)
        .map((each: string) => oneLine(each))
    : [];

const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 100);

/** What the rules are applied to. */
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
export function escalationOf(
  taxonomy: Pick<Taxonomy, 'intents' | 'escalation'>,
  intent: Pick<Intent, 'escalation'> | undefined,
  given: EscalationCase,
): AgentGuidance['escalation'] {
  const text = customerWords(given.ticket);
  const words = wordRuns(text);
  const isDanger = given.classification.danger !== undefined || dangerIn(text) !== undefined;
  const spoken = { words, isDanger };
  const own = [...(intent?.escalation ?? []), ...taxonomy.escalation];
  const others = taxonomy.intents.flatMap(({ escalation }) => escalation.filter(isByWordsAlone));
  const further =
    intent === undefined ? others : others.filter((rule) => reportsDanger(rule, spoken));
  const named = [...own, ...further].filter((rule) => applies(rule, { ...given, spoken }));
  // Words of danger that the taxonomy does not list, such as those of another language.
  const unnamed =
    isDanger && !named.some((rule) => reportsDanger(rule, spoken))
      ? [...taxonomy.escalation, ...others].find(isAboutDanger)
      : undefined;
  const applying = unnamed === undefined ? named : [...named, unnamed];
  const first =
    applying.find((rule) => rule === unnamed || reportsDanger(rule, spoken)) ?? applying[0];
  if (first === undefined)
    return isDanger ? { needed: true, reasons: [DANGER] } : { needed: false, reasons: [] };
  const reasons = applying.map(({ to, reason }) => (to === first.to ? reason : `${to}: ${reason}`));
  return { needed: true, to: first.to, reasons: [...new Set(reasons)].slice(0, 20) };
}

/** The reason when no rule names a team. */
const DANGER =
  'The message speaks of possible danger to people or property: a person takes over at once.';

/** The words of a message, and whether it reports danger. */
interface Spoken {
  words: readonly string[];
  isDanger: boolean;
}

/** A phrase of the rule that the words contain reports danger. */
const reportsDanger = ({ any_of = [] }: EscalationRule, spoken: Spoken): boolean =>
  any_of.some((phrase) => dangerIn(phrase) !== undefined && says(spoken, phrase));

/** A word of danger counts only in a message that reports danger: not in "a smoke-free home", or "there is no smoke". */
const says = ({ words, isDanger }: Spoken, phrase: string): boolean =>
  containsPhrase(words, phrase) && (isDanger || dangerIn(phrase) === undefined);

const isAboutDanger = ({ any_of = [] }: EscalationRule): boolean =>
  any_of.some((phrase) => dangerIn(phrase) !== undefined);

const isByWordsAlone = ({
  any_of,
  min_customer_messages,
  confidence_below,
  coverage,
}: EscalationRule): boolean =>
  any_of !== undefined &&
  min_customer_messages === undefined &&
  confidence_below === undefined &&
  coverage === undefined;

const applies = (
  { any_of, min_customer_messages, confidence_below, coverage }: EscalationRule,
  given: EscalationCase & { spoken: Spoken },
): boolean =>
  (any_of === undefined || any_of.some((phrase) => says(given.spoken, phrase))) &&
  (min_customer_messages === undefined ||
    given.ticket.customerMessages.length >= min_customer_messages) &&
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
  return words.some(
    (word, at) => word === first && wanted.every((each, offset) => words[at + offset] === each),
  );
};

const ANGER = byLanguage(WORDS.anger);
/** Makes a sentence a request for the things that it names. */
const REQUEST = byLanguage(WORDS.request);
/** Things that only a person may grant: `asked` requests one by itself, `named` needs a sentence with a request. */
const REQUESTED = WORDS.requested.map(({ what, asked, named }) => ({
  what,
  asked: byLanguage(asked),
  named: byLanguage(named),
}));

/** What an agent should notice in the words of a customer. */
interface Signals {
  /** The words that report danger to people or property. */
  danger: string | undefined;
  isAngry: boolean;
  /** What the customer requests and only a person may grant, in a word: `refund`. */
  requested: string | undefined;
}

/**
 * Reads the anger and the requests of a message in its own language, and danger in every language.
 *
 * @param text At most 16,000 UTF-16 units are read.
 * @param language BCP 47. When it is undefined or has no word lists, those of all languages count.
 */
export function signalsIn(text: string, language?: string): Signals {
  const read = text.slice(0, MAX_LENGTH);
  const languages = languagesOf(language);
  return {
    danger: dangerIn(read)?.words,
    isAngry: languages.some((each) => ANGER.get(each)?.test(read)) || isShouting(read),
    requested: requestedIn(read, languages),
  };
}

const MAX_LENGTH = 16_000;

const languagesOf = (language: string | undefined): readonly string[] => {
  const own = language === undefined ? undefined : primaryOf(language);
  return own !== undefined && ANGER.has(own) ? [own] : [...ANGER.keys()];
};

/** Three exclamation marks, or a line with most words in capitals; lines of logs have only one or two such words. */
const isShouting = (text: string): boolean =>
  /!{3}/.test(text) ||
  text.split('\n', MAX_LINES).some((line) => {
    const words = line.match(/(?<![\p{L}\p{N}/])\p{L}{2,}(?![\p{L}\p{N}/])/gu) ?? [];
    const capitals = words.filter((each) => /^[A-Z]+$/.test(each));
    return (
      capitals.filter((each) => each.length > 3).length >= 4 && capitals.length * 2 > words.length
    );
  });

const MAX_LINES = 500;

/** The first thing that a sentence requests; a sentence of two or three words requests whatever it names. */
const requestedIn = (text: string, languages: readonly string[]): string | undefined => {
  const sentences = text.split(/[.!?\n]+/).slice(0, MAX_SENTENCES_READ);
  return REQUESTED.find(({ asked, named }) =>
    sentences.some((sentence) =>
      languages.some(
        (each) =>
          asked.get(each)?.test(sentence) ||
          (named.get(each)?.test(sentence) &&
            (REQUEST.get(each)?.test(sentence) || isBrief(sentence))),
      ),
    ),
  )?.what;
};

const MAX_SENTENCES_READ = 200;

const isBrief = (sentence: string): boolean => sentence.trim().split(/\s+/).length <= 3;

/** The customer's current words: subject, message, and the earlier messages that a follow-up needs. */
export function customerWords({
  subject = '',
  message,
  question,
}: Pick<TicketReading, 'subject' | 'message' | 'question'>): string {
  return [subject, message, ...(question === message ? [] : [question])].join('\n');
}
