import { groundingProblems, prepareGrounds } from '../../grounding/literals/check-grounding.ts';
import { hasPromptInjection } from '../../grounding/prompt-injection.ts';
import { prepareSource } from '../../grounding/support/prepare-source.ts';
import { checkSupport, SUPPORTED_FROM } from '../../grounding/support-check.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { primaryOf } from '../languages.ts';
import type { AnswerPassage } from './answer-passages.ts';
import type { DraftPart, DraftReply } from './model-draft-format.ts';

/** A part of a draft with what it rests on. */
export interface OwnedPart extends DraftPart {
  /** Undefined for a part of the template. */
  passage: AnswerPassage | undefined;
}

/**
 * What is wrong with a model's draft, for the one who has to write it again; empty where nothing is. It may change tone and
 * flow: each paragraph is held against the parts alone that it names, all parts must be said, in order, and what cannot be said
 * in other words must stand there as it is. What no part says, a promise above all, is refused.
 */
export const draftViolations = (
  { paragraphs }: DraftReply,
  { parts, language }: { parts: readonly OwnedPart[]; language: string },
): string[] => {
  const named = paragraphs.flatMap(({ from }) => from);
  const order = named.map((id) => parts.findIndex((part) => part.id === id));
  const missing = parts.filter(({ id }) => !named.includes(id));
  const own = detectLanguage(paragraphs.map(({ text }) => text).join('\n'));
  return [
    ...missing.map(({ id }) => `Part ${id} is not said`),
    ...(order.some((place, at) => at > 0 && place < (order[at - 1] ?? -1)) ? ['The parts are not in their order'] : []),
    ...(new Set(named).size < named.length ? ['A part is said twice'] : []),
    ...(own !== undefined && own !== primaryOf(language) ? [`The reply is not in the language "${language}"`] : []),
    ...paragraphs.flatMap((paragraph) => paragraphViolations(paragraph, parts)),
  ];
};

const paragraphViolations = (
  { from, text }: DraftReply['paragraphs'][number],
  parts: readonly OwnedPart[],
): string[] => {
  const own = parts.filter(({ id }) => from.includes(id));
  const said = JSON.stringify(text.slice(0, 120));
  if (own.length === 0 || own.length < from.length) return [`${said} names no part, or one that was not given`];
  if (own.some(({ id }) => id.startsWith('f')))
    return own.length > 1 ? ['A part that stays as it is needs a paragraph of its own'] : [];
  if (text === '') return [`The paragraph of ${from.join(', ')} is empty`];
  if (hasPromptInjection(text)) return [`${said} is no statement about the subject`];
  const texts = own.map((part) => ({
    text: part.text,
    headings: part.passage === undefined ? [] : [part.passage.title],
  }));
  const sources = texts.map((each) => prepareSource({ text: each.text, title: each.headings.join('\n') }));
  const doubted = checkSupport(text, sources).sentences.filter(({ probability }) => probability < SUPPORTED_FROM);
  return [
    ...doubted.map(({ text: sentence }) => `No named part says ${JSON.stringify(sentence.slice(0, 120))}`),
    ...groundingProblems(text, prepareGrounds(texts)),
    ...lost(text, own).map((literal) => `${JSON.stringify(literal.slice(0, 120))} is left out or changed`),
  ];
};

/** What is exact or not at all: code, addresses, numbers with their signs. */
const lost = (text: string, own: readonly OwnedPart[]): string[] => {
  const literals = own.flatMap((part) => part.text.match(LITERAL) ?? []).map((each) => each.replace(/[.,;:!?]+$/, ''));
  return [...new Set(literals)].filter((each) => !text.includes(each));
};

const LITERAL = /`[^`\n]{1,200}`|https?:\/\/[^\s)\]>]{1,500}|\*\*[^*\n]{1,100}\*\*|(?<![\p{L}\p{N}])\d[\d.,:]{0,20}/gu;
