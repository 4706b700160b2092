import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge-retrieval.ts';
import type { Draft, DraftReference, IntentClassification } from '../../contract/support-response.ts';
import type { RequiredFact, Taxonomy } from '../../contract/taxonomy.ts';
import { isInjectionName } from '../../grounding/prompt-injection.ts';
import { markdownToHtml } from '../../knowledge/rendering/markdown-to-html.ts';
import { markdownToText } from '../../knowledge/rendering/markdown-to-text.ts';
import type { Knowledge } from '../../knowledge/retrieval/knowledge.ts';
import { autoSendOf } from '../guidance/auto-send.ts';
import { missingInformation } from '../guidance/missing-information.ts';
import { inLanguage } from '../in-language.ts';
import { type ChosenTemplate, chooseTemplate } from './choose-template.ts';
import { type FilledTemplate, fillTemplate } from './fill-template.ts';
import { type GroundedPart, groundedPart } from './grounded-part.ts';
import { phrasesOf } from './phrases.ts';
import { pickShownSteps } from './pick-shown-steps.ts';
import type { PickedSteps } from './pick-steps.ts';
import { sourceGrounding } from './source-grounding.ts';
import { type TriedAlready, triedAlready } from './tried-already.ts';
import { otherProducts, usablePassages } from './usable-passages.ts';
import { withoutPromises } from './without-promises.ts';

/** What a draft needs to know of a ticket beyond what the seed's signature names. Texts of others, masked. */
export interface DraftTicket {
  /** What the customer asks, with what it takes from messages before. */
  text: string;
  subject?: string | undefined;
  /** BCP 47, of the customer's words; undefined where it cannot be told. */
  language?: string | undefined;
  tried: TriedAlready;
  /** What the customer has not told; absent: all that the metadata does not. */
  missing?: readonly RequiredFact[] | undefined;
}

export interface DraftGeneratorParts {
  taxonomy: Taxonomy;
  /** Absent: the intent's own title is answered. */
  ticket?: DraftTicket | undefined;
}

/** A draft with what it was put together from, for the model that may write it anew and for the guidance. */
export interface ComposedDraft {
  draft: Draft;
  template: ChosenTemplate;
  filled: FilledTemplate;
  picked: readonly PickedSteps[];
  grounded: GroundedPart;
  /** Texts in the sources that speak to a model were left out. */
  hasPromptInjection: boolean;
  /** Quotes that promise what neither their source nor the template grants; they were left out. */
  promises: readonly string[];
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
 * one of v1.0, character for character; with it, the steps and sentences that answer the message stand in it, quoted and cited.
 */
export const createDraftGenerator = (parts: DraftGeneratorParts): GenerateDraft => {
  const compose = createDraftComposer(parts);
  return (...given) => compose(...given).draft;
};

/** The same, with what a draft was put together from. */
export const createDraftComposer =
  ({ taxonomy, ticket }: DraftGeneratorParts) =>
  (...[classification, customerName, metadata, knowledge]: Parameters<GenerateDraft>): ComposedDraft => {
    const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
    const template = chooseTemplate(taxonomy, { intent: classification.primary_intent, language: ticket?.language });
    const product = typeof metadata?.product === 'string' ? metadata.product : undefined;
    const unknown = { subject: undefined, customerMessages: [], metadata: metadata ?? {} };
    const missing = (ticket?.missing ?? missingInformation(intent, unknown)).map(
      ({ question }) => inLanguage(question, { wanted: template.language, own: taxonomy.language }).text,
    );
    const filled = fillTemplate(template, { customerName, product, subject: ticket?.subject, missing });
    const about = [intent?.title, intent?.description].join('\n');
    const text = ticket?.text ?? about;
    const products = [...taxonomy.devices, ...(intent?.devices ?? [])];
    const language = ticket?.language ?? template.language;
    const tried = ticket?.tried ?? triedAlready({ customer: [], agent: [] });
    const { inSentence: isOfOthers } = otherProducts({ product, products });
    const usable = knowledge === undefined ? [] : usablePassages(knowledge, { product, products, language });
    const { picked, hasPromptInjection } = pickShownSteps(usable, { text, intent: about, products, isOfOthers, tried });
    const { kept, promises } = withoutPromises(picked);
    const grounded = groundedPart(kept, { phrases: phrasesOf(template.language), seeAlso: sourcesOf(knowledge) });
    const markdown = assemble(filled, { ...grounded, signature: taxonomy.signature });
    const draft: Draft = {
      text: markdownToText(markdown),
      markdown,
      html: markdownToHtml(markdown),
      template: template.id,
      language: template.language,
      references: [...grounded.references],
      source_grounding: sourceGrounding(kept),
      written_by: 'template',
      auto_send: autoSendOf(classification, intent).allowed,
    };
    return { draft, template, filled, picked: kept, grounded, hasPromptInjection, promises };
  };

/** Greeting, body, sources and signature as one Markdown text. */
export const assemble = (
  { greeting, before, after }: FilledTemplate,
  { steps, sources, signature = '' }: Pick<GroundedPart, 'steps' | 'sources'> & { signature?: string | undefined },
): string => [greeting, before, steps, after, sources, signature].filter((part) => part !== '').join('\n\n');

/** Sources that the guarantee covers, to point at where nothing can be quoted. */
const sourcesOf = (knowledge: Knowledge | undefined): DraftReference[] =>
  (knowledge?.sources_consulted ?? [])
    .filter(({ title, relevance_score }) => relevance_score >= RETRIEVAL_MIN_SCORE && !isInjectionName(title))
    .map(({ title, url }) => ({ title, url }));
