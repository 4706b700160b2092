import { hasPromptInjection, isInjectionName } from '../../answering/model/prompt-injection.ts';
import type { DraftTone } from '../../contract/wire/desk-settings.ts';
import { type Taxonomy, UNKNOWN_INTENT } from '../../contract/wire/taxonomy.ts';
import { escapeMarkdown } from '../../documents/markdown/escape-markdown.ts';
import { inLanguage, phrasesOf, type TextInLanguage } from '../message/languages.ts';
import NO_NAMES from './no-names.json' with { type: 'json' };

/** The template of an intent in one language. */
export interface ChosenTemplate extends TextInLanguage {
  /** The id of its intent, or `general`. */
  id: string;
}

/**
 * Chooses the reply template of an intent in the customer's language, else in the taxonomy's own, else the first one. A message without a
 * known intent gets the general template.
 *
 * @param options.use `answer` with quotes, `fallback` without, `alone` when it is sent without a person.
 */
export function chooseTemplate(
  taxonomy: Pick<Taxonomy, 'intents' | 'general_template' | 'language'>,
  {
    intent,
    language,
    use,
  }: { intent: string; language?: string | undefined; use: 'answer' | 'fallback' | 'alone' },
): ChosenTemplate {
  const found =
    intent === UNKNOWN_INTENT ? undefined : taxonomy.intents.find(({ id }) => id === intent);
  const special = {
    answer: undefined,
    fallback: found?.fallback_template,
    alone: found?.auto_send.template,
  }[use];
  const template = special ?? found?.reply_template ?? taxonomy.general_template;
  const id = found?.reply_template === undefined ? 'general' : found.id;
  return { id, ...inLanguage(template, { wanted: language, own: taxonomy.language }) };
}

/** Values for the placeholders; those that are unsafe to repeat are omitted. */
interface TemplateValues {
  customerName?: string | undefined;
  product?: string | undefined;
  subject?: string | undefined;
  /** Questions to the customer. */
  missing?: readonly string[] | undefined;
}

/** A filled template in Markdown, split at `{knowledge}`. */
export interface FilledTemplate {
  /** The greeting, a paragraph of its own. */
  greeting: string;
  before: string;
  after: string;
}

/**
 * Fills a template. Without a usable name, the placeholder is removed with the space before it; a missing product or subject is replaced by
 * a general word. Questions become a list; without questions their paragraph is removed. A template without `{customer_name}` gets a
 * greeting before it.
 */
export function fillTemplate(template: ChosenTemplate, values: TemplateValues): FilledTemplate {
  const phrases = phrasesOf(template.language);
  const name = nameInGreeting(values.customerName);
  const product = repeatable(values.product) ?? phrases.product;
  const subject = repeatable(values.subject) ?? phrases.subject;
  const lines = withQuestions(template.text.replaceAll('\r\n', '\n'), values.missing ?? []).split(
    '\n',
  );
  const place = lines.findIndex(isKnowledge);
  const fill = (part: readonly string[]) =>
    part
      .filter((line) => !isKnowledge(line))
      .join('\n')
      .replaceAll(KNOWLEDGE, '')
      .replace(/[ \t]?\{customer_name\}/g, (found) =>
        name === undefined ? '' : `${found.slice(0, -NAME.length)}${name}`,
      )
      // Functions: a value must not be read as a pattern such as `$&`.
      .replace(/\{product\}/g, () => product)
      .replace(/\{subject\}/g, () => subject)
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  const [before, after] =
    place < 0 ? [fill(lines), ''] : [fill(lines.slice(0, place)), fill(lines.slice(place + 1))];
  if (template.text.includes(NAME)) return { ...splitGreeting(before), after };
  return { greeting: greet(values.customerName, template.language), before, after };
}

/** A greeting, by name when it looks like one. A formal one addresses somebody by name. */
export function greet(
  customerName: string | undefined,
  language: string,
  tone: DraftTone = 'neutral',
): string {
  const name = nameInGreeting(customerName);
  const { greeting, friendly, formal } = phrasesOf(language);
  const phrase = { neutral: greeting, friendly, formal: name === undefined ? greeting : formal };
  return phrase[tone].replace('{name}', name === undefined ? '' : ` ${name}`);
}

/** Replaces each paragraph with the placeholder by the list of questions. */
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

/** Whether a template is split at `{knowledge}`. */
export function hasPlaceForQuotes({ text }: Pick<ChosenTemplate, 'text'>): boolean {
  return text.split('\n').some(isKnowledge);
}

/** The placeholder stands for the quotes only on a line of its own. */
const isKnowledge = (line: string): boolean => line.trim() === KNOWLEDGE;

const KNOWLEDGE = '{knowledge}';
const MISSING = '{missing_information}';
const NAME = '{customer_name}';

/** The first paragraph is the greeting when it is one short line. */
const splitGreeting = (text: string): { greeting: string; before: string } => {
  const end = text.indexOf('\n\n');
  const first = end < 0 ? text : text.slice(0, end);
  if (first.length > 100 || first.includes('\n') || !/[,!:،，]$/.test(first))
    return { greeting: '', before: text };
  return { greeting: first, before: end < 0 ? '' : text.slice(end + 2) };
};

const MAX_VALUE = 100;

/** A value on one line, escaped; undefined when it is long, holds an address or markup, or is a prompt injection. */
export function repeatable(value: string | undefined): string | undefined {
  const plain = value
    ?.slice(0, 1000)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (plain === undefined || plain === '' || plain.length > MAX_VALUE) return undefined;
  if (/:\/\/|www\.|\S@\S|[<>{}]/i.test(plain) || hasPromptInjection(plain)) return undefined;
  return escapeMarkdown(plain);
}

/**
 * The customer's name for a greeting. Customers choose it themselves, so only what looks like a name is used: letters of any script with
 * the few signs that names have.
 *
 * @returns Undefined for an address, markup, a sentence, an instruction, and what helpdesks put in place of a name.
 */
export function nameInGreeting(name: string | undefined): string | undefined {
  if (name === undefined || name.length > MAX_RAW) return undefined;
  const plain = name.normalize('NFC').replace(/\s+/g, ' ').replace(INVISIBLE, '').trim();
  if (plain === '' || plain.length > MAX_NAME || !LOOKS_LIKE_NAME.test(plain)) return undefined;
  const words = plain.toLowerCase().split(' ');
  if (words.length > MAX_WORDS || words.some((word) => NOT_A_NAME.has(word))) return undefined;
  return isInjectionName(plain) ? undefined : plain;
}

const MAX_RAW = 200;
const MAX_NAME = 60;
const MAX_WORDS = 5;

const INVISIBLE = /[\p{Cc}\p{Cf}]+/gu;

/** "Ana", "José María O'Neill-Pérez", "J. R. Smith Jr.", "李明". */
const LOOKS_LIKE_NAME = /^\p{L}[\p{L}\p{M}'’]*\.?(?:[ -][\p{L}\p{M}'’]+\.?)*$/u;

/** Placeholders of helpdesks, and words that make a sentence of a name. */
const NOT_A_NAME: ReadonlySet<string> = new Set(NO_NAMES);

/**
 * Replaces the customer's name by `[name]`: a name of several words everywhere, its parts only in an introduction or a signature.
 */
export function withoutName(text: string, name: string): string {
  const words = name.slice(0, MAX_NAME_READ).match(/[\p{L}\p{M}'’.-]+/gu) ?? [];
  if (words.length === 0) return text;
  const whole = words.map(escapeExpression).join('\\s{1,4}');
  const parts = words.filter((word) => word.length > 2).map(escapeExpression);
  // A single word may be any word: "Will", "Mark".
  const named =
    words.length < 2
      ? text
      : text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${whole}(?![\\p{L}\\p{N}])`, 'giu'), NAME_MARK);
  if (parts.length === 0) return named;
  const part = `(?:${parts.join('|')})`;
  return named
    .replace(
      new RegExp(
        `(?<=^[ \\t]{0,9}(?:[-–—,~][ \\t]?)?)${part}(?=[ \\t]{0,9}[.,!]?[ \\t]{0,9}$)`,
        'gimu',
      ),
      NAME_MARK,
    )
    .replace(
      new RegExp(
        `(?<=(?:my name is|this is|i am|i['’]m|ich bin|mein name ist|je m['’]appelle|me llamo|mi chiamo) )${part}(?![\\p{L}\\p{N}])`,
        'giu',
      ),
      NAME_MARK,
    );
}

const NAME_MARK = '[name]';
const MAX_NAME_READ = 200;

/** Escapes the only characters that may be escaped with the flag `u`. */
const escapeExpression = (word: string): string => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
