import * as z from 'zod';
import { Timestamp, WorkspaceId } from '../core/names.ts';

/** An act of administration: who did what, and how it ended. It holds no text of a customer, an article or a question. */
export const AuditEntry = z.object({
  at: Timestamp,
  /** Subject of the key or token: `user:` and its id, as in the record that `npx constellation api-key` prints. */
  by: z.string().max(200),
  /** Label of the key, or the name of the person that the token states; absent in entries from before it was noted. */
  name: z.string().max(100).optional(),
  authentication: z.enum(['key', 'oidc']),
  workspace: WorkspaceId,
  /** Method and path as the API describes them: `DELETE /v1/answers`. */
  action: z.string().max(200),
  /** Id of the article, edition or answer in the path. */
  target: z.string().max(500).optional(),
  /** Names of the parameters: `before`, `person_id`; `force` of a sync. Values are of persons, so that they are not kept. */
  parameters: z.array(z.string().max(64)).max(16).optional(),
  /** `ok`, or the code of the error. */
  outcome: z.string().max(64),
  status: z.int().min(100).max(599),
  /** `X-Request-Id` of the reply, which the logs have too. */
  request_id: z.string().max(64),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Query of `GET /v1/audit`. */
export const AuditQuery = z.strictObject({
  /** 1 to 200. */
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(100).optional(),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** Reply of `GET /v1/audit`: newest first. */
export const AuditPage = z.object({
  entries: z.array(AuditEntry).max(200),
  next_cursor: z.string().max(100).nullable(),
});
export type AuditPage = z.infer<typeof AuditPage>;
