import type { AIClient } from '../../contract/librarian.ts';
import { aboutAsker } from '../../grounding/answer-prompt.ts';
import { type AnswerFailure, type CheckedStatement, writeCheckedAnswer } from '../../grounding/checked-answer.ts';
import { type ModelCalls, startModelCalls } from '../../grounding/model-calls.ts';
import { excerptsOf } from '../../grounding/render-passage.ts';
import { proposeSearch } from '../../grounding/search-queries.ts';
import { type HitList, type PassageHit, type ShownPassage, showPassages } from '../../grounding/shown-passages.ts';
import type { Knowledge } from '../../knowledge/retrieval/knowledge.ts';
import { markdownToHtml, markdownToText } from '../../markup/render-markdown.ts';
import { splitBlocks } from '../../markup/split-blocks.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import type { Turn } from '../../search/analyse-query.ts';
import { answeringModelOf, relevanceOfHits } from '../../search/answering-model.ts';
import { readPages } from '../../search/chunk-texts.ts';
import { cachedArticle } from '../../search/open-edition.ts';
import { searchEdition } from '../../search/search-edition.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { primaryOf } from '../ticket/languages.ts';
import type { TicketReading } from '../ticket/read-ticket.ts';
import { type MissingWarning, missingWarnings, stepsLeftOut } from './check-model-draft.ts';
import { assemble, type ComposedDraft, evidenceOf, referencesOf } from './generate-draft.ts';
import type { AnswerPassage } from './quote-passage.ts';
import { deviceFilter, type TicketUnits } from './ticket-units.ts';

/** The outcome of a draft by a model. */
export interface ModelOutcome {
  model: string;
  /** Why its words are not used, as the end of a sentence; undefined when they are. */
  refused: string | undefined;
  /** Number of statements that were removed as unsupported. */
  removed: number;
  /** Steps of the articles that are missing in procedures that it gives. */
  leftOut: readonly string[];
}

export interface ModelDraftOptions {
  ai: AIClient;
  ticket: Pick<
    TicketReading,
    'subject' | 'message' | 'history' | 'product' | 'isProductExact' | 'alreadyTried' | 'facts'
  >;
  found: FoundUnits;
  /** The warning about the customer's case; it is part of the draft whatever the model writes. */
  warning?: AnswerPassage | undefined;
  /** The draft without quotes, for passages that do not answer. */
  holding: () => ComposedDraft;
  /** Whether the note calls the message covered by the articles; true when absent. */
  isCovered?: boolean | undefined;
  signature: string | undefined;
  /** Milliseconds for all calls. */
  timeMs: number;
  signal?: AbortSignal | undefined;
}

const MAX_MESSAGE_LENGTH = 2000;
const MAX_TOKENS = 1500;

/**
 * Has a model answer a ticket from passages. Its checked statements (`writeCheckedAnswer`) replace the quotes; greeting, template and
 * signature stay, and the model does not see them. When the model finds no answer, the draft quotes nothing; after any other failure the
 * draft stays as it was and the outcome says why. Never rejects.
 */
export const writeWithModel = async (
  composed: ComposedDraft,
  options: ModelDraftOptions,
): Promise<{ composed: ComposedDraft; outcome: ModelOutcome }> => {
  const { ai, ticket, timeMs, signal } = options;
  const calls = startModelCalls({ ai, timeMs, signal });
  try {
    const question = [ticket.subject ?? '', ticket.message].filter((each) => each !== '').join('\n');
    const asked = { question: question.slice(0, MAX_MESSAGE_LENGTH), history: ticket.history };
    const passages = await modelPassages(options.found, { ...ticket, ...asked, calls });
    const about = aboutAsker(ticket.facts);
    const instructions = about === undefined ? INSTRUCTIONS : `${INSTRUCTIONS}\n- ${about.instructions}`;
    const data = { ...(ticket.product === undefined ? {} : { product: ticket.product }), ...about?.data };
    const written = await writeCheckedAnswer(
      { ...asked, passages, task: { instructions, data } },
      { calls, maxTokens: MAX_TOKENS, isScreened: true },
    );
    const removed = written.removed.length;
    const { leftOut, isRemoved } =
      'failure' in written
        ? { leftOut: [], isRemoved: false }
        : stepsLeftOut(written.statements, { ...written, ...ticket, passages });
    const outcome = { model: ai.model, removed, leftOut };
    // Below the level at which the note calls a message covered, nothing is quoted unless the model is sure that the passages answer.
    const isUnsure =
      'parts' in written && written.parts.some(({ state }) => state !== 'answered') && options.isCovered === false;
    const refused =
      'failure' in written
        ? written.failure
        : isUnsure
          ? 'no_answer'
          : problemOf(written.statements, { composed, isRemoved });
    if ('failure' in written || refused !== undefined)
      return {
        composed: refused === 'no_answer' ? options.holding() : composed,
        outcome: { ...outcome, refused: REFUSED[refused ?? 'unsupported'] },
      };
    const rewritten = withStatements(composed, { ...options, statements: written.statements });
    return { composed: rewritten, outcome: { ...outcome, refused: undefined } };
  } finally {
    calls.end();
  }
};

const INSTRUCTIONS = `The question is a message to a support desk, and the statements become the body of the reply that an agent sends. Greeting, thanks, regret and signature stand around them already: write none of these, and begin with the matter itself.
- "product" is the device that the customer has, where that is known. Tell nothing that holds for other devices alone. Where it is not known and the answer differs, say for which device each part holds.
- What the customer or an earlier turn says was done or tried is done: do not recommend it again, go on with what comes after it. When all that the passages recommend was done, say what they say comes then.
- Where the passages distinguish cases (an error code, the colour of a light, a line of a log, a symptom), give the one that the message describes and leave out the others. Where the message does not tell which case it is, give those that fit it and how to tell them apart.
- Promise nothing in the name of the company and decide nothing: no refund, no replacement, no date. Where the passages have a rule for it, give the rule.
- What only a person can look up, such as the state of an order, a payment or a repair, no passage answers. Answer what else is asked.
- A warning that belongs to what you recommend goes with it.
- Address the customer as "you", calmly and plainly, as a good support agent writes.`;

type Refusal = AnswerFailure | 'incomplete' | 'other_language';

type Statements = readonly CheckedStatement<ShownPassage>[];

/** Why the statements as a whole are refused. Steps that the model omits are reported to the agent instead. */
const problemOf = (
  statements: Statements,
  { composed: { frame }, isRemoved }: { composed: ComposedDraft; isRemoved: boolean },
): Refusal | undefined => {
  const own = detectLanguage(statements.map(({ text }) => text).join('\n'));
  if (own !== undefined && frame !== undefined && own !== primaryOf(frame.language)) return 'other_language';
  return isRemoved ? 'incomplete' : undefined;
};

/** Ends the sentence "The draft was written without a model: …". */
const REFUSED: Record<Refusal, string> = {
  unavailable: 'it could not be reached or failed',
  timeout: 'it did not answer in the time that was left for it',
  over_budget: 'the budget of the request does not pay for it',
  refused: 'it declined to answer',
  filtered: 'its reply was withheld by its provider',
  cut: 'its reply was cut off before its end',
  empty: 'its reply was empty',
  malformed: 'its reply did not have the form that was asked for',
  no_answer: 'it found no answer to the message in the articles that are quoted',
  unsupported: 'its reply said what the sources do not say, and was discarded',
  incomplete: 'a step of a procedure is among what was removed of its reply, which was discarded',
  other_language: 'its reply was in another language than the draft, and was discarded',
};

/** The draft with statements in place of quotes, and with their sources as references. */
const withStatements = (
  composed: ComposedDraft,
  { statements, warning, signature }: Pick<ModelDraftOptions, 'warning' | 'signature'> & { statements: Statements },
): ComposedDraft => {
  const { draft, frame } = composed;
  if (frame === undefined) return composed;
  const { language, filled } = frame;
  const warnings = missingWarnings(statements, { warning, language });
  const body = paragraphsOf(withWarnings(statements, warnings));
  const markdown = assemble(filled, { quotes: body.map(escapeHtml), signature });
  const used = new Map<string, AnswerPassage>();
  const add = ({ title, url }: { title: string; url: string }, added: string) => {
    const known = used.get(`${title}\n${url}`);
    const text = known === undefined ? added : `${known.text}\n\n${added}`;
    const steps = [...(known?.steps ?? []), ...stepsOf(added)];
    used.set(`${title}\n${url}`, { ...{ title, url, text, language, steps }, markdown: escapeHtml(text) });
  };
  for (const { sentence, source } of warnings) add(source, sentence);
  for (const { text, quotes } of statements) for (const { passage } of quotes.slice(0, 1)) add(passage.source, text);
  const passages = [...used.values()];
  const { evidence: _, ...before } = draft;
  const evidence = statements.flatMap(({ text, quotes }) =>
    quotes.slice(0, 1).map(({ passage, span }) => ({
      ...{ title: passage.source.title, url: passage.source.url, text },
      quote: passage.text.slice(span.start, span.end),
    })),
  );
  return {
    ...composed,
    passages,
    draft: {
      ...before,
      ...evidenceOf(evidence),
      ...{ text: markdownToText(markdown), markdown, html: markdownToHtml(markdown) },
      ...{ template: frame.id, language, references: referencesOf(passages) },
      ...{ source_grounding: 1, written_by: 'model' },
    },
  };
};

/** Items of lists, and paragraphs, without what introduces them. */
const stepsOf = (text: string): string[] =>
  splitBlocks(text)
    .flatMap((block) => (block.kind === 'prose' ? [block] : block.kind === 'list' ? block.items : []))
    .map(({ start, end }) => text.slice(start, end).replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, ''))
    .filter((step) => !/[:：]$/.test(step));

/** Puts each warning before its statement, and the warning about the customer's case first. */
const withWarnings = (
  statements: Statements,
  warnings: readonly MissingWarning[],
): { text: string; isParagraph?: boolean }[] => {
  const before = (statement: Statements[number] | undefined) =>
    warnings
      .filter((warning) => warning.before === statement)
      .map(({ sentence }) => ({ text: sentence, isParagraph: true }));
  return [...before(undefined), ...statements.flatMap((statement) => [...before(statement), statement])];
};

/** Joins consecutive sentences to paragraphs; a warning, a list, a table or code is a paragraph of its own. */
const paragraphsOf = (statements: readonly { text: string; isParagraph?: boolean }[]): string[] => {
  const paragraphs: { text: string; isOpen: boolean }[] = [];
  for (const { text, isParagraph = false } of statements) {
    const isProse = !isParagraph && splitBlocks(text).every(({ kind }) => kind === 'prose');
    const last = paragraphs.at(-1);
    if (isProse && last?.isOpen) last.text += ` ${text}`;
    else paragraphs.push({ text, isOpen: isProse });
  }
  return paragraphs.map(({ text }) => text);
};

/** Least relevance of an article that the model is shown. */
const SHOWN_FROM = 0.02;
/** Below this relevance of the best article the model proposes further queries. */
const WEAK_BELOW = 0.4;
/** Hits of each query that a model proposes. */
const QUERY_HITS = 10;

interface ModelPassagesOptions {
  /** The customer's product; undefined when none is named. */
  product: string | undefined;
  /** False when several products share the name. */
  isProductExact: boolean;
  question: string;
  history: readonly Turn[];
  calls: ModelCalls;
}

/** The retrieved knowledge of a ticket and its ranked units. */
export interface FoundUnits extends Pick<Knowledge, 'evidence' | 'isForeign'> {
  units: TicketUnits;
}

/** Whether there are passages for a model, or it may find some in the language of the articles. */
export const canAnswerFrom = ({ evidence, isForeign, units }: FoundUnits): boolean =>
  evidence !== undefined && (isForeign === true || hitsOf(evidence, units).length > 0);

/**
 * The passages that a model answers a ticket from: whole sections around the likeliest units, also of articles that are not sure to answer,
 * since the model says when they do not. When the search is weak or the articles are in another language, the model proposes queries
 * first. Sections about other devices than the customer's are omitted.
 */
export const modelPassages = async (
  { evidence, isForeign, units }: FoundUnits,
  { product, isProductExact, question, history, calls }: ModelPassagesOptions,
): Promise<ShownPassage[]> => {
  if (evidence === undefined) return [];
  const { edition } = evidence;
  const first = hitsOf(evidence, units);
  const likeliest = [...units.relevance].toSorted(([, one], [, other]) => other - one);
  const isWeak = isForeign === true || (likeliest[0]?.[1] ?? 0) < WEAK_BELOW;
  const found = likeliest.map(([article]) => cachedArticle(edition, article).title);
  const { languages } = edition;
  const proposed = isWeak ? await proposeSearch({ question, history, found, languages }, calls) : undefined;
  const search = (query: string, part: number): HitList => {
    const outcome = searchEdition(edition, query, { limit: QUERY_HITS });
    const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
    const hits = outcome.hits.map(
      ({ chunk, article }, at): PassageHit => ({
        ...{ chunk, source: cachedArticle(edition, article), relevance: relevances[at] },
      }),
    );
    return { hits, part };
  };
  const isFitting = deviceFilter({ product, isProductExact, devices: edition.devices() });
  const { value } = await readPages(edition, () => {
    const further = (proposed?.parts ?? []).flatMap(({ queries }, part) => queries.map((query) => search(query, part)));
    return showPassages(edition, [{ hits: first }, ...further], {
      isAllowed: ({ headingPath, source }) => isFitting({ path: headingPath, source }),
    });
  });
  return value;
};

const hitsOf = ({ edition }: NonNullable<Knowledge['evidence']>, { units, relevance }: TicketUnits): PassageHit[] =>
  units
    .filter(({ source }) => (relevance.get(source.index) ?? 0) >= SHOWN_FROM)
    .flatMap(({ unit, source }) =>
      excerptsOf(edition, unit).map(({ chunk }) => ({
        ...{ chunk: chunk.index, source, relevance: relevance.get(source.index) },
      })),
    );
