import type { DirectoryEntry } from './key-directory.ts';

/** Our own functions and the contexts that each may start. `npm run new` adds a line. */
export const LOCAL_LIBRARIANS: Record<string, Omit<DirectoryEntry, 'keys'>> = {
  gateway: { origin: ['user', 'anon'], ws: ['*'] },
  webhooks: { origin: ['svc'], ws: ['*'], cap: ['support:analyze', 'helpdesk:write', 'kb:read', 'kb:write'] },
  library: { origin: ['svc'], ws: ['*'], cap: ['kb:read', 'kb:write'] },
  navigator: {},
  semantic: {},
  analytics: {},
  'web-search': {},
  hybrid: {},
  support: { origin: ['svc'], ws: ['*'], cap: ['kb:read'] },
  sources: {},
  memory: {},
};
