import type { ViewEntry } from './shell/view-entry.ts';

/** The views, in the order of the rail. A further one is a line here and a folder in `views/` (docs/console.md). */
export const VIEWS: readonly ViewEntry[] = [
  { path: 'ask', title: 'view.ask', icon: 'ask', load: () => import('./views/ask/ask-view.tsx') },
  {
    ...{ path: 'trace', title: 'view.trace', icon: 'trace', isUnlisted: true },
    load: () => import('./views/trace/trace-view.tsx'),
  },
  {
    ...{ path: 'why', title: 'view.why', icon: 'why', isUnlisted: true },
    load: () => import('./views/why/why-view.tsx'),
  },
];
