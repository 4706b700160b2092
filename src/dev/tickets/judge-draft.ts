import type { Draft } from '../../contract/support-response.ts';
import type { Taxonomy } from '../../contract/taxonomy.ts';
import { type PreparedSource, prepareSource } from '../../grounding/support/prepare-source.ts';
import { plainOf, statementSpans } from '../../grounding/support/statements.ts';
import { checkSupport, SUPPORTED_FROM } from '../../grounding/support-check.ts';
import { phrasesOf } from '../../support/draft/phrases.ts';

export interface JudgedDraft {
  fromTemplate: number;
  fromSources: number;
  /** Statements that nobody answers for, each with why. */
  unsupported: string[];
}

/** An article by its address. */
export interface SampleArticle {
  title: string;
  /** Without front matter. */
  markdown: string;
}

/**
 * Where each statement of a draft comes from, judged without asking whoever wrote it: it stands in the template that the draft names,
 * or it cites an article which says so, by its full text. What stands in neither is not supported, whatever it says.
 */
export const judgeDraft = (
  draft: Draft,
  { taxonomy, articles }: { taxonomy: Taxonomy; articles: ReadonlyMap<string, SampleArticle> },
): JudgedDraft => {
  const judged: JudgedDraft = { fromTemplate: 0, fromSources: 0, unsupported: [] };
  const templates = templateStatements(draft, taxonomy);
  const references = draft.references ?? [];
  const markdown = draft.markdown ?? draft.text;
  for (const { text, cites } of citedStatements(markdown)) {
    const said = withoutMarkers(text);
    const plain = plainOf(said);
    if (!/[\p{L}\p{N}]/u.test(plain) || isReferenceLine(text, references)) continue;
    if (templates.some((template) => template.test(plain))) {
      judged.fromTemplate += 1;
      continue;
    }
    const problem = problemOf(said, cites, { references, articles });
    if (problem === undefined) judged.fromSources += 1;
    else judged.unsupported.push(`${problem}: ${said.replace(/\s+/g, ' ').slice(0, 200)}`);
  }
  return judged;
};

const MARKER = /\[(\d{1,2})\](?!\()/g;

const withoutMarkers = (text: string): string =>
  text
    .replace(MARKER, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .trim();

/** What quotes are made inert with. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

interface CitedStatement {
  text: string;
  cites: readonly number[];
}

/** A statement cites what its own markers name; where it has none, the first one behind it in its block, else the last before it. */
const citedStatements = (markdown: string): CitedStatement[] => {
  const statements = statementSpans(markdown);
  return statements.map((span) => {
    const text = markdown.slice(span.start, span.end);
    const own = markersOf(text);
    if (own.length > 0) return { text, cites: own };
    const rest = markdown.slice(span.end);
    const [behind] = markersOf(rest.slice(0, blockEnd(rest)));
    // Code and heads of tables have theirs in the line that introduces them.
    const before = markersOf(markdown.slice(Math.max(0, span.start - 400), span.start)).at(-1);
    return { text, cites: [behind ?? before ?? []].flat() };
  });
};

const blockEnd = (rest: string): number => {
  const end = rest.search(/\n\s*\n(?!\s*(?:[-*|]|\d+[.)])\s)/);
  return end < 0 ? rest.length : end;
};

const markersOf = (text: string): number[] => [...text.matchAll(MARKER)].map((match) => Number(match[1]));

/** Of the template that the draft names, in all languages; the questions that go with it; and what a draft says to lead over. */
const templateStatements = (draft: Draft, taxonomy: Taxonomy): RegExp[] => {
  const intent = taxonomy.intents.find(({ id }) => id === draft.template);
  const template = intent?.reply_template ?? taxonomy.general_template;
  const texts = typeof template === 'string' ? [template] : Object.values(template);
  const phrases = phrasesOf(draft.language ?? taxonomy.language);
  const more = [phrases.lead, phrases.sources, phrases.seeAlso, phrases.greeting.replace('{name}', ' {customer_name}')];
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
  const moreSteps = new RegExp(`^${escaped(plainOf(phrases.more))}.{0,220}$`);
  return [...statements.filter((text) => text !== '').map(patternOf), moreSteps];
};

/** `plainOf` takes the underscore of `{customer_name}`. */
const patternOf = (plain: string): RegExp =>
  new RegExp(`^${escaped(plain).replace(/ ?\\\{(?:customername|product|subject)\\\}/g, '.{0,110}')}$`);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Number, title and address of a source, and nothing beside them. */
const isReferenceLine = (text: string, references: NonNullable<Draft['references']>): boolean => {
  let rest = text;
  for (const { title, url } of references) rest = rest.replaceAll(url, '').replaceAll(title, '');
  const isNamed = rest !== text;
  return isNamed && !/\p{L}/u.test(rest);
};

const problemOf = (
  said: string,
  cites: readonly number[],
  {
    references,
    articles,
  }: { references: NonNullable<Draft['references']>; articles: ReadonlyMap<string, SampleArticle> },
): string | undefined => {
  if (cites.length === 0) return 'neither template nor citation';
  const cited = cites.map((number) => references[number - 1]?.url);
  const sources = cited.flatMap((url) => {
    const article = url === undefined ? undefined : articles.get(url);
    return article === undefined ? [] : [preparedOf(article)];
  });
  if (sources.length < cites.length) return `cites ${cites.join(', ')}, which is no article`;
  const isHeading = cited.some((url) => headingsOf(articles.get(url ?? '')).includes(plainOf(said)));
  if (isHeading) return undefined;
  const { sentences } = checkSupport(said, sources);
  const worst = sentences.find(({ probability }) => probability < SUPPORTED_FROM);
  if (worst === undefined) return undefined;
  return `not said by [${cites.join(', ')}] (${worst.doubts[0]?.reason ?? 'no doubt told'})`;
};

/** As they stand in the article, and without the number of a step. */
const headingsOf = (article: SampleArticle | undefined): string[] =>
  [...(article?.markdown.matchAll(/^#{1,6} +(.+)$/gm) ?? [])].flatMap(([, heading = '']) => [
    plainOf(heading),
    plainOf(heading.replace(/^\d{1,2}[.)] +/, '')),
  ]);

const prepared = new WeakMap<SampleArticle, PreparedSource>();

const preparedOf = (article: SampleArticle): PreparedSource => {
  const known = prepared.get(article) ?? prepareSource({ title: article.title, text: article.markdown });
  prepared.set(article, known);
  return known;
};
