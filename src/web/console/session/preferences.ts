import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
type Density = 'comfortable' | 'compact';

/** A choice that this browser remembers. */
const remembered = <Value extends string>(name: string, values: readonly [Value, ...Value[]]) => {
  const stored = localStorage.getItem(name);
  const choice = signal<Value>(values.find((value) => value === stored) ?? values[0]);
  effect(() => localStorage.setItem(name, choice.value));
  return choice;
};

export const theme = remembered<Theme>('constellation.theme', ['system', 'light', 'dark']);
export const density = remembered<Density>('constellation.density', ['comfortable', 'compact']);
export const shortcutsAre = remembered<'on' | 'off'>('constellation.shortcuts', ['on', 'off']);

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
