import * as z from 'zod';
import type { KnowledgeGapReport } from '../contract/knowledge.ts';
import { AnswerPart, type LibrarianResponse } from '../contract/response.ts';
import { isDeclined } from '../delegation/abstention.ts';
import { type Log, logLine } from '../runtime/log.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { type OriginContext, originate } from '../signing/request-context.ts';

interface ReportParts {
  client: SignedClient;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/** Who asked. */
type Asker = Pick<OriginContext, 'workspace' | 'subject' | 'audiences' | 'traceId' | 'authentication'>;

/** Reports questions that the articles did not answer. Never rejects. */
export type ReportGaps = (asker: Asker, reports: readonly KnowledgeGapReport[]) => Promise<void>;

/** Parts of one question that are reported. */
const MAX_PARTS = 4;
const REPORT_MS = 5000;

/**
 * Reports questions to the support function, in the name of who asked: the articles that they may read count, and their share of a day. What
 * fails is logged without a word of the question.
 */
export const createReportGaps = ({ client, log = logLine, now = Date.now }: ReportParts): ReportGaps => {
  return async (asker, reports) => {
    if (!client.targets.includes('support')) return;
    const { workspace, subject, audiences, traceId, authentication } = asker;
    for (const report of reports.slice(0, MAX_PARTS)) {
      const context = originate({
        ...{ self: 'gateway', subject, workspace, audiences, authentication, traceId },
        ...{ capabilities: ['support:analyze'], timeoutMs: REPORT_MS, now: now() },
      });
      const call = { to: 'support', path: '/v1/knowledge/gaps', body: JSON.stringify(report) };
      const reply = await client.call(context, call);
      if (reply.ok && reply.status === 200) continue;
      const code = reply.ok ? 'INTERNAL_ERROR' : reply.error.code;
      const cause = 'a question was not reported as a gap';
      log({ event: 'fault', time: now(), librarian: 'gateway', where: 'gaps', code, trace_id: traceId, cause });
      return;
    }
  };
};

/**
 * The questions that an answer leaves open: the parts that nothing was found for, else the whole question when it was declined or answered
 * in doubt.
 */
export const openQuestions = (
  { question, personId }: { question: string; personId?: string | undefined },
  response: LibrarianResponse,
): KnowledgeGapReport[] => {
  const why = isDeclined(response) ? 'declined' : 'unsure';
  const about = personId === undefined ? {} : { person_id: personId };
  const parts = openParts(response.metadata ?? {});
  const questions = parts.length > 0 && why === 'unsure' ? parts : [question.slice(0, MAX_QUESTION)];
  return questions.map((each) => ({ question: each, why, ...about }));
};

const MAX_QUESTION = 4000;

const Parts = z.object({
  parts: z.array(AnswerPart).optional().catch(undefined),
  hybrid: z
    .object({ metadata: z.object({ failed: z.array(z.object({ query: z.string().min(1).max(MAX_QUESTION) })) }) })
    .optional()
    .catch(undefined),
});

const openParts = (metadata: Readonly<Record<string, unknown>>): string[] => {
  const { parts = [], hybrid } = Parts.parse(metadata);
  const unanswered = parts.filter(({ answer, sources = [], metadata: own, error }) => {
    if (answer === undefined) return error !== undefined;
    return sources.length === 0 && isDeclined({ answer, ...(own === undefined ? {} : { metadata: own }) });
  });
  return [...unanswered.map(({ query }) => query), ...(hybrid?.metadata.failed ?? []).map(({ query }) => query)];
};
