import { hasPromptInjection } from '../../grounding/prompt-injection.ts';
import { escapeMarkdown } from '../../knowledge/rendering/escape-markdown.ts';
import type { ChosenTemplate } from './choose-template.ts';
import { nameInGreeting } from './name-in-greeting.ts';
import { phrasesOf } from './phrases.ts';

/** What a ticket gives a template; whatever is unfit to be said back is left out. */
export interface TemplateValues {
  customerName?: string | undefined;
  product?: string | undefined;
  subject?: string | undefined;
  /** Questions to the customer. */
  missing?: readonly string[] | undefined;
}

/** A filled template, cut where the grounded steps go. Markdown. */
export interface FilledTemplate {
  /** The greeting, a paragraph of its own. */
  greeting: string;
  before: string;
  after: string;
}

/**
 * Fills a template. A name that is missing or is none goes with the space before it; for a product or a subject that is
 * missing a word of the template's language stands in. The questions are a list; where there are none, their paragraph goes. A template
 * without `{customer_name}` is greeted before it.
 */
export const fillTemplate = (template: ChosenTemplate, values: TemplateValues): FilledTemplate => {
  const phrases = phrasesOf(template.language);
  const name = nameInGreeting(values.customerName);
  const product = sayable(values.product) ?? phrases.product;
  const subject = sayable(values.subject) ?? phrases.subject;
  const lines = withQuestions(template.text.replaceAll('\r\n', '\n'), values.missing ?? []).split('\n');
  const place = lines.findIndex((line) => line.trim() === KNOWLEDGE);
  // Only on a line of its own does it stand for the steps.
  const fill = (part: readonly string[]) =>
    part
      .filter((line) => line.trim() !== KNOWLEDGE)
      .join('\n')
      .replaceAll(KNOWLEDGE, '')
      .replace(/[ \t]?\{customer_name\}/g, (found) =>
        name === undefined ? '' : `${found.slice(0, -NAME.length)}${name}`,
      )
      // A function: a value must not be read as a pattern such as `$&`.
      .replace(/\{product\}/g, () => product)
      .replace(/\{subject\}/g, () => subject)
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  const [before, after] = place < 0 ? [fill(lines), ''] : [fill(lines.slice(0, place)), fill(lines.slice(place + 1))];
  if (template.text.includes(NAME)) return { ...splitGreeting(before), after };
  const greeting = phrases.greeting.replace('{name}', name === undefined ? '' : ` ${name}`);
  return { greeting, before, after };
};

/** Of each paragraph as it stands there. */
const withQuestions = (text: string, questions: readonly string[]): string => {
  if (!text.includes(MISSING)) return text;
  return text
    .split(/\n{2,}/)
    .flatMap((paragraph) => {
      if (!paragraph.includes(MISSING)) return [paragraph];
      const list = questions.map((question) => `- ${escapeMarkdown(question)}`).join('\n');
      return list === '' ? [] : [paragraph.replaceAll(MISSING, () => list)];
    })
    .join('\n\n');
};

const KNOWLEDGE = '{knowledge}';
const MISSING = '{missing_information}';
const NAME = '{customer_name}';

/** The first paragraph is the greeting where it is one short line. */
const splitGreeting = (text: string): { greeting: string; before: string } => {
  const end = text.indexOf('\n\n');
  const first = end < 0 ? text : text.slice(0, end);
  if (first.length > 100 || first.includes('\n') || !/[,!:،，]$/.test(first)) return { greeting: '', before: text };
  return { greeting: first, before: end < 0 ? '' : text.slice(end + 2) };
};

const MAX_VALUE = 100;

/** On one line, short, without addresses, and nothing that speaks to a model or would be read as Markdown. */
const sayable = (value: string | undefined): string | undefined => {
  const plain = value
    ?.slice(0, 1000)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (plain === undefined || plain === '' || plain.length > MAX_VALUE) return undefined;
  if (/:\/\/|www\.|\S@\S|[<>{}]/i.test(plain) || hasPromptInjection(plain)) return undefined;
  return escapeMarkdown(plain);
};
