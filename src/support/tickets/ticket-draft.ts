import { PARTIAL_BELOW } from '../../contract/core/confidence-level.ts';
import { readAs } from '../../contract/core/error-info.ts';
import { isWithin } from '../../contract/core/json-object.ts';
import {
  type DraftEvidence,
  type SupportRequest,
  SupportResponse,
  type TicketMessage,
} from '../../contract/wire/support-response.ts';
import {
  type DraftFeedback,
  type DraftOutcome,
  type DraftSentence,
  type DraftState,
  type Lesson,
  type SentText,
  TicketCase,
  TicketDraft,
} from '../../contract/wire/tickets.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { type AutomaticMail, automaticMail } from '../../language/automatic-mail.ts';
import { readMail } from '../../language/mail.ts';
import { sentencesIn } from '../../language/split-sentences.ts';
import { originate } from '../../platform/context/request-context.ts';
import type { SignedClient } from '../../platform/context/signed-client.ts';
import { utf8 } from '../../platform/encoding.ts';
import { withRetries } from '../../platform/retry.ts';
import { addColumn, migrate, readStored, type Sql } from '../../platform/storage/sql.ts';
import { nameInGreeting, withoutName } from '../drafts/fill-template.ts';
import { impersonalSentences } from '../message/impersonal-sentences.ts';
import { problemText } from '../retrieval/problem-text.ts';
import type { HelpdeskMessage, Ticket } from '../tools/helpdesk-tool.ts';

/** A draft with what is known about each sentence; the job that it is for knows the rest. */
export const ProposedReply = TicketDraft.omit({ id: true, feedback: true, created_at: true });
export type ProposedReply = Omit<TicketDraft, 'id' | 'feedback' | 'created_at'>;

const MAX_SENTENCES = 400;
const MAX_EVIDENCE = 3;
const MAX_QUOTE = 600;

/** The draft of an analysis by sentence; undefined where support proposes no reply. */
export function proposedReply({
  intent_classification: intent,
  draft,
  agent_guidance: guidance,
}: SupportResponse): ProposedReply | undefined {
  const { text, markdown, language = null, evidence = [] } = draft;
  if (text.trim() === '') return undefined;
  return {
    intent: intent.primary_intent,
    confidence: intent.confidence,
    language,
    text,
    ...(markdown === undefined ? {} : { markdown }),
    sentences: sentencesOf(text)
      .slice(0, MAX_SENTENCES)
      .map((sentence) => ({ text: sentence, evidence: evidenceOf(sentence, evidence) })),
    risks: guidance.risks,
  };
}

/** Lines are kept apart: a draft greets and signs in lines of their own. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/\n+/)
    .flatMap(sentencesIn)
    .filter((sentence) => wordsOf(sentence).length > 0);

/** The passages that a sentence is quoted from, and those that state it. */
const evidenceOf = (
  sentence: string,
  evidence: readonly DraftEvidence[],
): DraftSentence['evidence'] => {
  const sought = ` ${wordsOf(sentence).join(' ')} `;
  return evidence
    .filter(({ text }) => ` ${wordsOf(text).join(' ')} `.includes(sought))
    .slice(0, MAX_EVIDENCE)
    .map(({ title, url, text, quote = around(sentence, text) }) => ({ title, url, quote }));
};

/** The passage around a sentence that it contains. */
const around = (sentence: string, text: string): string => {
  const at = Math.max(0, text.indexOf(sentence));
  const start =
    text.length <= MAX_QUOTE
      ? 0
      : Math.max(0, Math.min(at - MAX_QUOTE / 4, text.length - MAX_QUOTE));
  return text.slice(start, start + MAX_QUOTE).toWellFormed();
};

/** Messages before the newest one that the desk shows, and characters of each. */
const MAX_SHOWN_HISTORY = 20;
const MAX_SHOWN_MESSAGE = 4000;

/** What the desk shows of a message beside its draft. */
export function caseOf(
  { message, subject, customer_name: customer, history = [] }: SupportRequest,
  { intent_classification: intent, agent_guidance: guidance }: SupportResponse,
): TicketCase {
  const {
    summary,
    missing_information: questions,
    escalation,
    closest_articles: closest = [],
  } = guidance;
  return {
    subject: subject ?? null,
    customer_name: customer ?? null,
    message,
    history: history
      .slice(-MAX_SHOWN_HISTORY)
      .map(({ text, ...each }) => ({ ...each, text: cut(text, MAX_SHOWN_MESSAGE) })),
    summary: summary ?? null,
    intent: intent.primary_intent,
    confidence: intent.confidence,
    questions,
    escalation: escalation.needed
      ? { to: escalation.to ?? null, reasons: escalation.reasons }
      : null,
    closest: closest.map(({ title, url }) => ({ title, url })),
  };
}

const MAX_TITLE = 200;

/** What a list shows of a message, without personal data but the customer's first name. */
interface TicketListing {
  /** The subject of the ticket, else the beginning of the message. */
  title: string;
  /** The beginning of the message where the title is a subject. */
  excerpt: string | null;
  customer: string | null;
}

/** @param mask Masks personal data. */
export function listingOf(
  { subject, message, customer_name: name = '' }: SupportRequest,
  mask: (text: string) => string,
): TicketListing {
  const line = (text: string): string => cut(mask(text).replaceAll(/\s+/g, ' ').trim(), MAX_TITLE);
  const [customer] = nameInGreeting(name)?.split(' ') ?? [];
  const words = withoutName(problemText(message).text, name);
  return {
    title: line(subject ?? message) || '…',
    excerpt: (subject !== undefined && line(words)) || null,
    customer: customer ?? null,
  };
}

/** What is to be done with a draft before it is sent. */
export function draftStateOf({
  sentences,
  risks,
  confidence,
}: Pick<ProposedReply, 'sentences' | 'risks' | 'confidence'>): DraftState {
  if (sentences.every(({ evidence }) => evidence.length === 0)) return 'unanswered';
  return risks.length > 0 || confidence < PARTIAL_BELOW ? 'check' : 'ready';
}

/** What became of a draft: figures, without a word of it or of what was sent. */
interface LearnedOutcome {
  job: number;
  intent: string;
  /** Addresses of the articles that it cites. */
  articles: readonly string[];
  outcome: DraftOutcome;
  /** Share of its sentences that were sent, 0 to 1. */
  share: number;
}

/** The message that an agent has replied to, and what became of its draft, where it has one. */
export interface RepliedMessage {
  job: number;
  outcome: LearnedOutcome | undefined;
}

/** Whether a draft helped, without the comment, and whether a better one was sent back. */
export interface RatedDraft extends Pick<LearnedOutcome, 'job' | 'intent' | 'articles'> {
  value?: DraftFeedback['value'] | undefined;
  isRewritten?: boolean | undefined;
}

const MAX_CITED = 10;

/** Addresses of the articles that a draft cites, each once; the first ten. */
export function articlesOf({ sentences }: Pick<ProposedReply, 'sentences'>): string[] {
  return [...new Set(sentences.flatMap(({ evidence }) => evidence.map(({ url }) => url)))].slice(
    0,
    MAX_CITED,
  );
}

/** From this share of a draft's sentences on, it was edited; below, something else was sent. */
const EDITED_FROM = 0.25;

/** How much of a draft was sent, whatever was added. Greetings and the like count only where there is nothing else. */
const compareReply = (
  { sentences }: Pick<ProposedReply, 'sentences'>,
  sent: string,
): Pick<LearnedOutcome, 'outcome' | 'share'> => {
  const words = ` ${wordsOf(sent).join(' ')} `;
  const sought = sentences.map(({ text }) => wordsOf(text));
  const telling = sought.filter((each) => each.length >= TELLING_WORDS);
  const compared = telling.length > 0 ? telling : sought;
  const share =
    compared.filter((each) => words.includes(` ${each.join(' ')} `)).length /
    Math.max(1, compared.length);
  return { share, outcome: share === 1 ? 'kept' : share >= EDITED_FROM ? 'edited' : 'discarded' };
};

const TELLING_WORDS = 4;

/** A draft and what an agent wrote instead. */
export type DraftLesson = Pick<Lesson, 'articles' | 'draft' | 'sent' | 'added' | 'removed'>;

const MAX_DIFFERENT = 20;
const MAX_DIFFERENT_LENGTH = 2000;

const lessonOf = (
  reply: ProposedReply,
  sent: string,
  request: TicketCase | undefined,
): DraftLesson => {
  const articles = new Map(
    reply.sentences.flatMap(({ evidence }) =>
      evidence.map(({ title, url }) => [url, { title, url }] as const),
    ),
  );
  return {
    articles: [...articles.values()].slice(0, MAX_CITED),
    draft: reply.text,
    sent,
    added: missingIn(
      reply.text,
      impersonalSentences(sentencesOf(readMail(sent).own), {
        customerName: request?.customer_name ?? undefined,
        language: reply.language ?? 'en',
        about: aboutOf(reply, request),
      }),
    ),
    removed: missingIn(
      sent,
      reply.sentences.map(({ text }) => text),
    ),
  };
};

/** The message, and what the draft says from articles: the words around it close a reply as well. */
const aboutOf = (
  { sentences }: Pick<ProposedReply, 'sentences'>,
  request: TicketCase | undefined,
): string =>
  [
    request?.subject ?? '',
    request?.message ?? '',
    ...sentences.flatMap(({ text, evidence }) => (evidence.length > 0 ? text : [])),
  ].join('\n');

/** Sentences that say something, and whose words do not stand in a text. */
const missingIn = (text: string, sentences: readonly string[]): string[] => {
  const words = ` ${wordsOf(text).join(' ')} `;
  return sentences
    .filter((sentence) => {
      const own = wordsOf(sentence);
      return own.length >= TELLING_WORDS && !words.includes(` ${own.join(' ')} `);
    })
    .slice(0, MAX_DIFFERENT)
    .map((sentence) => cut(sentence, MAX_DIFFERENT_LENGTH));
};

const MIGRATIONS = [
  [
    'CREATE TABLE drafts (job INTEGER PRIMARY KEY, reply TEXT NOT NULL, feedback TEXT, comment TEXT)',
  ],
  addColumn('drafts', 'outcome', 'TEXT'),
  [
    `CREATE TABLE cases (job INTEGER PRIMARY KEY, request TEXT NOT NULL, sent TEXT, sent_at INTEGER, rewritten TEXT,
      rewritten_at INTEGER)`,
  ],
];

type Row = {
  job: number;
  reply: string;
  feedback: DraftFeedback['value'] | null;
  comment: string | null;
  outcome: string | null;
};

type CaseRow = {
  /** JSON of a `TicketCase`. */
  request: string;
  sent: string | null;
  sent_at: number | null;
  rewritten: string | null;
  rewritten_at: number | null;
};

const withoutPersonalData = (
  { subject, message, history, ...ticketCase }: TicketCase,
  mask: (text: string) => string,
): TicketCase => ({
  ...ticketCase,
  subject: subject === null ? null : cut(mask(subject), MAX_SUBJECT),
  message: cut(mask(message), MAX_TEXT),
  history: history.map(({ text, ...each }) => ({ ...each, text: cut(mask(text), MAX_TEXT) })),
});

/** A draft as it is compared with what was sent, which is masked. */
const masked = (reply: ProposedReply, mask: (text: string) => string): ProposedReply => ({
  ...reply,
  text: mask(reply.text),
  sentences: reply.sentences.map((sentence) => ({ ...sentence, text: mask(sentence.text) })),
});

/** A text of an agent, and since when it is known (milliseconds since 1970). */
interface NotedText {
  text: string;
  at: number;
}

const sentText = (text: string | null, at: number | null): SentText | null =>
  text === null || at === null ? null : { text, at: new Date(at).toISOString() };

export type DraftStore = ReturnType<typeof draftStore>;

/**
 * The drafts of one ticket, in the database of its object: each until its job is forgotten, or the drafts are erased. The helpdesk has the texts as
 * they were written; here their personal data is masked, but for the customer's name, which leaves no ticket.
 */
export function draftStore(sql: Sql, mask: (text: string) => string) {
  migrate(sql, 'drafts', MIGRATIONS);
  /** The draft for the newest message that has one. */
  const latest = (): Row | undefined =>
    sql.all<Row>('SELECT * FROM drafts ORDER BY job DESC LIMIT 1')[0];
  const noteText = (job: number, kind: 'sent' | 'rewritten', { text, at }: NotedText): void =>
    sql.run(
      `UPDATE cases SET ${kind} = ?, ${kind}_at = ? WHERE job = ?`,
      cut(mask(text), MAX_TEXT),
      at,
      job,
    );
  return {
    keep: (job: number, reply: ProposedReply | undefined, ticketCase: TicketCase): void => {
      sql.run(
        'INSERT OR REPLACE INTO cases (job, request) VALUES (?, ?)',
        job,
        JSON.stringify(withoutPersonalData(ticketCase, mask)),
      );
      if (reply !== undefined)
        sql.run(
          'INSERT OR REPLACE INTO drafts (job, reply) VALUES (?, ?)',
          job,
          JSON.stringify(reply),
        );
    },
    /** What is kept of a message; all null where nothing is. */
    caseOf: (
      job: number,
    ): { case: TicketCase | null; sent: SentText | null; rewritten: SentText | null } => {
      const [row] = sql.all<CaseRow>('SELECT * FROM cases WHERE job = ?', job);
      if (row === undefined) return { case: null, sent: null, rewritten: null };
      return {
        case: readStored(TicketCase, row.request) ?? null,
        sent: sentText(row.sent, row.sent_at),
        rewritten: sentText(row.rewritten, row.rewritten_at),
      };
    },
    noteText,
    /** The draft for a message with what an agent wrote instead; undefined where one of them is not known. */
    lesson: (job: number): DraftLesson | undefined => {
      const [row] = sql.all<Row>('SELECT * FROM drafts WHERE job = ?', job);
      const [known] = sql.all<CaseRow>('SELECT * FROM cases WHERE job = ?', job);
      const reply = row === undefined ? undefined : readStored(ProposedReply, row.reply);
      const sent = known?.sent ?? known?.rewritten;
      if (reply === undefined || sent == null) return undefined;
      return lessonOf(masked(reply, mask), sent, readStored(TicketCase, known?.request ?? ''));
    },
    /** Undefined when there is none, or it is damaged. */
    latest: ():
      | { job: number; reply: ProposedReply; feedback: DraftFeedback | null }
      | undefined => {
      const row = latest();
      const reply = row === undefined ? undefined : readStored(ProposedReply, row.reply);
      if (row === undefined || reply === undefined) return undefined;
      const comment = row.comment === null ? {} : { comment: row.comment };
      return {
        job: row.job,
        reply,
        feedback: row.feedback === null ? null : { value: row.feedback, ...comment },
      };
    },
    rate: (job: number, { value, comment }: DraftFeedback): void =>
      sql.run(
        'UPDATE drafts SET feedback = ?, comment = ? WHERE job = ?',
        value,
        comment ?? null,
        job,
      ),
    /** Keeps the first reply to a message, and compares it with the draft; undefined when one is known already. */
    learn: (job: number, sent: NotedText): RepliedMessage | undefined => {
      const [known] = sql.all<CaseRow>('SELECT * FROM cases WHERE job = ?', job);
      if (known?.sent != null) return undefined;
      noteText(job, 'sent', sent);
      const row = latest();
      const reply =
        row === undefined || row.outcome !== null
          ? undefined
          : readStored(ProposedReply, row.reply);
      if (row === undefined || reply === undefined) return { job, outcome: undefined };
      const compared = compareReply(reply, sent.text);
      sql.run('UPDATE drafts SET outcome = ? WHERE job = ?', compared.outcome, row.job);
      return {
        job,
        outcome: { job: row.job, intent: reply.intent, articles: articlesOf(reply), ...compared },
      };
    },
    remove: (job: number): void => {
      for (const table of ['drafts', 'cases']) sql.run(`DELETE FROM ${table} WHERE job = ?`, job);
    },
    erase: (): void => {
      for (const table of ['drafts', 'cases']) sql.run(`DELETE FROM ${table}`);
    },
  };
}

/** The support function returned no analysis. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed';
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient, cause }: { isTransient: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isTransient = isTransient;
  }
}

const SELF = 'webhooks';
const SUPPORT = 'support';
/** Calls that an analysis may make: library, meanings, a model. */
const CALLS = 12;

/** Context of calls that this function makes on its own behalf, in one workspace and with these capabilities only. */
export function ownContext(
  workspace: string,
  options: { capabilities: readonly string[]; timeoutMs: number; now: number },
) {
  return originate({
    ...options,
    self: SELF,
    subject: `svc:${SELF}`,
    authentication: 'none',
    workspace,
    budgets: { calls: CALLS },
  });
}

/**
 * Asks the support function for the analysis of a message. A ticket can wait: when the knowledge was too late for it (a function that has
 * just started is still loading it), it is asked once more.
 *
 * @throws {AnalysisFailed} When there is none; transient unless support refused the request itself.
 */
export function supportAnalysis(
  client: SignedClient,
  { workspace, timeoutMs, now }: { workspace: string; timeoutMs: number; now: () => number },
) {
  return async (
    request: SupportRequest,
    { signal }: { signal: AbortSignal },
  ): Promise<SupportResponse> => {
    const until = now() + timeoutMs;
    const analyse = async (): Promise<SupportResponse> => {
      const capabilities = ['support:analyze', 'kb:read'];
      const context = ownContext(workspace, { capabilities, timeoutMs: until - now(), now: now() });
      const answer = await client.call(context, {
        to: SUPPORT,
        path: '/v1/support/analyze',
        // Agents also see weak sources, where there are no better ones.
        body: JSON.stringify({ ...request, include_weak: true }),
        signal,
      });
      if (!answer.ok) throw failed(`there is no answer of support (${answer.error.code})`);
      if (answer.status !== 200)
        throw failed(`support answered with status ${answer.status}`, answer.status !== 400);
      const read = readAs(SupportResponse, parsed(answer.json));
      if (!read.ok) throw failed('the answer of support is not in the expected form');
      return read.value;
    };
    let first: SupportResponse | undefined;
    const isLoading = ({
      knowledge_retrieval: { sources_consulted: sources, degraded },
    }: SupportResponse): boolean =>
      sources.length === 0 &&
      degraded?.includes('timeout') === true &&
      until - now() >= timeoutMs / 2;
    const analyseOrFirst = (): Promise<SupportResponse> =>
      analyse().catch((error: unknown) => {
        if (first === undefined) throw error;
        return first;
      });
    return withRetries(analyseOrFirst, {
      pauseMs: ({ value }) => {
        first = value;
        return value !== undefined && isLoading(value) ? LOADING_MS : undefined;
      },
    });
  };
}

/** Within that an edition is usually loaded. */
const LOADING_MS = 1000;

const failed = (problem: string, isTransient = true): AnalysisFailed =>
  new AnalysisFailed(`Cannot analyse the message: ${problem}`, { isTransient });

const parsed = (json: () => unknown): unknown => {
  try {
    return json();
  } catch {
    return undefined;
  }
};

const MAX_TEXT = 32_000;
const MAX_SUBJECT = 1000;
const MAX_NAME = 200;
const MAX_HISTORY = 100;
/** UTF-8 bytes. With message and metadata the body stays below the 256 KiB that a guarded route reads. */
const MAX_HISTORY_BYTES = 80_000;
/** A little below the contract's limits, which count the values in another order. */
const METADATA = { maxDepth: 6, maxLength: 15_000 };
const MAX_MEMBERS = 100;

/**
 * The request for the analysis of a message: its text, the public messages before it, and what the helpdesk knows, each within the
 * limits of the contract. The latest messages and the first members of the metadata have priority.
 *
 * @returns Undefined when the message is empty.
 */
export function supportRequestOf(
  ticket: Ticket,
  message: HelpdeskMessage,
): SupportRequest | undefined {
  const isFirst = ticket.messages.find(({ from }) => from === 'customer')?.id === message.id;
  // A first message may consist of its subject.
  const text = cut(
    message.text.trim() !== '' || !isFirst ? message.text : (ticket.subject ?? ''),
    MAX_TEXT,
  );
  if (text.trim() === '') return undefined;
  const metadata = boundedMetadata(ticket.metadata);
  const history = historyBefore(ticket, message);
  return {
    message: text,
    ...(ticket.subject?.trim() ? { subject: cut(ticket.subject.trim(), MAX_SUBJECT) } : {}),
    ...(ticket.customer.name?.trim()
      ? { customer_name: cut(ticket.customer.name.trim(), MAX_NAME) }
      : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(history.length > 0 ? { history } : {}),
  };
}

/**
 * What kind of automatic mail a message is; undefined for what a person wrote. The subject of the ticket is that of its
 * first message.
 */
export function automaticMailOf(
  ticket: Ticket,
  message: HelpdeskMessage,
): AutomaticMail | undefined {
  const isFirst = ticket.messages.find(({ from }) => from === 'customer')?.id === message.id;
  const subject = message.mail?.subject ?? (isFirst ? ticket.subject : undefined);
  return automaticMail({ ...message.mail, subject }, message.text);
}

/** Public messages of customer and agents, oldest first, without internal notes and automatic mail. */
const historyBefore = (ticket: Ticket, message: HelpdeskMessage): TicketMessage[] => {
  const { messages } = ticket;
  const at = messages.findIndex(({ id }) => id === message.id);
  const history: TicketMessage[] = [];
  let bytes = 0;
  for (const earlier of messages.slice(0, Math.max(at, 0)).reverse()) {
    const { from, isPublic, text, sentAtMs } = earlier;
    if (from === 'system' || !isPublic || text.trim() === '') continue;
    if (from === 'customer' && automaticMailOf(ticket, earlier) !== undefined) continue;
    const entry = { from, text: cut(text, MAX_TEXT) };
    bytes += utf8(JSON.stringify(entry)).length + 40;
    if (bytes > MAX_HISTORY_BYTES || history.length === MAX_HISTORY) break;
    history.unshift({
      ...entry,
      ...(isTime(sentAtMs) ? { sent_at: new Date(sentAtMs).toISOString() } : {}),
    });
  }
  return history;
};

const boundedMetadata = (metadata: Ticket['metadata']): Record<string, unknown> => {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(metadata).slice(0, MAX_MEMBERS)) {
    if (value === undefined || name === '__proto__') continue;
    if (isWithin({ ...kept, [name]: value }, METADATA)) kept[name] = value;
  }
  return kept;
};

/** Up to the year 9999, as in the contract's timestamps. */
const isTime = (ms: number | undefined): ms is number =>
  ms !== undefined && ms >= 0 && ms < 253_402_300_800_000;

/** Without half of a surrogate pair at the end. */
const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
