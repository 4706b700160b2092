import * as z from 'zod';
import { type ErrorCode, readAs } from '../../contract/core/error-info.ts';
import { AnswerPart, type LibrarianResponse } from '../../contract/core/response.ts';
import {
  type KnowledgeGapReport,
  KnowledgeGapsReported,
  MAX_REPORTED_TOGETHER,
} from '../../contract/wire/knowledge.ts';
import { withoutContinuation } from '../../language/refers-back.ts';
import { isDeclined } from '../../librarians/delegation/abstention.ts';
import { originate } from '../../platform/context/request-context.ts';
import type { SignedClient } from '../../platform/context/signed-client.ts';
import { type Log, logLine } from '../../platform/log.ts';
import { sleep } from '../../platform/retry.ts';
import { type Asker, createGatherer } from './gather.ts';

interface ReportParts {
  client: SignedClient;
  log?: Log | undefined;
  now?: (() => number) | undefined;
  /** Resolves after so many milliseconds. */
  wait?: ((ms: number) => Promise<void>) | undefined;
}

/** Reports questions that the articles did not answer. Never rejects. */
export type ReportGaps = (asker: Asker, reports: readonly KnowledgeGapReport[]) => Promise<void>;

/** Parts of one question that are reported. */
const MAX_PARTS = 4;
/**
 * How long a report waits for others of the same asker. What a key leaves open beyond one call in this time is load, not a customer, and is
 * not recorded.
 */
const GATHER_MS = 1000;
const REPORT_MS = 5000;
/**
 * How long a report that could not be taken waits until it is made again, once: by then a function that has just started has read its
 * articles. Work after a response may take 30 seconds on Cloudflare.
 */
const REPEAT_AFTER_MS = 10_000;

/** The reports that may be taken later, or the code of what refused all. */
type Outcome = { late: readonly KnowledgeGapReport[] } | { refused: ErrorCode };

/**
 * Reports questions to the support function, in the name of who asked: the articles that they may read count, and their share of a day. What
 * could not be taken is reported again later, once; what fails then is logged without a word of the question.
 */
export function createReportGaps({
  client,
  log = logLine,
  now = Date.now,
  wait = sleep,
}: ReportParts): ReportGaps {
  const report = async (asker: Asker, reports: readonly KnowledgeGapReport[]): Promise<Outcome> => {
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
    const call = {
      to: 'support',
      path: '/v1/knowledge/gaps/reports',
      body: JSON.stringify(reports),
    };
    const reply = await client.call(context, call);
    if (!reply.ok)
      return reply.error.recoverable === true ? { late: reports } : { refused: reply.error.code };
    if (reply.status !== 200)
      return reply.status >= 500 ? { late: reports } : { refused: 'INTERNAL_ERROR' };
    const read = readAs(KnowledgeGapsReported.pick({ reported: true }), reply.json());
    // The function answers, and could not read the articles or the gaps in time.
    const isLate = (at: number): boolean =>
      read.ok && read.value.reported[at]?.outcome === 'unavailable';
    return { late: reports.filter((_, at) => isLate(at)) };
  };
  const fault = (code: ErrorCode, { traceId }: Asker, count: number): void => {
    const cause = `${count} questions were not reported as gaps`;
    log({
      event: 'fault',
      time: now(),
      librarian: 'gateway',
      where: 'gaps',
      code,
      trace_id: traceId,
      cause,
    });
  };
  const send = async (asker: Asker, reports: readonly KnowledgeGapReport[]): Promise<void> => {
    let waiting = reports;
    for (const isLast of [false, true]) {
      const outcome = await report(asker, waiting);
      if ('refused' in outcome) return fault(outcome.refused, asker, waiting.length);
      waiting = outcome.late;
      if (waiting.length === 0) return;
      if (isLast) fault('SERVICE_UNAVAILABLE', asker, waiting.length);
      else await wait(REPEAT_AFTER_MS);
    }
  };
  const gather = createGatherer({
    send,
    waitMs: GATHER_MS,
    limit: MAX_REPORTED_TOGETHER,
    isDropping: true,
    wait,
  });
  return async (asker, reports) => {
    if (!client.targets.includes('support')) return;
    await Promise.all(reports.slice(0, MAX_PARTS).map((each) => gather(asker, each)));
  };
}

/**
 * The questions that an answer leaves open: the parts that nothing was found for, else the whole question when it was declined or answered
 * in doubt.
 */
export function openQuestions(
  { question, personId }: { question: string; personId?: string | undefined },
  response: LibrarianResponse,
): KnowledgeGapReport[] {
  const why = isDeclined(response) ? 'declined' : 'unsure';
  const about = personId === undefined ? {} : { person_id: personId };
  const parts = openParts(response.metadata ?? {});
  const questions =
    parts.length > 0 && why === 'unsure' ? parts : [question.slice(0, MAX_QUESTION)];
  return questions.map((each) => ({ question: each, why, ...about }));
}

const MAX_QUESTION = 4000;

const Parts = z.object({
  parts: z.array(AnswerPart).optional().catch(undefined),
  hybrid: z
    .object({
      metadata: z.object({
        failed: z.array(z.object({ query: z.string().min(1).max(MAX_QUESTION) })),
      }),
    })
    .optional()
    .catch(undefined),
});

const openParts = (metadata: Readonly<Record<string, unknown>>): string[] => {
  const { parts = [], hybrid } = Parts.parse(metadata);
  const unanswered = parts.filter(({ answer, sources = [], metadata: own, error }) => {
    if (answer === undefined) return error !== undefined;
    return (
      sources.length === 0 &&
      isDeclined({ answer, ...(own === undefined ? {} : { metadata: own }) })
    );
  });
  return [...unanswered, ...(hybrid?.metadata.failed ?? [])].map(({ query }) =>
    withoutContinuation(query),
  );
};
