import * as z from 'zod';
import { RequestMetadata } from '../core/ask.ts';
import type { LibrarianEntry } from '../core/librarian.ts';
import { LibrarianId, MemoryId } from '../core/names.ts';
import { ANSWER_MAX_LENGTH } from '../core/response.ts';
import type { GatewayCall } from './gateway-call.ts';

/** The extension that puts the evidence of each statement into the metadata of an artifact (docs/a2a.md#evidence). */
export const EVIDENCE_EXTENSION = 'https://constellation.dev/a2a/evidence/v1';

/** An id that a caller chooses: of a message, or of a context, which is a conversation. */
const CallerId = MemoryId;

const MAX_PARTS = 20;
const MAX_IDS = 20;

const Part = z.object({
  text: z.string().max(ANSWER_MAX_LENGTH).optional(),
  mediaType: z.string().max(200).optional(),
});

/** What is read of a message; unknown members are ignored, as the protocol demands. */
export const A2aMessage = z.object({
  messageId: CallerId,
  role: z.literal('ROLE_USER', { error: 'is not ROLE_USER' }),
  parts: z.array(Part).min(1, 'is empty').max(MAX_PARTS),
  contextId: CallerId.optional(),
  taskId: z.string().max(64).optional(),
  /** `librarian`: the skill to use. `person_id`: the user that it is asked for. Everything else goes along as metadata of the question. */
  metadata: RequestMetadata.optional(),
  referenceTaskIds: z.array(z.string().max(64)).max(MAX_IDS).optional(),
});
export type A2aMessage = z.infer<typeof A2aMessage>;

/** A message of JSON-RPC 2.0. */
export const JsonRpcMessage = z.looseObject({ jsonrpc: z.literal('2.0') });

/** A request of JSON-RPC 2.0, section 4; no batches. */
export const JsonRpcRequest = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.int(), z.null()]).optional(),
  method: z.string().min(1).max(100),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

/** `GET /.well-known/agent-card.json` (A2A 1.0, section 8), as far as clients need it; the card has more. */
export const AgentCard = z.looseObject({
  name: z.string().max(200),
  description: z.string().max(2000),
  version: z.string().max(64),
  supportedInterfaces: z
    .array(
      z.object({
        url: z.url().max(2048),
        protocolBinding: z.string().max(32),
        protocolVersion: z.string().max(16),
      }),
    )
    .max(4),
  skills: z
    .array(
      z.looseObject({
        id: LibrarianId,
        name: z.string().max(200),
        description: z.string().max(2000),
      }),
    )
    .max(1000),
  signatures: z
    .array(z.object({ protected: z.string().max(2000), signature: z.string().max(200) }))
    .max(4),
});
export type AgentCard = z.infer<typeof AgentCard>;

/** `GET /.well-known/jwks.json`: the keys of the gateway (RFC 7517), which sign the agent card. */
export const GatewayKeys = z.object({
  keys: z
    .array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
        kid: z.string().max(80),
        x: z.string().max(60),
      }),
    )
    .max(8),
});
export type GatewayKeys = z.infer<typeof GatewayKeys>;

/** `DELETE /v1/a2a/tasks`: whose tasks are erased; one of the two. */
export const TaskErasureQuery = z
  .strictObject({ context_id: CallerId.optional(), person_id: MemoryId.optional() })
  .refine(({ context_id, person_id }) => (context_id === undefined) !== (person_id === undefined), {
    error: 'has to name one of context_id and person_id',
  });
export type TaskErasureQuery = z.infer<typeof TaskErasureQuery>;

/** The holder of the credentials of a request to the function a2a, as the gateway has authenticated it. */
export interface A2aCaller {
  workspace: string;
  /** Opaque id of who asks; tasks are visible to their owner only. */
  owner: string;
  capabilities: readonly string[];
}

/** What the agent card is made of. */
export interface A2aDeployment {
  /** The public address of the gateway, without a slash at its end. */
  origin: string;
  librarians: readonly LibrarianEntry[];
  /** Identity providers whose tokens are accepted. */
  issuers: readonly string[];
}

/** A card and its canonical form (RFC 8785), which the gateway signs. */
export interface UnsignedCard {
  card: object;
  canonical: string;
}

/** A request in one piece: a body that streams through a binding costs more than the whole message. */
export interface A2aRequest {
  /** The version of the protocol that the caller speaks; empty when it names none. */
  version: string;
  /** Value of the header `A2A-Extensions`; empty without one. */
  extensions: string;
  body: Uint8Array<ArrayBuffer>;
}

/** A response in one piece. `new Response(reply.body, reply)` makes a response of it, and of one that streams. */
export interface A2aWholeReply {
  headers: Record<string, string>;
  body: string;
}

/** What is answered, and how long the work goes on that was begun with it. */
export interface A2aReply {
  response: Response | A2aWholeReply;
  /** Resolves when nothing that the request has begun is at work any longer. Never rejects. Absent when that is so already. */
  finished?: (() => Promise<void>) | undefined;
}

/** The function a2a (remote procedure call): its card, and the tasks of each workspace. */
export interface A2aFunction {
  card(deployment: A2aDeployment): Promise<UnsignedCard>;
  answer(request: A2aRequest, caller: A2aCaller, call: GatewayCall): Promise<A2aReply>;
  /** Returns how many of the erased tasks the owner has begun; it sees no others. */
  erase(workspace: string, about: TaskErasureQuery, owner: string): Promise<number>;
}
