import {
  type AnswerFailure,
  type CheckedAnswer,
  type FailedAnswer,
  writeCheckedAnswer,
} from '../../answering/check/checked-answer.ts';
import type { CheckedStatement } from '../../answering/check/decide-statements.ts';
import { aboutAsker } from '../../answering/model/answer-prompt.ts';
import { type ModelCalls, startModelCalls } from '../../answering/model/model-calls.ts';
import { hasPromptInjection } from '../../answering/model/prompt-injection.ts';
import { excerptsOf } from '../../answering/passages/render-passage.ts';
import {
  type HitList,
  type PassageHit,
  type ShownPassage,
  showPassages,
} from '../../answering/passages/shown-passages.ts';
import { proposeSearch } from '../../answering/understand/search-queries.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import type { DeskSettings } from '../../contract/wire/desk-settings.ts';
import { parseBlocks } from '../../documents/markdown/blocks.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';
import { markdownToHtml, markdownToText } from '../../documents/markdown/render-markdown.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import { cachedArticle } from '../../knowledge/edition/open-edition.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import { relevanceOfHits } from '../../knowledge/search/relevance.ts';
import { searchEdition } from '../../knowledge/search/search-edition.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { primaryOf } from '../message/languages.ts';
import type { TicketReading } from '../message/read-ticket.ts';
import type { Knowledge } from '../retrieval/knowledge.ts';
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
  /** What the agent has to know of its reading of the ticket, as sentences. */
  notes?: readonly string[] | undefined;
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
  /** How the team writes; absent: neutral. */
  settings?: DeskSettings | undefined;
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
export async function writeWithModel(
  composed: ComposedDraft,
  options: ModelDraftOptions,
): Promise<{ composed: ComposedDraft; outcome: ModelOutcome }> {
  const { ai, ticket, timeMs, signal } = options;
  const calls = startModelCalls({ ai, timeMs, signal });
  try {
    const question = [ticket.subject ?? '', ticket.message]
      .filter((each) => each !== '')
      .join('\n');
    const asked = { question: question.slice(0, MAX_MESSAGE_LENGTH), history: ticket.history };
    const passages = await modelPassages(options.found, { ...ticket, ...asked, calls });
    const about = aboutAsker(ticket.facts);
    const instructions = [
      INSTRUCTIONS,
      ...(about === undefined ? [] : [`- ${about.instructions}`]),
      ...styleOf(options.settings),
    ].join('\n');
    const data = {
      ...(ticket.product === undefined ? {} : { product: ticket.product }),
      ...about?.data,
    };
    const written = await writeCheckedAnswer(
      { ...asked, passages, task: { instructions, data, reminder: REMINDER, isTicket: true } },
      { calls, maxTokens: MAX_TOKENS, isScreened: true },
    );
    const removed = written.removed.length;
    const { leftOut, isRemoved } =
      'failure' in written
        ? { leftOut: [], isRemoved: false }
        : stepsLeftOut(written.statements, { ...written, ...ticket, passages });
    const notes = notesOn(written);
    const outcome = { model: ai.model, removed, leftOut, ...(notes.length === 0 ? {} : { notes }) };
    // Below the level at which the note calls a message covered, nothing is quoted unless the model is sure that the passages answer.
    const isUnsure =
      'parts' in written &&
      written.parts.some(({ state }) => state !== 'answered') &&
      options.isCovered === false;
    const kind = written.ticket?.kind;
    const refused: Refusal | undefined =
      kind === 'nothing_to_answer' || kind === 'danger'
        ? kind
        : 'failure' in written
          ? written.failure
          : isUnsure
            ? 'no_answer'
            : problemOf(written.statements, { composed, isRemoved });
    if ('failure' in written || refused !== undefined)
      return {
        composed: HOLDS.has(refused ?? '') ? options.holding() : composed,
        outcome: { ...outcome, refused: REFUSED[refused ?? 'unsupported'] },
      };
    const rewritten = withStatements(composed, { ...options, statements: written.statements });
    return { composed: rewritten, outcome: { ...outcome, refused: undefined } };
  } finally {
    calls.end();
  }
}

/** Nothing is quoted for these: the articles do not answer, the message asks nothing, or a person has to see it first. */
const HOLDS: ReadonlySet<string> = new Set(['no_answer', 'nothing_to_answer', 'danger']);

/** Sentences for the agent: what contradicts the record, and what the draft leaves open. The model's own words are named as such. */
const notesOn = (written: CheckedAnswer<ShownPassage> | FailedAnswer<ShownPassage>): string[] => {
  const conflict = (written.ticket?.conflict ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_NOTE);
  const isReadable =
    conflict !== '' && !hasPromptInjection(conflict) && !/[<>[\]]|:\/\//.test(conflict);
  const open = 'parts' in written ? written.parts.filter(({ state }) => state !== 'answered') : [];
  const named = open.flatMap(({ asked }) => (asked === '' ? [] : [`“${asked.slice(0, 120)}”`]));
  const missing =
    'missing' in written && written.missing !== '' ? ` The model: ${written.missing}` : '';
  return [
    ...(isReadable
      ? [`The model sees a contradiction between message and record: ${conflict}`]
      : []),
    ...(open.length === 0
      ? []
      : [
          `The draft leaves open ${named.length > 0 ? named.join(', ') : `${open.length} of what is asked`}.${missing}`,
        ]),
  ];
};

const MAX_NOTE = 300;

const REMINDER =
  'Write the reply to this ticket in its language: its kind, what contradicts the record, its parts, statements with exact quotes, what is missing, and what to ask.';

const INSTRUCTIONS = `The question is a ticket: a message to a support desk. Your statements become the middle of a reply that an agent reads and sends. Greeting, thanks, regret and signature are there already; write none of them. "product", where it is given, is the device of the customer's record. It may be wrong, and their own words count more.

The reply begins with two more members and ends with one.
"kind", first of all:
- "nothing_to_answer": thanks, news that it works again, an automatic reply, advertising. Everything else stays empty.
- "danger": smoke, a burnt smell, melting or great heat, a shock, an injury, something leaking. State only what the passages forbid and what makes it safe. No search for the cause, and no advice to go on using anything.
- "unclear": what happens, or with which device, cannot be recognised, and the answer depends on it. State only what holds in any case, or nothing.
- "several": more than one matter. Each is a part, and the statements of one part stand together.
- "one": everything else.
"conflict": if a serial number, a menu, a count or another word of the message belongs to another device than the record names, one sentence to the agent that names both; answer for the device that the message shows. Otherwise empty.
"ask", at the end: stays empty, unless the message has a list of numbered questions.

For the statements:
- Say nothing that holds for other devices alone. Where the device is not known and the answer differs, say which device each part is for.
- What the customer or an earlier turn says was done is done: go on with what comes after it. If all that the passages advise was done, say what they say comes then.
- Where the passages tell cases apart (a code, the colour of a light, a line of a log, a symptom), take the one in the message and leave out the others; if the message does not tell, give those that fit and how to tell them apart.
- Promise nothing and decide nothing for the company: no refund, no replacement, no date, no call. Give the rule that the passages have, with its term and conditions, also unasked where it decides what to do.
- What only a person can look up, such as an order, a payment or a repair, is a part with "no"; its "missing" is a note to the agent.
- A warning stands before the step that it belongs to. Repeat no accusation, and answer no tone.`;

/** What the team asks of the words; what a statement says stays that of the passages. */
const styleOf = ({ tone, hint }: DeskSettings = { tone: 'neutral', hint: '' }): string[] => [
  ...(tone === 'neutral' ? [] : [STYLES[tone]]),
  ...(hint === ''
    ? []
    : [`- The team asks of the wording, as far as the rules above allow: ${JSON.stringify(hint)}`]),
];

const STYLES = {
  friendly: '- Write warmly and plainly, in short sentences, as to somebody you know.',
  formal:
    '- Write formally and politely: no contractions, no exclamation marks, and the polite form of address where the language has one.',
} as const;

type Refusal = AnswerFailure | 'incomplete' | 'other_language' | 'nothing_to_answer' | 'danger';

type Statements = readonly CheckedStatement<ShownPassage>[];

/** Why the statements as a whole are refused. Steps that the model omits are reported to the agent instead. */
const problemOf = (
  statements: Statements,
  { composed: { frame }, isRemoved }: { composed: ComposedDraft; isRemoved: boolean },
): Refusal | undefined => {
  const own = detectLanguage(statements.map(({ text }) => text).join('\n'));
  if (own !== undefined && frame !== undefined && own !== primaryOf(frame.language))
    return 'other_language';
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
  nothing_to_answer:
    'it finds nothing in the message to answer, perhaps it is only thanks or an automatic reply',
  danger: 'it reads of a danger in the message: a person has to see it before anything is sent',
  incomplete: 'a step of a procedure is among what was removed of its reply, which was discarded',
  other_language: 'its reply was in another language than the draft, and was discarded',
};

/** The draft with statements in place of quotes, and with their sources as references. */
const withStatements = (
  composed: ComposedDraft,
  {
    statements,
    warning,
    signature,
  }: Pick<ModelDraftOptions, 'warning' | 'signature'> & { statements: Statements },
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
    used.set(`${title}\n${url}`, { title, url, text, language, steps, markdown: escapeHtml(text) });
  };
  for (const { sentence, source } of warnings) add(source, sentence);
  for (const { text, quotes } of statements)
    for (const { passage } of quotes.slice(0, 1)) add(passage.source, text);
  const passages = [...used.values()];
  const { evidence: _, ...before } = draft;
  const evidence = statements.flatMap(({ text, quotes }) =>
    quotes.slice(0, 1).map(({ passage, span }) => ({
      title: passage.source.title,
      url: passage.source.url,
      text,
      quote: passage.text.slice(span.start, span.end),
    })),
  );
  return {
    ...composed,
    passages,
    draft: {
      ...before,
      ...evidenceOf(evidence),
      text: markdownToText(markdown),
      markdown,
      html: markdownToHtml(markdown),
      template: frame.id,
      language,
      references: referencesOf(passages),
      source_grounding: 1,
      written_by: 'model',
    },
  };
};

/** Items of lists, and paragraphs, without what introduces them. */
const stepsOf = (text: string): string[] =>
  parseBlocks(text)
    .flatMap((block) =>
      block.kind === 'prose' ? [block] : block.kind === 'list' ? block.items : [],
    )
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
  return [
    ...before(undefined),
    ...statements.flatMap((statement) => [...before(statement), statement]),
  ];
};

/** Joins consecutive sentences to paragraphs; a warning, a list, a table or code is a paragraph of its own. */
const paragraphsOf = (statements: readonly { text: string; isParagraph?: boolean }[]): string[] => {
  const paragraphs: { text: string; isOpen: boolean }[] = [];
  for (const { text, isParagraph = false } of statements) {
    const isProse = !isParagraph && parseBlocks(text).every(({ kind }) => kind === 'prose');
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
export function canAnswerFrom({ evidence, isForeign, units }: FoundUnits): boolean {
  return evidence !== undefined && (isForeign === true || hitsOf(evidence, units).length > 0);
}

/**
 * The passages that a model answers a ticket from: whole sections around the likeliest units, also of articles that are not sure to answer,
 * since the model says when they do not. When the search is weak or the articles are in another language, the model proposes queries
 * first. Sections about other devices than the customer's are omitted.
 */
export async function modelPassages(
  { evidence, isForeign, units }: FoundUnits,
  { product, isProductExact, question, history, calls }: ModelPassagesOptions,
): Promise<ShownPassage[]> {
  if (evidence === undefined) return [];
  const { edition } = evidence;
  const first = hitsOf(evidence, units);
  const likeliest = [...units.relevance].toSorted(([, one], [, other]) => other - one);
  const isWeak = isForeign === true || (likeliest[0]?.[1] ?? 0) < WEAK_BELOW;
  const found = likeliest.map(([article]) => cachedArticle(edition, article).title);
  const { languages } = edition;
  const proposed = isWeak
    ? await proposeSearch({ question, history, found, languages }, calls)
    : undefined;
  const language = detectLanguage(evidence.text);
  const search = (query: string, part: number): HitList => {
    const outcome = searchEdition(edition, query, { limit: QUERY_HITS, language });
    const relevances = relevanceOfHits(outcome);
    const hits = outcome.hits.map(
      ({ chunk, article }, at): PassageHit => ({
        chunk,
        source: cachedArticle(edition, article),
        relevance: relevances[at],
      }),
    );
    return { hits, part };
  };
  const isFitting = deviceFilter({ product, isProductExact, devices: edition.devices() });
  const { value } = await readPages(edition, () => {
    const further = (proposed?.parts ?? []).flatMap(({ queries }, part) =>
      queries.map((query) => search(query, part)),
    );
    return showPassages(edition, [{ hits: first }, ...further], {
      isAllowed: ({ headingPath, source }) => isFitting({ path: headingPath, source }),
    });
  });
  return value;
}

const hitsOf = (
  { edition }: NonNullable<Knowledge['evidence']>,
  { units, relevance }: TicketUnits,
): PassageHit[] =>
  units
    .filter(({ source }) => (relevance.get(source.index) ?? 0) >= SHOWN_FROM)
    .flatMap(({ unit, source }) =>
      excerptsOf(edition, unit).map(({ chunk }) => ({
        chunk: chunk.index,
        source,
        relevance: relevance.get(source.index),
      })),
    );
