import {
  checkStatement,
  prepareEvidence,
  type StatementEvidence,
} from '../../src/answering/check/check-statement.ts';
import { plainOf, statementSpans } from '../../src/answering/check/statement-words.ts';
import type { Draft } from '../../src/contract/wire/support-response.ts';
import type { Taxonomy } from '../../src/contract/wire/taxonomy.ts';
import { phrasesOf } from '../../src/support/message/languages.ts';

export interface JudgedDraft {
  fromTemplate: number;
  fromSources: number;
  /** Unsupported statements, each with the reason. */
  unsupported: string[];
}

/** An article by its address. */
export interface SampleArticle {
  title: string;
  /** Without front matter. */
  markdown: string;
}

/**
 * Checks the origin of each statement of a draft independently: it must be in the template that the draft names, or in the full text of
 * an article that the draft cites. Any other statement is unsupported.
 */
export function judgeDraft(
  draft: Draft,
  { taxonomy, articles }: { taxonomy: Taxonomy; articles: ReadonlyMap<string, SampleArticle> },
): JudgedDraft {
  const judged: JudgedDraft = { fromTemplate: 0, fromSources: 0, unsupported: [] };
  const templates = templateStatements(draft, taxonomy);
  const titles = new Set([...articles.values()].map(({ title }) => plainOf(title)));
  const sources = (draft.references ?? []).flatMap(({ url }) => articles.get(url ?? '') ?? []);
  const evidence = prepareEvidence(
    sources.map(({ title, markdown: text }) => ({ headings: [title], text })),
  );
  const markdown = draft.markdown ?? draft.text;
  for (const { start, end } of statementSpans(markdown)) {
    const said = unescaped(markdown.slice(start, end));
    const plain = plainOf(said);
    if (!/[\p{L}\p{N}]/u.test(plain) || titles.has(plainOf(linkText(said)))) continue;
    if (templates.some((template) => template.test(plain)) || ASKED.test(said)) {
      judged.fromTemplate += 1;
      continue;
    }
    const problem = problemOf(said, { sources, evidence });
    if (problem === undefined) judged.fromSources += 1;
    else judged.unsupported.push(`${problem}: ${said.replace(/\s+/g, ' ').slice(0, 200)}`);
  }
  return judged;
}

/** A question of the customer's, as the heading of its answer. */
const ASKED = /^\*\*“[^”\n]{1,200}”\*\*$/;

/** `- [Title](address)` is the title. */
const linkText = (said: string): string =>
  /^\s*-?\s*\[([^\]\n]{1,300})\]\([^)\n]{1,600}\)\s*$/.exec(said)?.[1] ?? said;

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity).trim();

/** What quotes are made inert with. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Statements of the templates that the draft names, in all languages; the questions that go with them; and what a draft says by itself. */
const templateStatements = (draft: Draft, taxonomy: Taxonomy): RegExp[] => {
  const intent = taxonomy.intents.find(({ id }) => id === draft.template);
  const templates = intent
    ? [intent.reply_template ?? {}, intent.fallback_template ?? {}, intent.auto_send.template ?? {}]
    : [taxonomy.general_template];
  const texts = templates.flatMap((template) =>
    typeof template === 'string' ? [template] : Object.values(template),
  );
  const phrases = phrasesOf(draft.language ?? taxonomy.language);
  const more = Object.values(phrases).map((phrase) =>
    phrase
      .replace('{name}', ' {customer_name}')
      .replace('{language}', '{subject}')
      .replace('{products}', '{product}')
      .replaceAll('{named}', '{product}')
      .replace('{known}', '{product}')
      .replace('{number}', '{subject}')
      .replace('{sign}', '{subject}'),
  );
  const questions =
    intent?.required_facts.flatMap(({ question }) =>
      Object.values(typeof question === 'string' ? [question] : question),
    ) ?? [];
  const lines = [...texts, ...more, ...questions, taxonomy.signature ?? ''].map((text) =>
    text.replace('{knowledge}', '').replace('{missing_information}', ''),
  );
  const statements = lines.flatMap((text) =>
    statementSpans(text).map(({ start, end }) => plainOf(text.slice(start, end))),
  );
  return statements.filter((text) => text !== '').map(patternOf);
};

/** `plainOf` takes the underscore of `{customer_name}`. */
const patternOf = (plain: string): RegExp =>
  new RegExp(
    `^${escaped(plain).replace(/ ?\\\{(?:customername|product|subject)\\\}/g, '.{0,110}')}$`,
  );

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const problemOf = (
  said: string,
  { sources, evidence }: { sources: readonly SampleArticle[]; evidence: StatementEvidence },
): string | undefined => {
  if (sources.length === 0) return 'neither template nor source';
  const plain = plainOf(said);
  if (sources.some((article) => headingsOf(article).includes(plain))) return undefined;
  const { isSupported, reason } = checkStatement(said, evidence);
  return isSupported ? undefined : `not said by its sources (${reason})`;
};

/** As they stand in the article, without the number of a step, as the path to a section, and behind the title of the article. */
const headingsOf = ({ title, markdown }: SampleArticle): string[] => {
  const path: string[] = [];
  return [...markdown.matchAll(/^(#{1,6}) +(.+)$/gm)].flatMap(([, marks = '', heading = '']) => {
    path.length = Math.max(0, marks.length - 2);
    path[marks.length - 2] = heading;
    const named = path.filter((each) => each !== undefined);
    const whole = named.join(': ');
    return [
      heading,
      heading.replace(/^\d{1,2}[.)] +/, ''),
      whole,
      named.join(' > '),
      `${title}: ${whole}`,
    ].map(plainOf);
  });
};
