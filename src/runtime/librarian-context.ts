import type { Progress } from '../contract/ask.ts';
import type { AIClient, Context, Delegate, LibrarianInfo } from '../contract/librarian.ts';
import type { RequestContext } from '../signing/request-context.ts';

/** What a librarian gets beyond the signed context. The values are frozen. */
export interface LibrarianCall {
  info: LibrarianInfo;
  /** Milliseconds left. */
  timeoutMs: number;
  signal: AbortSignal;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  delegates?: readonly Delegate[] | undefined;
  ai?: AIClient | undefined;
  sampled?: boolean | undefined;
  progress?: Progress | undefined;
}

/** The signed context as a librarian sees it: no token, no signer, and deeply frozen, since librarians must not change it. */
export const librarianContext = (context: RequestContext, call: LibrarianCall): Context => {
  const { info, timeoutMs, signal, metadata, delegates = [], ai, sampled, progress } = call;
  const { subject, workspace, capabilities, authentication, traceId, spanId, chain } = context;
  return Object.freeze({
    librarian: frozen(info),
    user: frozen({ id: subject, workspaceId: workspace, capabilities: [...capabilities], authentication }),
    trace: frozen({ traceId, spanId, ...(sampled === undefined ? {} : { sampled }) }),
    delegationChain: frozen([...chain]),
    availableDelegates: frozen(delegates.filter(({ id }) => !chain.includes(id)).map((delegate) => ({ ...delegate }))),
    ...(metadata === undefined ? {} : { metadata: frozen(metadata) }),
    ...(ai === undefined ? {} : { ai }),
    ...(progress === undefined ? {} : { progress }),
    timeout: timeoutMs,
    signal,
  });
};

/** Freezes plain data deeply. */
const frozen = <T extends object>(value: T): T => {
  // A frozen value was deeply frozen here for an earlier request.
  if (Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member);
  return Object.freeze(value);
};
