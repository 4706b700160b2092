import type { AgentResponse, AgentType } from '../contract/agent-response.ts';
import type { AIClient, LibrarianInfo } from '../contract/librarian.ts';
import type { RequestScope } from '../runtime/request-scope.ts';

/**
 * Answers a question in the envelope of seed 003. What it throws becomes a failure there: a `CodedError` keeps its code
 * and what it tells the caller, all else is INTERNAL_ERROR. A failure may also be returned, with a standard code under
 * `metadata.error_code`.
 *
 * @param query What is asked, 1 to 4,000 characters, trimmed.
 */
export type Agent = (query: string, call: AgentCall) => Promise<AgentResponse>;

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
