import * as z from 'zod';
import { Capability, WorkspaceId } from './names.ts';

/** Reply of `GET /v1/access`: what the key or token of the request may do. */
export const CallerAccess = z.object({
  /** The first is the default of a request that names none. */
  workspaces: z.array(WorkspaceId).min(1).max(50),
  capabilities: z.array(Capability).max(24),
  /** Requests a minute: `standard` 300, `high` 6,000. */
  rate: z.enum(['standard', 'high', 'unlimited']),
  /** An API key, or a token of an identity provider. */
  authentication: z.enum(['key', 'oidc']),
  /** When the key expires; absent for one that does not, and for tokens. */
  expires_at: z.iso.datetime({ offset: true }).max(40).optional(),
});
export type CallerAccess = z.infer<typeof CallerAccess>;
