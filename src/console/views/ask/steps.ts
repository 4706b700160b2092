import type { Shortcut } from '../../navigation/shortcuts.ts';

const step = (by: 1 | -1): void => {
  const all = [...document.querySelectorAll<HTMLElement>('.statement')];
  const at = all.findIndex((each) => each.contains(document.activeElement));
  all[at < 0 ? (by === 1 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
};

/** What is meant without a choice: the last answer, and its first statement. */
const lastTurn = (): Element | undefined => [...document.querySelectorAll('.turn')].at(-1);

const showEvidence = (): void => {
  const statement = document.activeElement?.closest('.statement') ?? lastTurn()?.querySelector('.statement');
  statement?.querySelector<HTMLElement>('.chip')?.click();
};

const showTrace = (): void => {
  const turn = document.activeElement?.closest('.turn') ?? lastTurn();
  turn?.querySelector<HTMLElement>('.to-trace')?.click();
};

/** Keys that step through the statements of all answers, and open what is behind them. */
export const STEPS: readonly Shortcut[] = [
  { key: 'j', label: 'shortcuts.next', run: () => step(1) },
  { key: 'k', label: 'shortcuts.previous', run: () => step(-1) },
  { key: 'e', label: 'shortcuts.evidence', run: showEvidence },
  { key: 't', label: 'shortcuts.trace', run: showTrace },
];
