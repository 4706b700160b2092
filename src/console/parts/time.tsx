import { signal } from '@preact/signals';
import { formatAge, formatMoment } from '../texts/texts.ts';

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 15_000);

/** How long ago; the moment itself on hover. */
export const Age = ({ of }: { of: string | number }) => {
  const moment = new Date(of);
  if (Number.isNaN(moment.getTime())) return null;
  return (
    <time dateTime={moment.toISOString()} title={formatMoment(moment)}>
      {formatAge(moment, Math.max(now.value, moment.getTime()))}
    </time>
  );
};
