import type { AskEvent } from '../../../../client/answer-stream.ts';
import type {
  Include,
  ProgressEvent,
  Statement,
  StatementSource,
} from '../../../contract/core/ask.ts';
import type { NavigatorResponse } from '../../../contract/core/navigator-response.ts';
import type {
  DelegationTrace,
  LibrarianResponse,
  Source,
} from '../../../contract/core/response.ts';
import type { AgentType, DisplayModel } from '../../../contract/wire/agent-response.ts';
import { t } from '../texts/texts.ts';
import { learnReporters, learnRouted, reporterName } from './reporters.ts';

type Of<Type extends ProgressEvent['type']> = Extract<ProgressEvent, { type: Type }>;

export interface ShownError {
  code: string;
  message: string;
  suggestion?: string | undefined;
  requestId?: string | undefined;
  missing?: string | undefined;
}

/** A question and what has arrived of its answer: plain data, which a browser can store. */
export interface Answer {
  id: string;
  query: string;
  /** The librarian that was chosen; the concierge chooses when absent. */
  librarian?: string | undefined;
  conversation: string;
  askedAt: number;
  phase: 'asking' | 'answering' | 'done' | 'failed' | 'stopped';
  routed: Of<'routing'>['librarians'];
  edition?: string | undefined;
  passages: Of<'passages'>['passages'];
  /** Sparse while it streams: a statement that was withdrawn leaves its place empty. */
  statements: readonly (Statement | null)[];
  removed: readonly { text: string; reason: string }[];
  response?: LibrarianResponse | undefined;
  error?: ShownError | undefined;
  /** The same as blocks, where an agent answered: tables, charts, documents. */
  display?: DisplayModel | undefined;
}

/** What a source that supports something is known by. */
export interface Closest {
  title: string;
  url?: string | undefined;
  heading?: string | undefined;
}

/** What the page shows beside an answer. */
export const DETAILS: Include[] = ['statements', 'navigator', 'trace'];

/** The answer after an event of its stream. `done` counts: its statements replace those that were shown. */
export function afterEvent(answer: Answer, event: AskEvent): Answer {
  switch (event.type) {
    case 'routing':
      learnRouted(event.librarians);
      return { ...answer, phase: 'answering', routed: event.librarians };
    case 'searching':
      return { ...answer, phase: 'answering', edition: event.edition ?? answer.edition };
    case 'passages':
      return { ...answer, phase: 'answering', passages: event.passages };
    case 'statement': {
      const { type: _, librarian: __, index, ...statement } = event;
      return {
        ...answer,
        phase: 'answering',
        statements: placed(answer.statements, index, statement),
      };
    }
    case 'removed': {
      const statements =
        event.index === undefined
          ? answer.statements
          : placed(answer.statements, event.index, null);
      return {
        ...answer,
        statements,
        removed: [...answer.removed, { text: event.text, reason: event.reason }],
      };
    }
    case 'metadata':
      return answer;
    case 'done':
      learnReporters(event.response.metadata);
      return {
        ...answer,
        phase:
          event.response.error !== undefined && event.response.answer === undefined
            ? 'failed'
            : 'done',
        statements: keptWhereEqual(answer.statements, statementsOf(event.response) ?? []),
        edition: navigatorOf(event.response)?.edition ?? answer.edition,
        response: event.response,
        error: event.response.answer === undefined ? event.response.error : undefined,
      };
  }
}

const placed = <Item>(
  items: readonly (Item | null)[],
  index: number,
  item: Item | null,
): (Item | null)[] =>
  Array.from({ length: Math.max(items.length, index + 1) }, (_, at) =>
    at === index ? item : (items[at] ?? null),
  );

/** A statement that has not changed stays the same object, which is not drawn again. */
const keptWhereEqual = (
  before: Answer['statements'],
  after: readonly Statement[],
): Answer['statements'] =>
  after.map((statement, at) => {
    const shown = before[at];
    return shown != null && JSON.stringify(shown) === JSON.stringify(statement) ? shown : statement;
  });

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const statementsOf = ({ metadata }: LibrarianResponse): Statement[] | undefined =>
  Array.isArray(metadata?.statements) ? (metadata.statements as Statement[]) : undefined; // the gateway has checked it

/** A stored answer has its text and its sources once, outside the navigator's reply. */
type NavigatorDetails = Omit<NavigatorResponse, 'answer' | 'sources'>;

/** What the navigator's own reply says about an answer, when it answered. */
export function navigatorOf(response: LibrarianResponse | undefined): NavigatorDetails | undefined {
  const reply = response?.metadata?.navigator;
  return isObject(reply) && typeof reply.confidenceReason === 'string'
    ? (reply as unknown as NavigatorDetails)
    : undefined; // as above
}

export function closestOf(response: LibrarianResponse | undefined): Closest[] {
  const closest = response?.metadata?.closest;
  return Array.isArray(closest)
    ? closest.filter((each): each is Closest => isObject(each) && typeof each.title === 'string')
    : [];
}

export function traceOf(response: LibrarianResponse | undefined): DelegationTrace | undefined {
  const trace = response?.metadata?.trace;
  return isObject(trace) && Array.isArray(trace.hops)
    ? (trace as unknown as DelegationTrace)
    : undefined; // as above
}

/** The id under which the deployment has stored the answer. */
export function storedIdOf(response: LibrarianResponse | undefined): string | undefined {
  const id = response?.metadata?.answer_id;
  return typeof id === 'string' ? id : undefined;
}

/** The kind of agent whose own reply is in the response. */
export function agentIn(response: LibrarianResponse | undefined): AgentType | undefined {
  const reply = Object.values(response?.metadata ?? {}).find(
    (each) => isObject(each) && isObject(each.result),
  );
  const type = isObject(reply) ? reply.type : undefined;
  return AGENT_TYPES.find((each) => each === type);
}

const AGENT_TYPES: readonly AgentType[] = ['analytics', 'semantic', 'web_search', 'hybrid'];

/** Statements that were removed because their sources do not support them. */
export function removedFrom({ removed, response }: Answer): Answer['removed'] {
  const reported = navigatorOf(response)?.metadata?.removed;
  if (removed.length > 0 || !Array.isArray(reported)) return removed;
  return reported.flatMap((each) =>
    isObject(each) && typeof each.text === 'string'
      ? [{ text: each.text, reason: String(each.reason ?? '') }]
      : [],
  );
}

/** Whether the answer says that nothing answers the question. */
export function isDeclined({ phase, response, statements }: Answer): boolean {
  return (
    phase === 'done' &&
    statements.length === 0 &&
    (response?.sources ?? []).length === 0 &&
    response?.partial === true
  );
}

/** Whether the answer has statements, and says that they may not answer the question. */
export function isDoubtful({ phase, response, statements }: Answer): boolean {
  return (
    phase === 'done' && statements.length > 0 && response !== undefined && lacksAnything(response)
  );
}

/** Whether an answer is partial for another reason than a data source, such as embeddings, that it did well without. */
export function lacksAnything({ partial, confidence = 0, metadata }: LibrarianResponse): boolean {
  return (
    partial === true &&
    !(Array.isArray(metadata?.degraded) && metadata.degraded.length > 0 && confidence >= SURE_FROM)
  );
}
const SURE_FROM = 0.6;

/** An article with the places in it that an answer cites, and which statements do. */
export interface CitedSource {
  number: number;
  name: string;
  url?: string | undefined;
  file?: string | undefined;
  /** The external librarian that names it. */
  reportedBy?: string | undefined;
  places: StatementSource[];
  /** Indexes of statements. */
  citedBy: number[];
}

/** The sources of an answer, numbered in the order of their first statement. */
export function citedSources(statements: Answer['statements']): CitedSource[] {
  const sources = new Map<string, CitedSource>();
  for (const [index, statement] of statements.entries()) {
    for (const place of statement?.sources ?? []) {
      const key = sourceKey(place);
      const source = sources.get(key) ?? {
        number: sources.size + 1,
        name: place.name,
        url: place.url,
        file: place.file,
        reportedBy: place.reported_by,
        places: [],
        citedBy: [],
      };
      sources.set(key, source);
      if (!source.citedBy.includes(index)) source.citedBy.push(index);
      if (
        !source.places.some(
          ({ section, quote }) => section === place.section && quote === place.quote,
        )
      )
        source.places.push(place);
    }
  }
  return [...sources.values()];
}

const sourceKey = ({ name, url, file, reported_by: reporter = '' }: StatementSource): string =>
  `${reporter} ${file ?? url ?? name}`;

/** Sources that were read and are cited by no statement. */
export function alsoRead({ response, statements }: Answer): Source[] {
  const cited = citedSources(statements);
  return (response?.sources ?? []).filter(
    ({ name, url, reported_by: reporter }) =>
      !cited.some(
        (source) =>
          source.reportedBy === reporter &&
          (url === undefined ? source.name === name : source.url === url),
      ),
  );
}

/** The name of the external librarian whose claims the answer is made of; none for an answer of our own librarians. */
export function reporterOf(response: LibrarianResponse | undefined): string | undefined {
  const reporter = response?.metadata?.reported_by;
  return typeof reporter === 'string' ? reporterName(reporter) : undefined;
}

/** The answer as Markdown, with its sources as footnotes. */
export function asMarkdown(answer: Answer): string {
  const sources = citedSources(answer.statements);
  const notes = sources.map(({ number, name, url, reportedBy, places }) => {
    const sections = [
      ...new Set(places.flatMap(({ section }) => (section === undefined ? [] : [section]))),
    ];
    return `[^${number}]: ${[name, ...sections.slice(0, 3)].join(' › ')}${url === undefined ? '' : `, <${url}>`}${reportedBy === undefined ? '' : ` (${t('evidence.reported_by', { librarian: reporterName(reportedBy) })})`}`;
  });
  const text = answer.statements.flatMap((statement, index) => {
    if (statement === null) return [];
    const marks = sources
      .filter(({ citedBy }) => citedBy.includes(index))
      .map(({ number }) => `[^${number}]`);
    // A mark within a table or a code block would be part of it.
    return [`${statement.text}${/[|`]\s*$/.test(statement.text) ? '\n\n' : ' '}${marks.join('')}`];
  });
  const body = text.length > 0 ? text : [answer.response?.answer ?? ''];
  const reporter = reporterOf(answer.response);
  const origin = reporter === undefined ? [] : [t('answer.reported_by', { librarian: reporter })];
  return [`**${answer.query}**`, ...origin, ...body, notes.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}
