import type { ViewEntry } from './shell/view-entry.ts';

/** The views, in the order of the rail. A further one is a line here and a folder in `views/` (docs/console.md). */
export const VIEWS: readonly ViewEntry[] = [
  {
    path: 'home',
    title: 'view.home',
    icon: 'home',
    isFirst: true,
    load: () => import('./views/home/home-view.tsx'),
  },
  { path: 'ask', title: 'view.ask', icon: 'ask', load: () => import('./views/ask/ask-view.tsx') },
  {
    path: 'answers',
    title: 'view.answers',
    icon: 'answers',
    load: () => import('./views/answers/answers-view.tsx'),
  },
  {
    path: 'gaps',
    title: 'view.gaps',
    icon: 'gaps',
    load: () => import('./views/gaps/gaps-view.tsx'),
  },
  {
    path: 'tickets',
    title: 'view.tickets',
    icon: 'tickets',
    load: () => import('./views/tickets/tickets-view.tsx'),
  },
  {
    path: 'checks',
    title: 'view.checks',
    icon: 'checks',
    load: () => import('./views/checks/checks-view.tsx'),
  },
  {
    path: 'knowledge',
    title: 'view.knowledge',
    icon: 'knowledge',
    load: () => import('./views/knowledge/knowledge-view.tsx'),
  },
  {
    path: 'charts',
    title: 'view.charts',
    icon: 'charts',
    load: () => import('./views/charts/charts-view.tsx'),
  },
  {
    path: 'sync',
    title: 'view.sync',
    icon: 'sync',
    load: () => import('./views/sync/sync-view.tsx'),
  },
  {
    path: 'intents',
    title: 'view.intents',
    icon: 'intents',
    load: () => import('./views/intents/intents-view.tsx'),
  },
  {
    path: 'librarians',
    title: 'view.librarians',
    icon: 'librarians',
    load: () => import('./views/librarians/librarians-view.tsx'),
  },
  {
    path: 'operations',
    title: 'view.operations',
    icon: 'operations',
    load: () => import('./views/operations/operations-view.tsx'),
  },
  {
    path: 'settings',
    title: 'view.settings',
    icon: 'settings',
    load: () => import('./views/settings/settings-view.tsx'),
  },
  {
    path: 'trace',
    title: 'view.trace',
    icon: 'trace',
    isUnlisted: true,
    load: () => import('./views/trace/trace-view.tsx'),
  },
  {
    path: 'why',
    title: 'view.why',
    icon: 'why',
    isUnlisted: true,
    load: () => import('./views/why/why-view.tsx'),
  },
  {
    path: 'audit',
    title: 'view.audit',
    icon: 'why',
    isUnlisted: true,
    load: () => import('./views/audit/audit-view.tsx'),
  },
];
