import type { ComponentType } from 'preact';
import type { IconName } from '../parts/button.tsx';
import type { TextKey } from '../texts/texts.ts';

export interface ViewProps {
  /** Parts of the path behind the view's own: `/trace/4f2a` is `['4f2a']`. */
  parts: readonly string[];
  query: URLSearchParams;
}

export interface ViewEntry {
  /** The first part of its path. `/` is the first view. */
  path: string;
  title: TextKey;
  icon: IconName;
  /** Reached only from other views, and not in the rail. */
  isUnlisted?: true;
  /** The one at `/`: its texts are loaded with the frame around all views. */
  isFirst?: true;
  /** Loaded when it is opened. */
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}
