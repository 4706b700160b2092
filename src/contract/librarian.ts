import * as z from 'zod';
import { Capability, LibrarianId, WorkspaceId } from './names.ts';
import type { LibrarianResponse } from './response.ts';

/**
 * Answers questions from what its team knows. It never throws: what went wrong is `error` in the response. It should be done within
 * `context.timeout` and stop when `context.signal` aborts.
 *
 * @param query What is asked, 1 to 4,000 characters.
 * @param context Who asks, and with what. Frozen; a librarian hands it on, it does not change it.
 */
export type Librarian = (query: string, context?: Context) => Promise<LibrarianResponse>;

/** What a librarian is told about a call. Nothing in it is required. */
export interface Context {
  /** The librarian that is being asked. */
  readonly librarian?: LibrarianInfo | undefined;
  readonly user?: User | undefined;
  readonly trace?: TraceContext | undefined;
  /** Ids of the librarians passed through so far, in order. */
  readonly delegationChain?: readonly string[] | undefined;
  /** Absent where no model is configured; a librarian works without it. */
  readonly ai?: AIClient | undefined;
  /** Whom a question may be handed on to. */
  readonly availableDelegates?: readonly Delegate[] | undefined;
  /** Free; comes from the caller and is not to be trusted. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds left when the call began. */
  readonly timeout?: number | undefined;
  /** Aborts at the deadline, or when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** How a librarian is introduced to people and to other librarians. */
export const LibrarianInfo = z.object({
  id: LibrarianId,
  name: z.string().min(1).max(100),
  /** What it knows, in a sentence or two, so that others can tell when to ask it. */
  description: z.string().max(1000).optional(),
  /** What a caller's context must allow. */
  capabilities: z.array(Capability).max(24).optional(),
  /** Questions that it answers well, in the words of those who ask: by them others tell when to ask it. */
  examples: z.array(z.string().regex(/\S/, 'is empty').max(300)).max(150).optional(),
  /** It reads the turns before a question in `metadata.history`, so that follow-up questions reach it as they were typed. */
  readsHistory: z.boolean().optional(),
  /** The librarians whose answers it combines: it is for questions that need several of them at once, and for no others. */
  combines: z.array(LibrarianId).max(16).optional(),
});
export type LibrarianInfo = z.infer<typeof LibrarianInfo>;

/** Who asks, as verified at the door. */
export const User = z.object({
  /** The kind and an opaque id: `user:u_8f2k`, `svc:webhooks`, `anon:7c1`. */
  id: z.string().min(1).max(200),
  /** The tenant whose knowledge may be read. */
  workspaceId: WorkspaceId.optional(),
  capabilities: z.array(Capability).max(24).optional(),
  /** How the user was authenticated: `session`, `oauth`, `key`, `none`. */
  authentication: z.string().max(32).optional(),
});
export type User = z.infer<typeof User>;

/** Where a call stands in a distributed trace (W3C Trace Context). */
export const TraceContext = z.object({
  /** 32 lower-case hex digits, the same for the whole journey. */
  traceId: z.string().regex(/^[0-9a-f]{32}$/, 'is not 32 hex digits'),
  /** 16 lower-case hex digits: the call that led here. */
  spanId: z.string().regex(/^[0-9a-f]{16}$/, 'is not 16 hex digits'),
  /** Whether the caller records this trace. */
  sampled: z.boolean().optional(),
  tracestate: z.string().max(512).optional(),
});
export type TraceContext = z.infer<typeof TraceContext>;

/** A librarian that a question may be handed on to. */
export const Delegate = LibrarianInfo.partial({ name: true });
export type Delegate = z.infer<typeof Delegate>;

/** A chat model. Throws when it is unavailable; the librarian then answers without it. */
export interface AIClient {
  /** The model's name, for logs and confidence reasons. */
  readonly model: string;
  complete(messages: readonly AIMessage[], options?: AICompletionOptions): Promise<AICompletion>;
}

export interface AIMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface AICompletionOptions {
  maxTokens?: number | undefined;
  /** 0 (always the likeliest word) to 2. */
  temperature?: number | undefined;
  /** A JSON Schema that the reply has to follow, where the model can. */
  schema?: { name: string; schema: Record<string, unknown> } | undefined;
  signal?: AbortSignal | undefined;
}

export interface AICompletion {
  text: string;
  /** Why it ended; `stop` when absent. Of all others the text is not to be trusted to be whole. */
  finish?: 'stop' | 'length' | 'refused' | 'filtered' | undefined;
  /** Tokens spent, where the model says so. */
  usage?: { inputTokens: number; outputTokens: number } | undefined;
  /** US dollars that this call cost, by the configured prices; absent where the model has none. */
  costUsd?: number | undefined;
}
