import type { DirectoryEntry } from './key-directory.ts';

/** Our own functions, the contexts that each may start, and the most capabilities that each holds. `npm run new` adds a line. */
export const LOCAL_LIBRARIANS: Record<string, Omit<DirectoryEntry, 'keys'>> = {
  gateway: { origin: ['user', 'anon'], ws: ['*'] },
  webhooks: {
    origin: ['svc'],
    ws: ['*'],
    cap: ['support:analyze', 'helpdesk:read', 'helpdesk:write', 'helpdesk:requests:write', 'kb:read', 'kb:write'],
  },
  library: { origin: ['svc'], ws: ['*'], cap: ['kb:read', 'kb:write'] },
  navigator: { cap: ['kb:read', 'kb:editions:read'] },
  semantic: { cap: ['kb:read'] },
  analytics: { cap: ['sql:read'] },
  'web-search': { cap: ['web:search'] },
  hybrid: { cap: ['kb:read', 'sql:read', 'web:search'] },
  support: {
    origin: ['svc'],
    ws: ['*'],
    cap: ['support:analyze', 'support:taxonomy:write', 'support:gaps:write', 'kb:read'],
  },
  sources: { cap: ['kb:read'] },
  memory: {
    cap: [
      ...['memory:read', 'memory:write', 'memory:turns:write', 'memory:restore', 'memory:restore:write'],
      ...['answers:read', 'answers:write', 'answers:keep:write', 'answers:feedback:write'],
    ],
  },
};
