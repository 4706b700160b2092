import type { Draft, DraftReference, IntentClassification } from '../../contract/support-response.ts';
import type { RequiredFact, Taxonomy } from '../../contract/taxonomy.ts';
import { isInjectionName } from '../../grounding/prompt-injection.ts';
import { isPublicAddress } from '../../knowledge/public-address.ts';
import { escapeMarkdown } from '../../knowledge/rendering/escape-markdown.ts';
import { markdownToHtml } from '../../knowledge/rendering/markdown-to-html.ts';
import { markdownToText } from '../../knowledge/rendering/markdown-to-text.ts';
import type { Knowledge } from '../../knowledge/retrieval/knowledge.ts';
import { autoSendOf, missingInformation } from '../ticket/intent-rules.ts';
import { hasPhrases, inLanguage, nameOfLanguage, phrasesOf, primaryOf } from '../ticket/languages.ts';
import type { Answer } from './answer-passages.ts';
import {
  type ChosenTemplate,
  chooseTemplate,
  type FilledTemplate,
  fillTemplate,
  greet,
  type TemplateValues,
} from './fill-template.ts';
import type { AnswerPassage } from './quote-passage.ts';

/** What a draft needs to know of a ticket beyond what the seed's signature names. Texts of others, masked. */
export interface DraftTicket {
  subject?: string | undefined;
  /** BCP 47, of the customer's words; undefined where it cannot be told. */
  language?: string | undefined;
  /** What of the articles answers it; absent: nothing is quoted. */
  answer?: Answer | undefined;
  /** The customer thanks, or says that the trouble is over. */
  isClosing?: boolean | undefined;
  /** The customer asks, and tells nothing besides. */
  isQuestion?: boolean | undefined;
  /** In a few words, so that even a person could not tell what would help. */
  saysLittle?: boolean | undefined;
  /** What the customer has not told; absent: all that the metadata does not. */
  missing?: readonly RequiredFact[] | undefined;
}

export interface DraftGeneratorParts {
  taxonomy: Taxonomy;
  /** Absent: nothing is known of it, and nothing is quoted. */
  ticket?: DraftTicket | undefined;
}

/** A draft with what it was put together from, for the model that may write it anew and for the guidance. */
export interface ComposedDraft {
  draft: Draft;
  /** What stands around an answer that a model writes; undefined where it may write none. */
  answering: Around | undefined;
  /** What it quotes, best first. */
  passages: readonly AnswerPassage[];
  /** Texts in the sources that speak to a model were left out. */
  hasPromptInjection: boolean;
}

/** The words of a template, and whose. */
export interface Around extends OwnWords {
  /** The id of its intent, or `general`. */
  id: string;
}

/** `generate_draft` of the seed: the parameters in its order, its defaults, its behaviour (seed 001, contract 4). */
export type GenerateDraft = (
  classification: IntentClassification,
  customerName?: string,
  metadata?: Readonly<Record<string, unknown>>,
  knowledge?: Knowledge,
) => Draft;

/**
 * Makes the draft generator of a taxonomy, for one ticket or for any. Without knowledge, or with empty sources, a draft is the
 * one of v1.0, character for character; with a source that is sure enough, the passages that answer the message stand in it, word for word.
 */
export const createDraftGenerator = (parts: DraftGeneratorParts): GenerateDraft => {
  const compose = createDraftComposer(parts);
  return (...given) => compose(...given).draft;
};

/** Below this an intent is more likely wrong than right, and so it is where another is nearly as likely: the draft does not speak of it. */
const SURE_OF_INTENT = 0.5;
const NEARLY = 0.85;
const isSureOf = ({ confidence, secondary_intents = [] }: IntentClassification): boolean =>
  confidence >= SURE_OF_INTENT && secondary_intents.every((other) => other.confidence < NEARLY * confidence);

/** The same, with what a draft was put together from. */
export const createDraftComposer =
  ({ taxonomy, ticket }: DraftGeneratorParts) =>
  (...[classification, customerName, metadata, knowledge]: Parameters<GenerateDraft>): ComposedDraft => {
    const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
    const product = typeof metadata?.product === 'string' ? metadata.product : undefined;
    const isSent = autoSendOf(classification, intent).allowed;
    const isForeign = knowledge?.isForeign === true && ticket?.language !== undefined;
    // A message in the language of the articles is known by their words, however short it is.
    const language = isForeign ? ticket.language : (knowledge?.language ?? ticket?.language);
    // What goes out without a person is the template alone: nobody has seen that a quote fits (design 7.9).
    // In danger the first thing to say is what the template says.
    const isDanger = classification.danger !== undefined;
    const isQuoting = !isSent && !isForeign && !isDanger && ticket?.isClosing !== true;
    const { passages, hasPromptInjection } = (isQuoting ? ticket?.answer : undefined) ?? {
      passages: [],
      hasPromptInjection: false,
    };
    const use = isSent ? 'alone' : passages.length > 0 ? 'answer' : 'fallback';
    const unknown = { subject: undefined, customerMessages: [], metadata: metadata ?? {} };
    const open = ticket?.missing ?? missingInformation(intent, unknown);
    const known = { customerName, product, subject: ticket?.subject };
    // About a product that is none of ours a draft says which ones the articles cover, and no more.
    const isOther = ticket !== undefined && !isKnownProduct(product, taxonomy);
    const around = (how: Omit<OwnWordsOptions, 'ticket' | 'wanted' | 'knowledge' | 'products'>): Around => {
      const template = chooseTemplate(taxonomy, {
        intent: isSureOf(classification) ? classification.primary_intent : 'general',
        language,
        use: how.use,
      });
      // Who asks how something is, or has another product, is not asked what one's own product shows.
      const isFallback = how.use === 'fallback' && intent?.fallback_template !== undefined;
      const isAsked = !isFallback || (ticket?.isQuestion !== true && !isOther);
      const missing = (isAsked ? open : []).map(
        ({ question }) => inLanguage(question, { wanted: template.language, own: taxonomy.language }).text,
      );
      const products = isOther ? taxonomy.devices : [];
      const own = ownWords(template, { ...known, missing }, { ticket, wanted: language, knowledge, products, ...how });
      return { id: template.id, ...own };
    };
    const words = around({ use, isForeign: isForeign && !isSent });
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
      source_grounding: passages.length === 0 ? null : 1,
      written_by: 'template',
      auto_send: isSent,
    };
    const mayAnswer = !isSent && !isDanger && ticket?.isClosing !== true;
    return {
      draft,
      answering: mayAnswer
        ? inOwnLanguage(around({ use: 'answer', isForeign: false }), { language, customerName })
        : undefined,
      passages,
      hasPromptInjection,
    };
  };

/** Where no template is in the customer's language, the few words that a draft has of its own: a model answers in that language. */
const inOwnLanguage = (
  words: Around,
  { language, customerName }: { language: string | undefined; customerName: string | undefined },
): Around => {
  if (language === undefined || !hasPhrases(language) || primaryOf(words.language) === primaryOf(language))
    return words;
  const filled = { greeting: greet(customerName, language), before: phrasesOf(language).received, after: '' };
  return { id: 'general', language: primaryOf(language), filled };
};

/** "Brightseam Apollo II" is one, "Apollo IV" is none. Without products of its own a taxonomy knows any. */
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

interface OwnWordsOptions {
  ticket: DraftTicket | undefined;
  wanted: string | undefined;
  knowledge: Knowledge | undefined;
  use: 'answer' | 'fallback' | 'alone';
  isForeign: boolean;
  /** Those that the articles are about, where the customer has another one. */
  products: readonly string[];
}

/** What stands around the quotes. */
const ownWords = (
  template: ChosenTemplate,
  values: TemplateValues,
  { ticket, wanted, knowledge, use, isForeign, products }: OwnWordsOptions,
): OwnWords => {
  if (ticket?.isClosing === true) return closingWords(ticket.language ?? template.language, values.customerName);
  if (isForeign) return foreignWords(template, values, { wanted: wanted ?? '', knowledge });
  const { language } = template;
  const phrases = phrasesOf(language);
  if (products.length > 0 && use === 'fallback') return otherProductWords(template, values, products);
  const filled = fillTemplate(template, values);
  const isGeneral = template.id === 'general';
  // What the general template says is for whoever has no answer yet.
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

/** To somebody with a product that no article is about. It is not named: "your Apollo IV" would confirm that there is one. */
const otherProductWords = (template: ChosenTemplate, values: TemplateValues, products: readonly string[]): OwnWords => {
  const { language } = template;
  const filled = fillTemplate(template, { ...values, product: undefined });
  const list = new Intl.ListFormat(language, { type: 'conjunction' }).format(products.map(escapeMarkdown));
  const said = phrasesOf(language).otherProduct.replace('{products}', () => list);
  return { language, filled: { ...filled, before: [filled.before, said].join('\n\n') } };
};

interface OwnWords {
  /** BCP 47. */
  language: string;
  filled: FilledTemplate;
}

/** To somebody who thanks, or says that it is solved. */
const closingWords = (wanted: string, customerName: string | undefined): OwnWords => {
  const language = hasPhrases(wanted) ? wanted : 'en';
  return {
    language,
    filled: { greeting: greet(customerName, language), before: phrasesOf(language).closed, after: '' },
  };
};

/** Weaker articles are not pointed at. */
const CLOSE_FROM = 0.2;

/**
 * To somebody whose language the articles are not in: says so in that language, and names the articles that come closest. Without a template
 * in that language the rest is what a draft says by itself.
 */
const foreignWords = (
  template: ChosenTemplate,
  values: TemplateValues,
  { wanted, knowledge }: { wanted: string; knowledge: Knowledge | undefined },
): OwnWords => {
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
  const told = [phrases.onlyIn.replace('{language}', name), ...(closest.length > 0 ? [phrases.closest] : [])].join(' ');
  const before = [filled.before, told, closest.join('\n')].filter((part) => part !== '').join('\n\n');
  return { language: isTranslated ? template.language : primaryOf(wanted), filled: { ...filled, before } };
};

/** As Markdown reads it whole. */
const linkTarget = (url: string): string =>
  new URL(url).href.replace(/[()<>\\\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Each article once that the customer can open; others stand among the sources of the response. */
export const referencesOf = (passages: readonly AnswerPassage[]): DraftReference[] => {
  const articles = new Map(passages.map(({ title, url }) => [`${title}\n${url}`, { title, url }]));
  return [...articles.values()]
    .filter(({ url }) => isPublicAddress(url))
    .slice(0, 10)
    .map(({ title, url }) => ({ title: title.slice(0, 200), url: url.slice(0, 500) }));
};
