import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { shortcutsAre } from '../session/preferences.ts';
import type { TextKey } from '../texts/texts.ts';

export interface Shortcut {
  /** As `KeyboardEvent.key` says it: `/`, `j`. */
  key: string;
  label: TextKey;
  run: () => void;
}

/** All that work now, those of the view behind those of the shell. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Makes shortcuts work while the component is shown. They stay the same as long as it is. */
export function useShortcuts(added: readonly Shortcut[]): void {
  useEffect(() => {
    shortcuts.value = [...shortcuts.value, ...added];
    return () => {
      shortcuts.value = shortcuts.value.filter((each) => !added.includes(each));
    };
  }, []);
}

/** Runs shortcuts, except while something is typed or a dialog is open. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (
      shortcutsAre.value === 'off' ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented
    )
      return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (
      target.matches('input, textarea, select, [contenteditable]') ||
      document.querySelector('dialog[open]') !== null
    )
      return;
    const shortcut = shortcuts.value.findLast(({ key }) => key === event.key);
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.run();
  });
}
