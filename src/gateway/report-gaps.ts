import * as z from 'zod';
import { type ErrorCode, readAs } from '../contract/error-info.ts';
import { type KnowledgeGapReport, KnowledgeGapReported } from '../contract/knowledge.ts';
import { AnswerPart, type LibrarianResponse } from '../contract/response.ts';
import { isDeclined } from '../delegation/abstention.ts';
import { type Log, logLine } from '../runtime/log.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { type OriginContext, originate } from '../signing/request-context.ts';
import { withoutContinuation } from '../text/refers-back.ts';

interface ReportParts {
  client: SignedClient;
  log?: Log | undefined;
  now?: (() => number) | undefined;
  /** Resolves after so many milliseconds. */
  wait?: ((ms: number) => Promise<void>) | undefined;
}

/** Who asked. */
type Asker = Pick<OriginContext, 'workspace' | 'subject' | 'audiences' | 'traceId' | 'authentication'>;

/** Reports questions that the articles did not answer. Never rejects. */
export type ReportGaps = (asker: Asker, reports: readonly KnowledgeGapReport[]) => Promise<void>;

/** Parts of one question that are reported. */
const MAX_PARTS = 4;
const REPORT_MS = 5000;
/**
 * How long a report that could not be taken waits until it is made again, once: by then a function that has just started has read its
 * articles. Work after a response may take 30 seconds on Cloudflare.
 */
const REPEAT_AFTER_MS = 10_000;

type Reported = 'taken' | 'refused' | 'late';

/**
 * Reports questions to the support function, in the name of who asked: the articles that they may read count, and their share of a day. What
 * could not be taken is reported again later, once; what fails then is logged without a word of the question.
 */
export const createReportGaps = ({
  client,
  log = logLine,
  now = Date.now,
  wait = waitFor,
}: ReportParts): ReportGaps => {
  const report = async (asker: Asker, each: KnowledgeGapReport): Promise<{ became: Reported; code: ErrorCode }> => {
    const { workspace, subject, audiences, traceId, authentication } = asker;
    const context = originate({
      self: 'gateway',
      subject,
      workspace,
      audiences,
      authentication,
      traceId,
      // The support function reads the articles in the asker's name.
      capabilities: ['support:analyze', 'kb:read'],
      timeoutMs: REPORT_MS,
      now: now(),
    });
    const call = { to: 'support', path: '/v1/knowledge/gaps', body: JSON.stringify(each) };
    const reply = await client.call(context, call);
    if (!reply.ok) return { became: reply.error.recoverable === true ? 'late' : 'refused', code: reply.error.code };
    if (reply.status !== 200) return { became: reply.status >= 500 ? 'late' : 'refused', code: 'INTERNAL_ERROR' };
    const read = readAs(KnowledgeGapReported.pick({ outcome: true }), reply.json());
    // The function answers, and could not read the articles or the gaps in time.
    const isLate = read.ok && read.value.outcome === 'unavailable';
    return { became: isLate ? 'late' : 'taken', code: 'SERVICE_UNAVAILABLE' };
  };
  const fault = (code: ErrorCode, traceId: string | undefined): void => {
    const cause = 'a question was not reported as a gap';
    log({ event: 'fault', time: now(), librarian: 'gateway', where: 'gaps', code, trace_id: traceId, cause });
  };
  /** @returns Those that may be taken later. */
  const reportAll = async (asker: Asker, reports: readonly KnowledgeGapReport[], isLast: boolean) => {
    const late: KnowledgeGapReport[] = [];
    for (const each of reports) {
      const { became, code } = await report(asker, each);
      if (became === 'late' && !isLast) late.push(each);
      else if (became !== 'taken') fault(code, asker.traceId);
    }
    return late;
  };
  return async (asker, reports) => {
    if (!client.targets.includes('support')) return;
    const late = await reportAll(asker, reports.slice(0, MAX_PARTS), false);
    if (late.length === 0) return;
    await wait(REPEAT_AFTER_MS);
    await reportAll(asker, late, true);
  };
};

const waitFor = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

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
  return [...unanswered, ...(hybrid?.metadata.failed ?? [])].map(({ query }) => withoutContinuation(query));
};
