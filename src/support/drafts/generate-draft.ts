import {
  hasPromptInjection as containsInjection,
  isInjectionName,
} from '../../answering/model/prompt-injection.ts';
import type { DraftTone } from '../../contract/wire/desk-settings.ts';
import { ARTICLE_URL_MAX_LENGTH, RETRIEVAL_MIN_SCORE } from '../../contract/wire/knowledge.ts';
import type {
  Draft,
  DraftEvidence,
  DraftReference,
  IntentClassification,
} from '../../contract/wire/support-response.ts';
import type { RequiredFact, Taxonomy } from '../../contract/wire/taxonomy.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import { escapeMarkdown } from '../../documents/markdown/escape-markdown.ts';
import { markdownToHtml, markdownToText } from '../../documents/markdown/render-markdown.ts';
import { isPublicAddress } from '../../platform/http/public-address.ts';
import {
  autoSendOf,
  getsNoEmptyReply,
  getsNoReply,
  missingInformation,
} from '../message/intent-rules.ts';
import { hasPhrases, nameOfLanguage, phrasesOf, primaryOf } from '../message/languages.ts';
import type { Knowledge } from '../retrieval/knowledge.ts';
import type { Answer } from './answer-passages.ts';
import { type FilledTemplate, greet } from './fill-template.ts';
import { type DraftFrame, type FramedTicket, frameDraft, isSureOf } from './frame.ts';
import type { AnswerPassage } from './quote-passage.ts';

/** The facts of a ticket that the signature of the draft generator does not carry. Texts are masked. */
interface DraftTicket extends FramedTicket {
  /** BCP 47, language of the customer; undefined when it cannot be detected. */
  language?: string | undefined;
  /** The passages to quote; absent: none. */
  answer?: Answer | undefined;
  /** The customer thanks, or reports that the problem is solved. */
  isClosing?: boolean | undefined;
  /** Facts that the customer has not given; absent: all that are not in the metadata. */
  missing?: readonly RequiredFact[] | undefined;
}

interface DraftGeneratorParts {
  taxonomy: Taxonomy;
  /** Absent: nothing is quoted. */
  ticket?: DraftTicket | undefined;
  /** Absent: the words of the templates. */
  tone?: DraftTone | undefined;
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
  /** The questions of several that the draft does not answer, in the customer's words; absent for a single one. */
  open?: readonly string[] | undefined;
  /** What may be a question that the draft says nothing of, in the customer's words; absent: nothing. */
  unclear?: readonly string[] | undefined;
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
export function createDraftGenerator(parts: DraftGeneratorParts): GenerateDraft {
  const compose = createDraftComposer(parts);
  return (...given) => compose(...given).draft;
}

/** Makes the draft generator that also returns the parts of a draft. */
export function createDraftComposer({ taxonomy, ticket, tone }: DraftGeneratorParts) {
  return (
    ...[classification, givenName, metadata, givenKnowledge]: Parameters<GenerateDraft>
  ): ComposedDraft => {
    const [customerName, knowledge] = [givenName ?? undefined, givenKnowledge ?? undefined];
    const intent = taxonomy.intents.find(({ id }) => id === classification.primary_intent);
    if (getsNoReply(classification, intent))
      return noDraft(classification, ticket?.language ?? taxonomy.language);
    if (classification.danger !== undefined)
      return safetyDraft(taxonomy, { ticket, customerName, tone });
    if (ticket?.isClosing === true)
      return phraseDraft(taxonomy, { ticket, customerName, tone, phrase: 'closed' });
    const isSent = autoSendOf(classification, intent).allowed;
    // Retrieval recognises the language of the articles in messages that are too short for detection.
    const own = knowledge?.isForeign === true ? undefined : knowledge?.language;
    const language = own ?? ticket?.language;
    const answer = ticket === undefined ? excerptsOf(knowledge) : ticket.answer;
    // A draft that is sent without a person is the template alone, since no one has checked the quotes.
    const { passages, hasPromptInjection } = isSent ? NO_ANSWER : quotedOf(answer, ticket);
    const use = isSent ? 'alone' : passages.length > 0 ? 'answer' : 'fallback';
    if (use === 'fallback' && isSureOf(classification) && getsNoEmptyReply(classification, intent))
      return noDraft(classification, language ?? taxonomy.language);
    const unknown = { subject: undefined, customerMessages: [], metadata: metadata ?? {} };
    const framing = {
      taxonomy,
      classification,
      ticket,
      customerName,
      tone,
      product: typeof metadata?.product === 'string' ? metadata.product : undefined,
      language,
      missing: ticket?.missing ?? missingInformation(intent, unknown),
    };
    const words = frameDraft({ ...framing, use });
    const quotes = quotesOf(answer, { passages, language: words.language });
    const markdown = assemble(words.filled, { quotes, signature: taxonomy.signature });
    const draft: Draft = {
      text: markdownToText(markdown),
      markdown,
      html: markdownToHtml(markdown),
      template: words.id,
      language: words.language,
      references: referencesOf(passages),
      ...evidenceOf(
        passages.map(({ title, url, markdown: quoted }) => ({
          title,
          url,
          text: markdownToText(quoted),
        })),
      ),
      source_grounding: passages.length === 0 ? null : 1,
      written_by: 'template',
      auto_send: isSent,
    };
    const frame = isSent ? undefined : frameDraft({ ...framing, use: 'answer' });
    const open = answer?.parts
      ?.filter((part) => part.passages.length === 0)
      .map((part) => part.words);
    return {
      draft,
      frame,
      passages,
      hasPromptInjection,
      open: passages === answer?.passages ? open : undefined,
      unclear: passages === answer?.passages ? answer?.unclear : undefined,
    };
  };
}

const NO_ANSWER: Answer = { passages: [], hasPromptInjection: false };

/** The passages to quote; to a customer who waits for a person's decision, only what an article forbids. */
const quotedOf = (answer: Answer = NO_ANSWER, ticket: DraftTicket | undefined): Answer =>
  ticket?.isForPerson === true
    ? { ...answer, passages: answer.warning === undefined ? [] : [answer.warning] }
    : answer;

/**
 * The quotes as the draft has them: of each part of the message under its words, those in another language than the draft under a sentence
 * that says so.
 */
const quotesOf = (
  answer: Answer | undefined,
  { passages, language }: { passages: readonly AnswerPassage[]; language: string },
): string[] => {
  const phrases = phrasesOf(language);
  const [foreign] = passages
    .flatMap((each) => each.language ?? [])
    .filter((each) => primaryOf(each) !== primaryOf(language));
  const lead =
    foreign === undefined
      ? []
      : [phrases.quotedIn.replace('{language}', nameOfLanguage(foreign, { inLanguage: language }))];
  if (answer?.parts === undefined || passages !== answer.passages)
    return [...lead, ...passages.map(({ markdown }) => markdown)];
  return answer.parts.flatMap(({ words, passages: own }) => [
    ...(words === '' ? [] : [`**“${escapeHtml(escapeMarkdown(words))}”**`]),
    ...(own.length === 0 ? [phrases.noGuess] : [...lead, ...own.map(({ markdown }) => markdown)]),
  ]);
};

/** What a caller that has the knowledge block alone can quote: the excerpts of sure sources. */
const excerptsOf = (knowledge: Knowledge | undefined): Answer => {
  const sure = (knowledge?.sources_consulted ?? []).filter(
    (source) =>
      source.relevance_score >= RETRIEVAL_MIN_SCORE &&
      isPublic(source) &&
      source.excerpt.trim() !== '',
  );
  const clean = sure.filter(
    ({ title, excerpt }) => !isInjectionName(title) && !containsInjection(excerpt),
  );
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
export function noDraft(
  { primary_intent }: Pick<IntentClassification, 'primary_intent'>,
  language: string,
): ComposedDraft {
  return {
    draft: {
      text: '',
      markdown: '',
      html: '',
      template: primary_intent,
      language,
      references: [],
      source_grounding: null,
      written_by: 'template',
      auto_send: false,
    },
    frame: undefined,
    passages: [],
    hasPromptInjection: false,
  };
}

/** In danger, whatever the intent: safety first, and what an article forbids. No steps, no links; a person takes over. */
const safetyDraft = (taxonomy: Taxonomy, given: Omit<PhraseOptions, 'phrase'>): ComposedDraft => ({
  ...phraseDraft(taxonomy, { ...given, phrase: 'safety' }),
  warning: given.ticket?.answer?.warning,
});

interface PhraseOptions {
  ticket: DraftTicket | undefined;
  customerName: string | undefined;
  tone: DraftTone | undefined;
  phrase: 'safety' | 'closed';
}

/** A draft of one phrase in the customer's language, which asks nothing and quotes nothing. */
const phraseDraft = (
  { language: own, signature }: Pick<Taxonomy, 'language' | 'signature'>,
  { ticket, customerName, tone, phrase }: PhraseOptions,
): ComposedDraft => {
  const spoken =
    [ticket?.language, own].find((each) => each !== undefined && hasPhrases(each)) ?? 'en';
  const filled = {
    greeting: greet(customerName, spoken, tone),
    before: phrasesOf(spoken)[phrase],
    after: '',
  };
  const markdown = assemble(filled, { quotes: [], signature });
  return {
    draft: {
      text: markdownToText(markdown),
      markdown,
      html: markdownToHtml(markdown),
      template: 'general',
      language: primaryOf(spoken),
      references: [],
      source_grounding: null,
      written_by: 'template',
      auto_send: false,
    },
    frame: undefined,
    passages: [],
    hasPromptInjection: false,
  };
};

/** Greeting, body and signature as one Markdown text. */
export function assemble(
  { greeting, before, after }: FilledTemplate,
  { quotes, signature = '' }: { quotes: readonly string[]; signature?: string | undefined },
): string {
  return [greeting, before, ...quotes, after, signature].filter((part) => part !== '').join('\n\n');
}

/** Percent-encodes what would end a Markdown link. */
const linkTarget = (url: string): string =>
  new URL(url).href.replace(
    /[()<>\\\s]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const isPublic = ({ url }: DraftReference): boolean =>
  isPublicAddress(url) && url.length <= ARTICLE_URL_MAX_LENGTH;

/** What the draft says from articles that the customer can open, in the order of its text. */
export function evidenceOf(stated: readonly DraftEvidence[]): Pick<Draft, 'evidence'> {
  const evidence = stated
    .filter((each) => isPublic(each) && each.text.trim() !== '')
    .slice(0, 10)
    .map(({ title, url, text, quote }) => ({
      title: title.slice(0, 200),
      url,
      text: text.trim().slice(0, 2000),
      ...(quote === undefined || quote.trim() === '' ? {} : { quote: quote.trim().slice(0, 600) }),
    }));
  return evidence.length === 0 ? {} : { evidence };
}

/** Each article once, if the customer can open it. */
export function referencesOf(passages: readonly AnswerPassage[]): DraftReference[] {
  const articles = new Map(passages.map(({ title, url }) => [`${title}\n${url}`, { title, url }]));
  return [...articles.values()]
    .filter(isPublic)
    .slice(0, 10)
    .map(({ title, url }) => ({ title: title.slice(0, 200), url }));
}
