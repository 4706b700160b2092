import type * as z from 'zod';
import {
  MAX_STATEMENTS,
  type Progress,
  type ProgressEvent,
  type QuestionOrigin,
  type Statement,
} from '../../contract/core/ask.ts';
import { describeIssues, ErrorCode, ErrorInfo, readAs } from '../../contract/core/error-info.ts';
import type { AIClient, LibrarianInfo } from '../../contract/core/librarian.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import type {
  AgentFailure,
  AgentMetadata,
  AgentType,
  AgentResponse as WireAgentResponse,
} from '../../contract/wire/agent-response.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { type ErrorScene, errorInfo, errorInfoOf } from '../../platform/context/error-info-of.ts';
import type { RequestScope } from '../../platform/context/request-scope.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { startDeadline } from '../../platform/http/deadline.ts';
import { AgentResponse, validateAgentResponse } from './agent-response.ts';

/**
 * Answers a question in the agent envelope. A thrown error becomes a failure there: a `CodedError` keeps its code
 * and its public message, anything else is INTERNAL_ERROR. A failure may also be returned, with a standard code under
 * `metadata.error_code`.
 *
 * @param query The question, 1 to 4,000 characters, trimmed.
 */
export type Agent = (query: string, call: AgentCall) => Promise<WireAgentResponse>;

/** Metadata that name what an answer had to do without, such as `embeddings` or `model`, and call it partial; empty when nothing failed. */
export function degradedMetadata(names: readonly string[]): AgentMetadata {
  return names.length === 0 ? {} : { degraded: [...new Set(names)], partial: true };
}

/** Whether a model gave no answer because it could not be reached, or not in time. */
export function isModelLost(failure: unknown): boolean {
  return failure === 'unavailable' || failure === 'timeout';
}

/** One call of an agent. */
export interface AgentCall {
  /** Further options of agents of this type, such as a threshold. They come from the caller and are not trusted. */
  options: Readonly<Record<string, unknown>>;
  /** Aborts at the deadline, or when the caller has disconnected. */
  signal: AbortSignal;
  /** Milliseconds left when the call began. */
  timeoutMs: number;
  /** Absent where no model is configured; an agent works without it. */
  ai?: AIClient | undefined;
  /** What is known about the user, one line each, best first; untrusted. */
  facts?: readonly string[] | undefined;
  /** The language of who asks (BCP 47), as far as it is known. */
  language?: string | undefined;
  /** How the question was routed here, as far as it is known. */
  origin?: QuestionOrigin | undefined;
  /** Called when the request is accepted and as results are found; set only when the response is streamed. */
  progress?: Progress | undefined;
  /** Receives each part of the answer as it is finished; set only when the response is streamed. */
  parts?: AnswerParts | undefined;
  scope: RequestScope;
}

/** The type of an agent, and its description as a librarian. */
export interface AgentProfile {
  type: AgentType;
  info: LibrarianInfo;
}

interface Run {
  profile: AgentProfile;
  call: AgentCall;
  scene: ErrorScene;
  now: () => number;
  /** Ids of languages, by their tag. */
  languageIds?: Readonly<Record<string, number>> | undefined;
}

/**
 * Runs an agent within its timeout and returns its validated response, or a failure with a standard code. Never throws.
 */
export async function runAgent(agent: Agent, query: string, run: Run): Promise<WireAgentResponse> {
  const { profile, call, scene, now } = run;
  const startedMs = now();
  const response = await runWithDeadline(agent, query, run);
  const measured = {
    ...requestMetadata(query, response.metadata, run),
    ...executionMetadata({ startedMs, now: now() }),
  };
  if (response.success) {
    const { confidence } = response.source_attribution;
    return {
      ...response,
      metadata: { confidence_score: confidence, ...response.metadata, ...measured },
    };
  }
  const code = codeOf(response.metadata);
  const { suggestion, recoverable } = errorInfo(code);
  const described = {
    suggestion,
    recoverable,
    ...response.metadata,
    error_code: code,
    librarian: profile.info.id,
  };
  const traceId = call.scope.context.traceId ?? scene.traceId;
  return { ...response, metadata: { ...described, trace_id: traceId, ...measured } };
}

/** The members of the metadata that every run has: duration in seconds, and time of its end. */
export function executionMetadata({ startedMs, now }: { startedMs: number; now: number }) {
  return {
    execution_time: Math.max(0, now - startedMs) / 1000,
    timestamp: new Date(now).toISOString(),
  };
}

/**
 * Who asked, in which language, and how the question was routed here. The user comes from the verified context alone; a member that is
 * not known is absent.
 */
const requestMetadata = (
  query: string,
  own: AgentMetadata,
  { call, languageIds = {} }: Run,
): AgentMetadata => {
  const { origin = {}, scope } = call;
  const { classification_reasoning: routingReasons = [], ...further } = origin;
  const { classification_reasoning: agentReasons = [] } = own;
  const language = detectLanguage(query);
  const reasons = [
    ...routingReasons,
    ...(Array.isArray(agentReasons) ? agentReasons : [agentReasons]),
  ];
  return {
    user_id: scope.context.subject,
    ...(language === undefined ? {} : { language }),
    ...(language !== undefined && Object.hasOwn(languageIds, language)
      ? { language_id: languageIds[language] }
      : {}),
    ...(reasons.length === 0 ? {} : { classification_reasoning: reasons }),
    ...further,
    // No agent reads feedback.
    feedback_influenced: false,
  };
};

/**
 * The options of a request; unknown ones are rejected.
 *
 * @throws {CodedError} INVALID_QUERY for an option that the agent does not have, or whose value is out of range.
 */
export function readOptions<Options extends z.ZodObject>(
  schema: Options,
  options: AgentCall['options'],
): z.infer<Options> {
  const read = readRequest(schema, options);
  if (read.ok) return read.value;
  const names = Object.keys(schema.shape);
  throw new CodedError('INVALID_QUERY', 'an option is unknown or out of range', {
    reported: {
      message: `Cannot read the options: ${describeIssues(read.issues)}`,
      suggestion:
        names.length === 0
          ? 'Omit the options: this agent has none'
          : `Options of this agent, all optional: ${names.join(', ')} (docs/http-api.md)`,
    },
  });
}

/** The failure of an agent as the ErrorInfo of a librarian. */
export function failureInfoOf({ error, metadata }: AgentFailure): ErrorInfo {
  const code = codeOf(metadata);
  const { suggestion, recoverable, librarian, details }: AgentMetadata = metadata;
  const read = readAs(ErrorInfo, {
    ...errorInfo(code),
    suggestion,
    recoverable,
    librarian,
    details,
    message: error,
  });
  return read.ok ? read.value : errorInfo(code, { message: error });
}

const runWithDeadline = async (
  agent: Agent,
  query: string,
  run: Run,
): Promise<WireAgentResponse> => {
  const { profile, call, scene } = run;
  const deadline = startDeadline({ timeoutMs: call.timeoutMs, signal: call.signal });
  try {
    const pending = Promise.resolve().then(() =>
      agent(query, { ...call, signal: deadline.signal }),
    );
    const read = validateAgentResponse(await deadline.race(pending));
    if (!read.ok) throw invalidResponse(describeIssues(read.issues));
    if (read.value.type !== profile.type) throw invalidResponse(`its type is ${read.value.type}`);
    return read.value;
  } catch (error) {
    return failureOf(profile, query, errorInfoOf(error, scene));
  } finally {
    deadline.end();
  }
};

const invalidResponse = (what: string) =>
  new CodedError('INTERNAL_ERROR', `the agent returned an invalid AgentResponse: ${what}`);

/** An error in the agent envelope. */
const failureOf = ({ type }: AgentProfile, query: string, info: ErrorInfo): WireAgentResponse => {
  const { code, message, suggestion, recoverable, details } = info;
  return AgentResponse.error(type, query, message)
    .setMetadata({
      error_code: code,
      suggestion,
      recoverable,
      ...(details === undefined ? {} : { details }),
    })
    .toArray();
};

const codeOf = ({ error_code }: AgentMetadata): ErrorCode => {
  const code = ErrorCode.safeParse(error_code);
  return code.success ? code.data : 'INTERNAL_ERROR';
};

/** The finished parts of an answer that is sent as a stream. */
export interface AnswerParts {
  /** Whether no part was sent, or all were withdrawn. */
  isEmpty(): boolean;
  /** Sends a finished part. Parts beyond `MAX_STATEMENTS` are only in the final reply. */
  add(part: Statement & { librarian?: string | undefined }): void;
  /** Withdraws all parts sent so far: the final answer does not contain them. */
  withdraw(reason: string): void;
  /** Names the librarians that are asked for the parts. */
  routed(librarians: Extract<ProgressEvent, { type: 'routing' }>['librarians']): void;
}

/** Sends the parts in the order in which they are finished. */
export function answerParts(progress: Progress): AnswerParts {
  let next = 0;
  let sent: { index: number; text: string }[] = [];
  return {
    isEmpty: () => sent.length === 0,
    add: (part) => {
      if (next >= MAX_STATEMENTS) return;
      sent.push({ index: next, text: part.text.slice(0, 1000) });
      progress({ type: 'statement', index: next, ...part });
      next += 1;
    },
    withdraw: (reason) => {
      for (const { index, text } of sent) progress({ type: 'removed', index, text, reason });
      sent = [];
    },
    routed: (librarians) => progress({ type: 'routing', librarians }),
  };
}
