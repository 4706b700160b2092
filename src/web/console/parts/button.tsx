import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { t } from '../texts/texts.ts';
import shapes from './icon-shapes.json' with { type: 'json' };

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon'> {
  icon?: IconName | undefined;
  kind?: 'plain' | 'primary' | 'quiet' | 'danger';
  children?: ComponentChildren;
}

/** A button; one that shows its icon alone has a `label`. */
export function Button({
  icon,
  kind = 'plain',
  label,
  children,
  ...rest
}: ButtonProps & { label?: string }) {
  return (
    <button type="button" class={`button ${kind}`} aria-label={label} title={label} {...rest}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children === undefined ? null : <span>{children}</span>}
    </button>
  );
}

const SHOWN_MS = 2000;

/** Copies a text, and says whether that worked. */
export function CopyButton({
  text,
  children,
  label,
}: {
  text: () => string;
  children?: ComponentChildren;
  label?: string;
}) {
  const state = useSignal<'ready' | 'copied' | 'failed'>('ready');
  const copy = async (): Promise<void> => {
    state.value = await navigator.clipboard.writeText(text()).then(
      () => 'copied' as const,
      () => 'failed' as const,
    );
    setTimeout(() => {
      state.value = 'ready';
    }, SHOWN_MS);
  };
  const said = { ready: children, copied: t('copied'), failed: t('copy_failed') }[state.value];
  return (
    <Button
      kind="quiet"
      icon={state.value === 'copied' ? 'check' : 'copy'}
      {...(label === undefined ? {} : { label })}
      onClick={copy}
    >
      {said}
    </Button>
  );
}

export type IconName = keyof typeof shapes;

/** A drawing of 24 by 24 that has no meaning of its own: a text beside it or the label of its button says what it is. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}
