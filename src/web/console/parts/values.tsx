import { signal } from '@preact/signals';
import { formatAge, formatMoment, formatShare } from '../texts/texts.ts';

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 15_000);

/** How long ago; the moment itself on hover. */
export function Age({ of }: { of: string | number }) {
  const moment = new Date(of);
  if (Number.isNaN(moment.getTime())) return null;
  return (
    <time dateTime={moment.toISOString()} title={formatMoment(moment)}>
      {formatAge(moment, Math.max(now.value, moment.getTime()))}
    </time>
  );
}

/** A share, 0 to 1, as a bar and in percent; `line` marks where a threshold is. */
export function Share({ of, line }: { of: number; line?: number }) {
  return (
    <span class={`share ${line === undefined ? '' : of >= line ? 'sure' : 'weak'}`}>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="10" />
        <rect width={of * 100} height="10" />
        {line === undefined ? null : <line x1={line * 100} x2={line * 100} y1="0" y2="10" />}
      </svg>
      <span>{formatShare(of)}</span>
    </span>
  );
}
