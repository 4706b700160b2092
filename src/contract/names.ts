import * as z from 'zod';

/** A librarian's id, as it stands in addresses, delegation chains and signed links (signed context 4.2). 1 to 48 characters. */
export const LibrarianId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,47}$/, 'is not a librarian id: 1 to 48 of a-z, 0-9, dot, underscore, hyphen');
export type LibrarianId = z.infer<typeof LibrarianId>;

/** The tenant that knowledge and memories belong to (design 7.11). `default` unless configured. 1 to 64 characters. */
export const WorkspaceId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'is not a workspace id: 1 to 64 letters, digits, underscores, hyphens');
export type WorkspaceId = z.infer<typeof WorkspaceId>;

/** A right, from general to special: `kb:read`, `sql:read`; `kb:*` covers everything below `kb` (signed context 4.2). */
export const Capability = z
  .string()
  .max(64)
  .regex(/^[a-z0-9_-]+(?::[a-z0-9_-]+)*(?::\*)?$|^\*$/, 'is not a capability such as kb:read');
export type Capability = z.infer<typeof Capability>;
