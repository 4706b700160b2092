import { hasPromptInjection as containsInjection, isInjectionName } from '../../answering/model/prompt-injection.ts';
import { ARTICLE_URL_MAX_LENGTH, RETRIEVAL_MIN_SCORE } from '../../contract/wire/knowledge.ts';
import type {
  Draft,
  DraftEvidence,
  DraftReference,
  IntentClassification,
} from '../../contract/wire/support-response.ts';
import type { RequiredFact, Taxonomy } from '../../contract/wire/taxonomy.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import { escapeMarkdown, markdownToHtml, markdownToText } from '../../documents/markdown/render-markdown.ts';
import { isPublicAddress } from '../../platform/http/public-address.ts';
import { autoSendOf, getsNoEmptyReply, getsNoReply, missingInformation } from '../message/intent-rules.ts';
import { hasPhrases, inLanguage, nameOfLanguage, phrasesOf, primaryOf } from '../message/languages.ts';
import type { Knowledge } from '../retrieval/knowledge.ts';
import type { Answer } from './answer-passages.ts';
import {
  type ChosenTemplate,
  chooseTemplate,
  type FilledTemplate,
  fillTemplate,
  greet,
  repeatable,
  type TemplateValues,
} from './fill-template.ts';
import type { AnswerPassage } from './quote-passage.ts';

/** The facts of a ticket that the signature of the draft generator does not carry. Texts are masked. */
export interface DraftTicket {
  subject?: string | undefined;
  /** BCP 47, language of the customer; undefined when it cannot be detected. */
  language?: string | undefined;
  /** The passages to quote; absent: none. */
  answer?: Answer | undefined;
  /** The customer thanks, or reports that the problem is solved. */
  isClosing?: boolean | undefined;
  /** The message consists of questions alone. */
  isQuestion?: boolean | undefined;
  /** The product that the customer names, and the other one of the ticket: the draft names both and asks which it is. */
  product?: string | undefined;
  otherProduct?: string | undefined;
  /** The message is too short to tell what would help. */
  saysLittle?: boolean | undefined;
  /** Facts that the customer has not given; absent: all that are not in the metadata. */
  missing?: readonly RequiredFact[] | undefined;
}

interface DraftGeneratorParts {
  taxonomy: Taxonomy;
  /** Absent: nothing is quoted. */
  ticket?: DraftTicket | undefined;
}

/** A draft with its parts, for the model that may rewrite it and for the guidance. */
export interface ComposedDraft {
  draft: Draft;
  /** The words around an answer of a model; undefined when a model must not answer. */
  frame: DraftFrame | undefined;
  /** The quoted passages, best first. */
  passages: readonly AnswerPassage[];
  /** What an article forbids, for the agent alone: in danger nothing is quoted. */
  warning?: AnswerPassage | undefined;
  /** A passage with a prompt injection was omitted. */
  hasPromptInjection: boolean;
}

/** The words of a filled template around quotes. */
interface DraftFrame extends FramedWords {
  /** The id of its intent, or `general`. */
  id: string;
}

/** The `generate_draft` function of the support contract, with its parameters in order. */
type GenerateDraft = (
  classification: IntentClassification,
  customerName?: string | null,
  metadata?: Readonly<Record<string, unknown>> | null,
  knowledge?: Knowledge | null,
) => Draft;

/**
 * Makes the draft generator of a taxonomy. Without knowledge, or with empty sources, a draft equals that of v1.0 character for character;
 * with a source that is sure enough, it quotes the passages of `ticket.answer` word for word, or, without a ticket, the excerpts of the
 * sources under their linked titles.
 *
 * @example
 * import type { Taxonomy } from '@constellation/contract';
 *
 * const draftFor = (taxonomy: Taxonomy, primary_intent: string) =>
 *   createDraftGenerator({ taxonomy })({ primary_intent, confidence: 0.9 }, 'Dana');
 */
export const createDraftGenerator = (parts: DraftGeneratorParts): GenerateDraft => {
  const compose = createDraftComposer(parts);
  return (...given) => compose(...given).draft;
};

/** Least confidence of an intent whose template is used; another intent must not be nearly as likely. */
const SURE_OF_INTENT = 0.5;
const NEARLY = 0.85;
const isSureOf = ({ confidence, secondary_intents = [] }: IntentClassification): boolean =>
  confidence >= SURE_OF_INTENT && secondary_intents.every((other) => other.confidence < NEARLY * confidence);

/** Makes the draft generator that also returns the parts of a draft. */
export const createDraftComposer =
  ({ taxonomy, ticket }: DraftGeneratorParts) =>
  (...[classification, givenName, metadata, givenKnowledge]: Parameters<GenerateDraft>): ComposedDraft => {
    const [customerName, knowledge] = [givenName ?? undefined, givenKnowledge ?? undefined];
    const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
    if (getsNoReply(classification, intent)) return noDraft(classification, ticket?.language ?? taxonomy.language);
    if (classification.danger !== undefined)
      return safetyDraft(taxonomy, { language: ticket?.language, customerName, warning: ticket?.answer?.warning });
    const product = typeof metadata?.product === 'string' ? metadata.product : undefined;
    const isSent = autoSendOf(classification, intent).allowed;
    const isForeign = knowledge?.isForeign === true && ticket?.language !== undefined;
    // Retrieval recognises the language of the articles in messages that are too short for detection.
    const language = isForeign ? ticket.language : (knowledge?.language ?? ticket?.language);
    // A draft that is sent without a person is the template alone, since no one has checked the quotes.
    const isQuoting = !isSent && !isForeign && ticket?.isClosing !== true;
    const answer = ticket === undefined ? excerptsOf(knowledge) : ticket.answer;
    const { passages, hasPromptInjection } = (isQuoting ? answer : undefined) ?? {
      passages: [],
      hasPromptInjection: false,
    };
    const use = isSent ? 'alone' : passages.length > 0 ? 'answer' : 'fallback';
    const isEmpty = use === 'fallback' && ticket?.isClosing !== true;
    if (isEmpty && isSureOf(classification) && getsNoEmptyReply(classification, intent))
      return noDraft(classification, language ?? taxonomy.language);
    const unknown = { subject: undefined, customerMessages: [], metadata: metadata ?? {} };
    const open = ticket?.missing ?? missingInformation(intent, unknown);
    const known = { customerName, product, subject: ticket?.subject };
    // About an unknown product, a draft only says which products the articles cover.
    const isOther = ticket !== undefined && !isKnownProduct(product, taxonomy);
    const frameOf = (how: Omit<FrameOptions, 'ticket' | 'wanted' | 'knowledge' | 'products'>): DraftFrame => {
      const template = chooseTemplate(taxonomy, {
        intent: isSureOf(classification) ? classification.primary_intent : 'general',
        language,
        use: how.use,
      });
      // A question, or a message about another product, needs no facts about the customer's product.
      const isFallback = how.use === 'fallback' && intent?.fallback_template !== undefined;
      const isAsked = !isFallback || (ticket?.isQuestion !== true && !isOther);
      const missing = (isAsked ? open : []).map(
        ({ question }) => inLanguage(question, { wanted: template.language, own: taxonomy.language }).text,
      );
      const products = isOther ? taxonomy.devices : [];
      const framed = wordsFor(
        template,
        { ...known, missing },
        { ticket, wanted: language, knowledge, products, ...how },
      );
      return { id: template.id, ...namingBothProducts(framed, ticket) };
    };
    const framed = frameOf({ use, isForeign: isForeign && !isSent });
    const words = use === 'answer' ? inCustomerLanguage(framed, { language, customerName }) : framed;
    const quotes = passages.map(({ markdown }) => markdown);
    const lead = quotes.length === 0 ? '' : phrasesOf(words.language).lead;
    const markdown = assemble(words.filled, { quotes: [lead, ...quotes], signature: taxonomy.signature });
    const draft: Draft = {
      text: markdownToText(markdown),
      markdown,
      html: markdownToHtml(markdown),
      template: ticket?.isClosing === true ? 'general' : words.id,
      language: words.language,
      references: referencesOf(passages),
      ...evidenceOf(passages.map(({ title, url, markdown: quoted }) => ({ title, url, text: markdownToText(quoted) }))),
      source_grounding: passages.length === 0 ? null : 1,
      written_by: 'template',
      auto_send: isSent,
    };
    const mayAnswer = !isSent && ticket?.isClosing !== true;
    return {
      draft,
      frame: mayAnswer
        ? inCustomerLanguage(frameOf({ use: 'answer', isForeign: false }), { language, customerName })
        : undefined,
      passages,
      hasPromptInjection,
    };
  };

/** What a caller that has the knowledge block alone can quote: the excerpts of sure sources. */
const excerptsOf = (knowledge: Knowledge | undefined): Answer => {
  const sure = (knowledge?.sources_consulted ?? []).filter(
    (source) => source.relevance_score >= RETRIEVAL_MIN_SCORE && isPublic(source) && source.excerpt.trim() !== '',
  );
  const clean = sure.filter(({ title, excerpt }) => !isInjectionName(title) && !containsInjection(excerpt));
  const passages = clean.map(({ title, url, excerpt }): AnswerPassage => {
    const text = excerpt.replace(/\s+/g, ' ').trim();
    const heading = `**[${escapeMarkdown(title)}](${linkTarget(url)})**`;
    return {
      title,
      url,
      text,
      language: undefined,
      steps: [],
      markdown: escapeHtml(`${heading}\n\n${escapeMarkdown(text)}`),
    };
  });
  return { passages, hasPromptInjection: clean.length < sure.length };
};

/** For a message that no one replies to. */
export const noDraft = (
  { primary_intent }: Pick<IntentClassification, 'primary_intent'>,
  language: string,
): ComposedDraft => ({
  draft: {
    ...{ text: '', markdown: '', html: '', template: primary_intent, language },
    ...{ references: [], source_grounding: null, written_by: 'template', auto_send: false },
  },
  ...{ frame: undefined, passages: [], hasPromptInjection: false },
});

/** In danger, whatever the intent: safety first, in the customer's language, without steps or links. A person takes over. */
const safetyDraft = (
  { language: own, signature }: Pick<Taxonomy, 'language' | 'signature'>,
  {
    language,
    customerName,
    warning,
  }: { language: string | undefined; customerName: string | undefined; warning: AnswerPassage | undefined },
): ComposedDraft => {
  const spoken = [language, own].find((each) => each !== undefined && hasPhrases(each)) ?? 'en';
  const filled = { greeting: greet(customerName, spoken), before: phrasesOf(spoken).safety, after: '' };
  const markdown = assemble(filled, { quotes: [], signature });
  return {
    draft: {
      ...{ text: markdownToText(markdown), markdown, html: markdownToHtml(markdown) },
      ...{ template: 'general', language: primaryOf(spoken), references: [] },
      ...{ source_grounding: null, written_by: 'template', auto_send: false },
    },
    ...{ frame: undefined, passages: [], warning, hasPromptInjection: false },
  };
};

/** The general phrases when no template is in the customer's language: quotes of articles in it, and what a model writes, are not framed in another. */
const inCustomerLanguage = (
  words: DraftFrame,
  { language, customerName }: { language: string | undefined; customerName: string | undefined },
): DraftFrame => {
  if (language === undefined || !hasPhrases(language) || primaryOf(words.language) === primaryOf(language))
    return words;
  const filled = { greeting: greet(customerName, language), before: phrasesOf(language).received, after: '' };
  return { id: 'general', language: primaryOf(language), filled };
};

/** The name ends with a product of the taxonomy, so that a brand may stand before it. A taxonomy without products knows any. */
const isKnownProduct = (product: string | undefined, { devices }: Taxonomy): boolean => {
  const words = ` ${product?.toLowerCase() ?? ''}`;
  return (
    product === undefined || devices.length === 0 || devices.some((each) => words.endsWith(` ${each.toLowerCase()}`))
  );
};

/** Greeting, body and signature as one Markdown text. */
export const assemble = (
  { greeting, before, after }: FilledTemplate,
  { quotes, signature = '' }: { quotes: readonly string[]; signature?: string | undefined },
): string => [greeting, before, ...quotes, after, signature].filter((part) => part !== '').join('\n\n');

interface FrameOptions {
  ticket: DraftTicket | undefined;
  wanted: string | undefined;
  knowledge: Knowledge | undefined;
  use: 'answer' | 'fallback' | 'alone';
  isForeign: boolean;
  /** Products of the articles, when the customer has another one. */
  products: readonly string[];
}

/** The words around the quotes. */
const wordsFor = (
  template: ChosenTemplate,
  values: TemplateValues,
  { ticket, wanted, knowledge, use, isForeign, products }: FrameOptions,
): FramedWords => {
  if (ticket?.isClosing === true) return closingWords(ticket.language ?? template.language, values.customerName);
  if (isForeign) return otherLanguageWords(template, values, { wanted: wanted ?? '', knowledge });
  const { language } = template;
  const phrases = phrasesOf(language);
  if (products.length > 0 && use === 'fallback') return otherProductWords(template, values, products);
  const filled = fillTemplate(template, values);
  const isGeneral = template.id === 'general';
  // The general template is for messages without an answer.
  if (isGeneral && use === 'answer' && ticket !== undefined)
    return { language, filled: { ...filled, before: phrases.received, after: '' } };
  const isFound = knowledge !== undefined && knowledge.coverage !== 'none';
  const isReport = isGeneral && isFound && ticket !== undefined && ticket.isQuestion !== true;
  const isShort = use === 'fallback' && ticket?.saysLittle === true && values.missing?.length === 0;
  const isProductOpen = values.product === undefined;
  const more =
    isShort && (isFound || !isProductOpen) ? phrases.sayMore : isReport && isProductOpen ? phrases.tellMore : '';
  return { language, filled: { ...filled, after: [filled.after, more].join('\n\n').trim() } };
};

/** For a product without articles. The product is not named: that would confirm that it exists. */
const otherProductWords = (
  template: ChosenTemplate,
  values: TemplateValues,
  products: readonly string[],
): FramedWords => {
  const { language } = template;
  const filled = fillTemplate(template, { ...values, product: undefined });
  const list = new Intl.ListFormat(language, { type: 'conjunction' }).format(products.map(escapeMarkdown));
  const covered = phrasesOf(language).otherProduct.replace('{products}', () => list);
  return { language, filled: { ...filled, before: [filled.before, covered].join('\n\n') } };
};

/** A draft that says first that the ticket and the customer name different products, and asks which it is. */
const namingBothProducts = (words: FramedWords, ticket: DraftTicket | undefined): FramedWords => {
  const named = repeatable(ticket?.product);
  const known = repeatable(ticket?.otherProduct);
  if (named === undefined || known === undefined || ticket?.isClosing === true) return words;
  const { language, filled } = words;
  const asked = phrasesOf(language)
    .twoProducts.replace('{named}', () => named)
    .replace('{known}', () => known);
  return { language, filled: { ...filled, before: [filled.before, asked].filter((part) => part !== '').join('\n\n') } };
};

interface FramedWords {
  /** BCP 47. */
  language: string;
  filled: FilledTemplate;
}

/** For a message that thanks, or reports that the problem is solved. */
const closingWords = (wanted: string, customerName: string | undefined): FramedWords => {
  const language = hasPhrases(wanted) ? wanted : 'en';
  return {
    language,
    filled: { greeting: greet(customerName, language), before: phrasesOf(language).closed, after: '' },
  };
};

/** Least relevance of an article that is linked. */
const CLOSE_FROM = 0.2;

/**
 * For a customer whose language the articles are not in: says so in that language and links the closest articles. Without a template in that
 * language, the general phrases are used.
 */
const otherLanguageWords = (
  template: ChosenTemplate,
  values: TemplateValues,
  { wanted, knowledge }: { wanted: string; knowledge: Knowledge | undefined },
): FramedWords => {
  const isTranslated = primaryOf(template.language) === primaryOf(wanted);
  if (!isTranslated && !hasPhrases(wanted))
    return { language: template.language, filled: fillTemplate(template, values) };
  const phrases = phrasesOf(wanted);
  const filled = isTranslated
    ? fillTemplate(template, values)
    : { greeting: greet(values.customerName, wanted), before: phrases.received, after: phrases.read };
  const name = nameOfLanguage(knowledge?.language ?? '', { inLanguage: wanted });
  const closest = (knowledge?.sources_consulted ?? [])
    .filter(
      ({ title, url, relevance_score: relevance }) =>
        relevance >= CLOSE_FROM && isPublicAddress(url) && !isInjectionName(title),
    )
    .map(({ title, url }) => `- [${escapeMarkdown(title)}](${linkTarget(url)})`);
  const notice = [phrases.onlyIn.replace('{language}', name), ...(closest.length > 0 ? [phrases.closest] : [])].join(
    ' ',
  );
  const before = [filled.before, notice, closest.join('\n')].filter((part) => part !== '').join('\n\n');
  return { language: isTranslated ? template.language : primaryOf(wanted), filled: { ...filled, before } };
};

/** Percent-encodes what would end a Markdown link. */
const linkTarget = (url: string): string =>
  new URL(url).href.replace(/[()<>\\\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const isPublic = ({ url }: DraftReference): boolean => isPublicAddress(url) && url.length <= ARTICLE_URL_MAX_LENGTH;

/** What the draft says from articles that the customer can open, in the order of its text. */
export const evidenceOf = (stated: readonly DraftEvidence[]): Pick<Draft, 'evidence'> => {
  const evidence = stated
    .filter((each) => isPublic(each) && each.text.trim() !== '')
    .slice(0, 10)
    .map(({ title, url, text, quote }) => ({
      ...{ title: title.slice(0, 200), url, text: text.trim().slice(0, 2000) },
      ...(quote === undefined || quote.trim() === '' ? {} : { quote: quote.trim().slice(0, 600) }),
    }));
  return evidence.length === 0 ? {} : { evidence };
};

/** Each article once, if the customer can open it. */
export const referencesOf = (passages: readonly AnswerPassage[]): DraftReference[] => {
  const articles = new Map(passages.map(({ title, url }) => [`${title}\n${url}`, { title, url }]));
  return [...articles.values()]
    .filter(isPublic)
    .slice(0, 10)
    .map(({ title, url }) => ({ title: title.slice(0, 200), url }));
};
