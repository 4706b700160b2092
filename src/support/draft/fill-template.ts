import { type Taxonomy, UNKNOWN_INTENT } from '../../contract/taxonomy.ts';
import { hasPromptInjection, isInjectionName } from '../../grounding/prompt-injection.ts';
import { escapeMarkdown } from '../../knowledge/rendering/escape-markdown.ts';
import { inLanguage, phrasesOf, type TextInLanguage } from '../ticket/languages.ts';
import NO_NAMES from './no-names.json' with { type: 'json' };

/** A template as it is to be filled. */
export interface ChosenTemplate extends TextInLanguage {
  /** The id of its intent, or `general`. */
  id: string;
}

/**
 * The reply template of an intent in the customer's language, as far as there is one: else in the taxonomy's own, else the
 * first. A message that fits no intent, or one that the taxonomy does not have, gets the general one.
 *
 * @param options.use What goes with it: an `answer` of the knowledge base, none (`fallback`), or nothing at all, as it goes out `alone`.
 */
export const chooseTemplate = (
  taxonomy: Pick<Taxonomy, 'intents' | 'general_template' | 'language'>,
  { intent, language, use }: { intent: string; language?: string | undefined; use: 'answer' | 'fallback' | 'alone' },
): ChosenTemplate => {
  const found = intent === UNKNOWN_INTENT ? undefined : taxonomy.intents.find(({ id }) => id === intent);
  const special = { answer: undefined, fallback: found?.fallback_template, alone: found?.auto_send.template }[use];
  const template = special ?? found?.reply_template ?? taxonomy.general_template;
  const id = found?.id ?? 'general';
  return { id, ...inLanguage(template, { wanted: language, own: taxonomy.language }) };
};

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
  return { greeting: greet(values.customerName, template.language), before, after };
};

/** A greeting by name, where it looks like one. */
export const greet = (customerName: string | undefined, language: string): string => {
  const name = nameInGreeting(customerName);
  return phrasesOf(language).greeting.replace('{name}', name === undefined ? '' : ` ${name}`);
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

/**
 * A customer's name as a greeting may say it. Whoever writes in chooses it, so that only what looks like a name is said back:
 * letters of any script, with the few signs that names have.
 *
 * @returns Undefined where a neutral greeting is better: no name, an address, markup, a sentence, an instruction, or what
 *   helpdesks put in its place.
 */
export const nameInGreeting = (name: string | undefined): string | undefined => {
  if (name === undefined || name.length > MAX_RAW) return undefined;
  const plain = name.normalize('NFC').replace(/\s+/g, ' ').replace(INVISIBLE, '').trim();
  if (plain === '' || plain.length > MAX_NAME || !LOOKS_LIKE_NAME.test(plain)) return undefined;
  const words = plain.toLowerCase().split(' ');
  if (words.length > MAX_WORDS || words.some((word) => NOT_A_NAME.has(word))) return undefined;
  return isInjectionName(plain) ? undefined : plain;
};

const MAX_RAW = 200;
const MAX_NAME = 60;
const MAX_WORDS = 5;

const INVISIBLE = /[\p{Cc}\p{Cf}]+/gu;

/** "Ana", "José María O'Neill-Pérez", "J. R. Smith Jr.", "李明". */
const LOOKS_LIKE_NAME = /^\p{L}[\p{L}\p{M}'’]*\.?(?:[ -][\p{L}\p{M}'’]+\.?)*$/u;

/** What stands there for somebody without a name, and words that make a sentence of it. */
const NOT_A_NAME: ReadonlySet<string> = new Set(NO_NAMES);

/**
 * A text with `[name]` in the place of a customer's name: of a whole name of several words wherever it stands, of its parts where they
 * introduce or sign.
 */
export const withoutName = (text: string, name: string): string => {
  const words = name.slice(0, MAX_NAME_READ).match(/[\p{L}\p{M}'’.-]+/gu) ?? [];
  if (words.length === 0) return text;
  const whole = words.map(escapeExpression).join('\\s{1,4}');
  const parts = words.filter((word) => word.length > 2).map(escapeExpression);
  // One word alone may be any word: "Will", "Mark".
  const named =
    words.length < 2
      ? text
      : text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${whole}(?![\\p{L}\\p{N}])`, 'giu'), NAME_MARK);
  if (parts.length === 0) return named;
  const part = `(?:${parts.join('|')})`;
  return named
    .replace(
      new RegExp(`(?<=^[ \\t]{0,9}(?:[-–—,~][ \\t]?)?)${part}(?=[ \\t]{0,9}[.,!]?[ \\t]{0,9}$)`, 'gimu'),
      NAME_MARK,
    )
    .replace(
      new RegExp(
        `(?<=(?:my name is|this is|i am|i['’]m|ich bin|mein name ist|je m['’]appelle|me llamo|mi chiamo) )${part}(?![\\p{L}\\p{N}])`,
        'giu',
      ),
      NAME_MARK,
    );
};

const NAME_MARK = '[name]';
const MAX_NAME_READ = 200;

/** With the flag `u` nothing else may be escaped: a hyphen is none of them. */
const escapeExpression = (word: string): string => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
