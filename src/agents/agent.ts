import type { AgentFailure, AgentMetadata, AgentResponse as WireAgentResponse } from '../contract/agent-response.ts';
import type { AgentType } from '../contract/agent-result.ts';
import { ErrorCode, ErrorInfo } from '../contract/error-info.ts';
import { describeIssues } from '../contract/issue.ts';
import type { AIClient, LibrarianInfo } from '../contract/librarian.ts';
import { readAs } from '../contract/read-as.ts';
import { startDeadline } from '../runtime/deadline.ts';
import { CodedError, type ErrorScene, errorInfo, errorInfoOf } from '../runtime/error-info-of.ts';
import type { RequestScope } from '../runtime/request-scope.ts';
import { AgentResponse, validateAgentResponse } from './agent-response.ts';

/**
 * Answers a question in the envelope of seed 003. What it throws becomes a failure there: a `CodedError` keeps its code
 * and what it tells the caller, all else is INTERNAL_ERROR. A failure may also be returned, with a standard code under
 * `metadata.error_code`.
 *
 * @param query What is asked, 1 to 4,000 characters, trimmed.
 */
export type Agent = (query: string, call: AgentCall) => Promise<WireAgentResponse>;

/** What an agent is told about one call. */
export interface AgentCall {
  /** What agents of this type take besides, such as a threshold; from the caller, and not to be trusted. */
  options: Readonly<Record<string, unknown>>;
  /** Aborts at the deadline, or when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Milliseconds left when the call began. */
  timeoutMs: number;
  /** Absent where no model is configured; an agent works without it. */
  ai?: AIClient | undefined;
  scope: RequestScope;
}

/** Which agent it is, and how it is introduced as a librarian. */
export interface AgentProfile {
  type: AgentType;
  info: LibrarianInfo;
}

interface Run {
  profile: AgentProfile;
  call: AgentCall;
  scene: ErrorScene;
  now: () => number;
}

/**
 * Asks an agent and answers within the time, whatever the agent does: its valid answer, or a failure with a standard
 * code. Never throws.
 */
export const runAgent = async (agent: Agent, query: string, run: Run): Promise<WireAgentResponse> => {
  const { profile, call, scene, now } = run;
  const startedMs = now();
  const response = await answerOf(agent, query, run);
  const measured = executionMetadata({ startedMs, now: now() });
  if (response.success) {
    const { confidence } = response.source_attribution;
    return { ...response, metadata: { confidence_score: confidence, ...response.metadata, ...measured } };
  }
  const code = codeOf(response.metadata);
  const { suggestion, recoverable } = errorInfo(code);
  const told = { suggestion, recoverable, ...response.metadata, error_code: code, librarian: profile.info.id };
  const traceId = call.scope.context.traceId ?? scene.traceId;
  return { ...response, metadata: { ...told, trace_id: traceId, ...measured } };
};

/**
 * The members of the metadata that every run has (seed 003, getMetadata): seconds it took, when it ended, and whether
 * its answer was remembered from an earlier one.
 */
export const executionMetadata = ({
  startedMs,
  now,
  cacheHit,
}: {
  startedMs: number;
  now: number;
  cacheHit?: boolean | undefined;
}) => ({
  execution_time: Math.max(0, now - startedMs) / 1000,
  timestamp: new Date(now).toISOString(),
  ...(cacheHit === undefined ? {} : { cache_hit: cacheHit }),
});

/** What a failure says, as a librarian tells it. */
export const failureInfoOf = ({ error, metadata }: AgentFailure): ErrorInfo => {
  const code = codeOf(metadata);
  const { suggestion, recoverable, librarian, details }: AgentMetadata = metadata;
  const read = readAs(ErrorInfo, { ...errorInfo(code), suggestion, recoverable, librarian, details, message: error });
  return read.ok ? read.value : errorInfo(code, { message: error });
};

const answerOf = async (agent: Agent, query: string, run: Run): Promise<WireAgentResponse> => {
  const { profile, call, scene } = run;
  const deadline = startDeadline(call.timeoutMs, call.signal);
  try {
    const asked = Promise.resolve().then(() => agent(query, { ...call, signal: deadline.signal }));
    const read = validateAgentResponse(await deadline.race(asked));
    if (!read.ok) throw nonsense(describeIssues(read.issues));
    if (read.value.type !== profile.type) throw nonsense(`its type is ${read.value.type}`);
    return read.value;
  } catch (error) {
    return failureOf(profile, query, errorInfoOf(error, scene));
  } finally {
    deadline.end();
  }
};

const nonsense = (what: string) => new CodedError('INTERNAL_ERROR', `the agent returned no AgentResponse: ${what}`);

/** An error in the envelope of seed 003. */
const failureOf = ({ type }: AgentProfile, query: string, info: ErrorInfo): WireAgentResponse => {
  const { code, message, suggestion, recoverable, details } = info;
  return AgentResponse.error(type, query, message)
    .setMetadata({ error_code: code, suggestion, recoverable, ...(details === undefined ? {} : { details }) })
    .toArray();
};

const codeOf = ({ error_code }: AgentMetadata): ErrorCode => {
  const code = ErrorCode.safeParse(error_code);
  return code.success ? code.data : 'INTERNAL_ERROR';
};
