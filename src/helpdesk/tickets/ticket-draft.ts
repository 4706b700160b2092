import type { DraftEvidence, SupportResponse } from '../../contract/support-response.ts';
import { type DraftFeedback, type DraftOutcome, type DraftSentence, TicketDraft } from '../../contract/tickets.ts';
import { addColumn, migrate, readStored, type Sql } from '../../storage/sql.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { splitSentences } from '../../text/split-sentences.ts';

/** A draft with what is known about each sentence; the job that it is for knows the rest. */
export const ProposedReply = TicketDraft.omit({ id: true, feedback: true, created_at: true });
export type ProposedReply = Omit<TicketDraft, 'id' | 'feedback' | 'created_at'>;

const MAX_SENTENCES = 400;
const MAX_EVIDENCE = 3;
const MAX_QUOTE = 600;

/** The draft of an analysis by sentence; undefined where support proposes no reply. */
export const proposedReply = ({
  intent_classification: intent,
  draft,
  agent_guidance: guidance,
}: SupportResponse): ProposedReply | undefined => {
  const { text, language = null, evidence = [] } = draft;
  if (text.trim() === '') return undefined;
  return {
    ...{ intent: intent.primary_intent, confidence: intent.confidence, language, text },
    sentences: sentencesOf(text)
      .slice(0, MAX_SENTENCES)
      .map((sentence) => ({ text: sentence, evidence: evidenceOf(sentence, evidence) })),
    risks: guidance.risks,
  };
};

/** Lines are kept apart: a draft greets and signs in lines of their own. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/\n+/)
    .flatMap((line) => splitSentences(line).map(({ start, end }) => line.slice(start, end)))
    .filter((sentence) => wordsOf(sentence).length > 0);

/** The passages that a sentence is quoted from, and those that state it. */
const evidenceOf = (sentence: string, evidence: readonly DraftEvidence[]): DraftSentence['evidence'] => {
  const sought = ` ${wordsOf(sentence).join(' ')} `;
  return evidence
    .filter(({ text }) => ` ${wordsOf(text).join(' ')} `.includes(sought))
    .slice(0, MAX_EVIDENCE)
    .map(({ title, url, text, quote = around(sentence, text) }) => ({ title, url, quote }));
};

/** The passage around a sentence that it contains. */
const around = (sentence: string, text: string): string => {
  const at = Math.max(0, text.indexOf(sentence));
  const start = text.length <= MAX_QUOTE ? 0 : Math.max(0, Math.min(at - MAX_QUOTE / 4, text.length - MAX_QUOTE));
  return text.slice(start, start + MAX_QUOTE).toWellFormed();
};

/** What became of a draft: figures, without a word of it or of what was sent. */
export interface LearnedOutcome {
  job: number;
  intent: string;
  /** Addresses of the articles that it cites. */
  articles: readonly string[];
  outcome: DraftOutcome;
  /** Share of its sentences that were sent, 0 to 1. */
  share: number;
}

/** Whether a draft helped, without the comment. */
export interface RatedDraft extends Pick<LearnedOutcome, 'job' | 'intent' | 'articles'> {
  value: DraftFeedback['value'];
}

const MAX_CITED = 10;

/** Addresses of the articles that a draft cites, each once; the first ten. */
export const articlesOf = ({ sentences }: Pick<ProposedReply, 'sentences'>): string[] =>
  [...new Set(sentences.flatMap(({ evidence }) => evidence.map(({ url }) => url)))].slice(0, MAX_CITED);

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
  const share = compared.filter((each) => words.includes(` ${each.join(' ')} `)).length / Math.max(1, compared.length);
  return { share, outcome: share === 1 ? 'kept' : share >= EDITED_FROM ? 'edited' : 'discarded' };
};

const TELLING_WORDS = 4;

const MIGRATIONS = [
  ['CREATE TABLE drafts (job INTEGER PRIMARY KEY, reply TEXT NOT NULL, feedback TEXT, comment TEXT)'],
  addColumn('drafts', 'outcome', 'TEXT'),
];

type Row = {
  job: number;
  reply: string;
  feedback: DraftFeedback['value'] | null;
  comment: string | null;
  outcome: string | null;
};

export type DraftStore = ReturnType<typeof draftStore>;

/** The drafts of one ticket, in the database of its object: each until its job is forgotten, or the drafts are erased. */
export const draftStore = (sql: Sql) => {
  migrate(sql, 'drafts', MIGRATIONS);
  /** The draft for the newest message that has one. */
  const latest = (): Row | undefined => sql.all<Row>('SELECT * FROM drafts ORDER BY job DESC LIMIT 1')[0];
  return {
    keep: (job: number, reply: ProposedReply): void =>
      sql.run('INSERT OR REPLACE INTO drafts (job, reply) VALUES (?, ?)', job, JSON.stringify(reply)),
    /** Undefined when there is none, or it is damaged. */
    latest: (): { job: number; reply: ProposedReply; feedback: DraftFeedback | null } | undefined => {
      const row = latest();
      const reply = row === undefined ? undefined : readStored(ProposedReply, row.reply);
      if (row === undefined || reply === undefined) return undefined;
      const comment = row.comment === null ? {} : { comment: row.comment };
      return { job: row.job, reply, feedback: row.feedback === null ? null : { value: row.feedback, ...comment } };
    },
    rate: (job: number, { value, comment }: DraftFeedback): void =>
      sql.run('UPDATE drafts SET feedback = ?, comment = ? WHERE job = ?', value, comment ?? null, job),
    /** Compares the newest draft with the first reply that was sent after it; undefined when there is none to compare. */
    learn: (sent: string): LearnedOutcome | undefined => {
      const row = latest();
      const reply = row === undefined || row.outcome !== null ? undefined : readStored(ProposedReply, row.reply);
      if (row === undefined || reply === undefined) return undefined;
      const compared = compareReply(reply, sent);
      sql.run('UPDATE drafts SET outcome = ? WHERE job = ?', compared.outcome, row.job);
      return { job: row.job, intent: reply.intent, articles: articlesOf(reply), ...compared };
    },
    remove: (job: number): void => sql.run('DELETE FROM drafts WHERE job = ?', job),
    erase: (): void => sql.run('DELETE FROM drafts'),
  };
};
