import type { DirectoryEntry } from './key-directory.ts';

/**
 * The key directory of a developer's machine without its keys: our own functions that take or send signed calls. `origin`: for whom each
 * may start a context (a user, an anonymous user, a service); `ws`: in which workspaces; `cap`: the capabilities that it may get.
 * `npx constellation new` adds a line.
 */
export const LOCAL_LIBRARIANS: Record<string, Omit<DirectoryEntry, 'keys'>> = {
  gateway: { origin: ['user', 'anon'], ws: ['*'] },
  webhooks: {
    origin: ['svc'],
    ws: ['*'],
    cap: [
      'support:analyze',
      'helpdesk:read',
      'helpdesk:write',
      'helpdesk:requests:write',
      'kb:read',
      'kb:write',
    ],
  },
  library: { origin: ['svc'], ws: ['*'], cap: ['kb:read', 'kb:write'] },
  navigator: {
    origin: ['svc'],
    ws: ['*'],
    cap: ['kb:read', 'kb:editions:read', 'kb:checks:write'],
  },
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
      'memory:read',
      'memory:write',
      'memory:turns:write',
      'memory:restore',
      'memory:restore:write',
      'answers:read',
      'answers:write',
      'answers:keep:write',
      'answers:feedback:write',
      'audit:read',
      'audit:keep:write',
    ],
  },
};
