import * as z from 'zod';
import type { Progress } from './ask.ts';
import { Capability, LibrarianId, WorkspaceId } from './names.ts';
import type { LibrarianResponse } from './response.ts';

/**
 * Answers questions from its team's knowledge. Never throws: a failure is `error` in the response. Should finish within `context.timeout`
 * and stop when `context.signal` aborts.
 *
 * @param query The question, 1 to 4,000 characters.
 * @param context The caller, its rights and the available dependencies. Frozen.
 *
 * @example
 * const openingHours: Librarian = async (query) =>
 *   query.toLowerCase().includes('open')
 *     ? { answer: 'From 9 to 18.', sources: [{ name: 'Shop hours' }], confidence: 0.9 }
 *     : { error: { code: 'NOT_FOUND', message: 'I know opening hours alone', recoverable: false } };
 */
export type Librarian = (query: string, context?: Context) => Promise<LibrarianResponse>;

/**
 * Context of a call. All members are optional.
 *
 * @example
 * const inTime: Librarian = async (query, { signal, progress, ai }: Context = {}) => {
 *   progress?.({ type: 'searching' });
 *   const page = await fetch('https://status.example.com/', signal ? { signal } : {});
 *   if (ai === undefined) return { answer: await page.text(), partial: true };
 *   const { text } = await ai.complete([{ role: 'user', content: query }], { maxTokens: 200 });
 *   return { answer: text };
 * };
 */
export interface Context {
  /** The librarian being called. */
  readonly librarian?: LibrarianInfo | undefined;
  readonly user?: User | undefined;
  readonly trace?: TraceContext | undefined;
  /** Ids of the librarians passed through so far, in order. */
  readonly delegationChain?: readonly string[] | undefined;
  /** Absent when no model is configured; a librarian also works without it. */
  readonly ai?: AIClient | undefined;
  /** Librarians that the question may be delegated to. */
  readonly availableDelegates?: readonly Delegate[] | undefined;
  /** Free-form and untrusted, as it comes from the caller. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds left when the call began. */
  readonly timeout?: number | undefined;
  /** Aborts at the deadline, or when the caller no longer waits for the response. */
  readonly signal?: AbortSignal | undefined;
  /** Takes what the librarian reports while it answers; absent when no one listens. */
  readonly progress?: Progress | undefined;
}

/**
 * Description of a librarian for users and other librarians.
 *
 * @example
 * const info: LibrarianInfo = {
 *   id: 'opening-hours',
 *   name: 'Opening hours',
 *   description: 'Knows when the shops are open, on holidays too.',
 *   capabilities: ['kb:read'],
 *   examples: ['Are you open on Friday evening?'],
 * };
 * LibrarianInfo.parse(info);
 */
export const LibrarianInfo = z.object({
  id: LibrarianId,
  name: z.string().min(1).max(100),
  /** What it knows, in one or two sentences; used for routing. */
  description: z.string().max(1000).optional(),
  /** Capabilities that a caller's context must hold. */
  capabilities: z.array(Capability).max(24).optional(),
  /** Questions that it answers well, in users' words; used for routing. */
  examples: z.array(z.string().regex(/\S/, 'is empty').max(300)).max(400).optional(),
  /** It reads earlier turns from `metadata.history`, so follow-up questions are not rewritten for it. */
  readsHistory: z.boolean().optional(),
  /** The librarians whose answers it combines: it gets only questions that need several of them. */
  combines: z.array(LibrarianId).max(16).optional(),
});
export type LibrarianInfo = z.infer<typeof LibrarianInfo>;

/** The user, as authenticated at the origin. */
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

/**
 * Position of a call in a distributed trace (W3C Trace Context).
 *
 * @example
 * const { traceId }: TraceContext = TraceContext.parse({
 *   traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
 *   spanId: '00f067aa0ba902b7',
 * });
 * @see https://www.w3.org/TR/trace-context/
 */
export const TraceContext = z.object({
  /** 32 lower-case hex digits, the same for all calls. */
  traceId: z.string().regex(/^[0-9a-f]{32}$/, 'is not 32 hex digits'),
  /** 16 lower-case hex digits: the call that led here. */
  spanId: z.string().regex(/^[0-9a-f]{16}$/, 'is not 16 hex digits'),
  /** Whether the caller records this trace. */
  sampled: z.boolean().optional(),
  tracestate: z.string().max(512).optional(),
});
export type TraceContext = z.infer<typeof TraceContext>;

/** A librarian that a question may be delegated to. */
export const Delegate = LibrarianInfo.partial({ name: true });
export type Delegate = z.infer<typeof Delegate>;

/**
 * A chat model. Throws when it is unavailable; the librarian then answers without it.
 *
 * @example
 * const echo: AIClient = {
 *   model: 'echo-1',
 *   complete: async (messages) => ({ text: messages.at(-1)?.content ?? '' }),
 * };
 */
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
  /** 0 (always the most likely token) to 2. */
  temperature?: number | undefined;
  /** A JSON Schema for the reply, if the model supports it. */
  schema?: { name: string; schema: Record<string, unknown> } | undefined;
  signal?: AbortSignal | undefined;
  /** Gets the text piece by piece as the model writes it. A client that cannot stream ignores it. */
  onText?: ((piece: string) => void) | undefined;
}

export interface AICompletion {
  text: string;
  /** Finish reason; `stop` when absent. With any other the text may be incomplete. */
  finish?: 'stop' | 'length' | 'refused' | 'filtered' | undefined;
  /** Tokens used, if the model reports them. */
  usage?: { inputTokens: number; outputTokens: number } | undefined;
  /** US dollars that this call cost, by the configured prices; absent when the model has none. */
  costUsd?: number | undefined;
}

/** `degraded`: it answers without an optional dependency. `unknown`: it was not checked yet. */
export const Health = z.enum(['ok', 'degraded', 'down', 'unknown']);
export type Health = z.infer<typeof Health>;

/** Why a librarian cannot answer at all: what it lacks, such as its database or a provider's key. */
const Unavailable = z.string().min(1).max(300);

/** A librarian in `GET /v1/librarians`. */
export const LibrarianEntry = LibrarianInfo.extend({
  health: Health,
  unavailable: Unavailable.optional(),
});
export type LibrarianEntry = z.infer<typeof LibrarianEntry>;

/** `GET /v1/librarians`. */
export const LibrarianDirectory = z.object({ librarians: z.array(LibrarianEntry).max(1000) });
export type LibrarianDirectory = z.infer<typeof LibrarianDirectory>;

/** Who may ask: anyone, callers with a signed context, or callers whose context names a user. */
export const Access = z.enum(['public', 'signed', 'user']);
export type Access = z.infer<typeof Access>;

/**
 * A librarian's public Ed25519 key.
 *
 * @example
 * PublicKey.parse({ kid: 'navigator.1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' });
 * @see https://www.rfc-editor.org/rfc/rfc8037
 */
export const PublicKey = z.object({
  /** The librarian's id, a dot and a number. */
  kid: z.string().min(1).max(80),
  /** 32 bytes, base64url without padding. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not 32 bytes in base64url'),
  /** Validity of the key in seconds since 1970. */
  nbf: z.number().min(0).optional(),
  exp: z.number().min(0).optional(),
});
export type PublicKey = z.infer<typeof PublicKey>;

/** `GET /librarians/{id}`: the public description of a librarian. */
export const LibrarianDescription = LibrarianInfo.extend({
  access: Access,
  keys: z.array(PublicKey).max(16),
  /** When present, no question is routed to it; asked by name it returns SERVICE_UNAVAILABLE. */
  unavailable: Unavailable.optional(),
});
export type LibrarianDescription = z.infer<typeof LibrarianDescription>;

/**
 * The gateway as a resource that tokens open (RFC 9728, section 2).
 *
 * @example
 * ProtectedResource.parse({
 *   resource: 'https://answers.example.com/mcp',
 *   authorization_servers: ['https://login.example.com'],
 *   bearer_methods_supported: ['header'],
 *   resource_name: 'Constellation',
 * });
 * @see https://www.rfc-editor.org/rfc/rfc9728
 */
export const ProtectedResource = z.object({
  resource: z.url().max(2048),
  /** Issuers whose tokens are accepted. */
  authorization_servers: z.array(z.url().max(500)).max(10),
  bearer_methods_supported: z.array(z.literal('header')).max(1),
  resource_name: z.string().max(100),
});
export type ProtectedResource = z.infer<typeof ProtectedResource>;

/** `GET /healthz`: the function is up, and which adapters it uses. */
export const Healthz = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string().max(64).optional(),
  /** By role: `{ knowledge: 'embedded', embeddings: 'static-words-2', model: 'none' }`. */
  adapters: z.record(z.string().max(64), z.string().max(64)),
  /** The key directory in use. When it expires every call between functions is refused; `status` is `degraded` in the 30 days before. */
  directory: z
    .object({ sequence: z.int().min(0), expires_at: z.iso.datetime().max(40) })
    .optional(),
  /** Number of connections to helpdesks in all workspaces, and the tools of those that cannot be used; `status` is `degraded` with one. */
  helpdesks: z
    .object({ connections: z.int().min(0), misconfigured: z.array(z.string().max(40)).max(100) })
    .optional(),
  /** Present when nothing can be stored, since the disk of the machine is full; `status` is `degraded` then. Not known on Cloudflare. */
  storage: z.literal('full').optional(),
});
export type Healthz = z.infer<typeof Healthz>;
