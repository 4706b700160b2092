import { useSignal } from '@preact/signals';
import type { LibrarianDescription } from '../../../contract/librarian-directory.ts';
import { type Check, checkReceipt, type Hop } from '../../answers/hops.ts';
import { Button, CopyButton } from '../../parts/button.tsx';
import { call } from '../../session/deployment.ts';
import { count, formatDollars, formatMoment, formatNumber, t } from '../../texts/texts.ts';

/** What the signed link and the receipt of a hop say, and a check of the receipt in this browser. */
export const HopDetails = ({ hop: { hop, link, receipt } }: { hop: Hop }) => {
  const check = useSignal<Check | 'unreachable' | undefined>(undefined);
  const verify = async (): Promise<void> => {
    const described = await call<LibrarianDescription>(`GET /librarians/${hop.to}`, { keys: 'objects' }).catch(
      () => undefined,
    );
    check.value = described === undefined ? 'unreachable' : await checkReceipt(hop.receipt ?? '', described.keys);
  };
  return (
    <div class="hop-details">
      <dl>
        <Fact label={t('trace.span')} value={hop.spanId} />
        <Fact label={t('trace.operation')} value={link?.op} />
        <Fact label={t('trace.deadline')} value={moment(link?.exp)} />
        <Fact label={t('trace.answered_at')} value={moment(receipt?.iat)} />
        <Fact label={t('trace.status')} value={receipt?.st?.toString()} />
        <Fact label={t('trace.spent')} value={receipt?.use === undefined ? undefined : spent(receipt.use)} />
      </dl>
      {hop.receipt === undefined ? null : (
        <>
          <p class="row">
            <Button icon="shield" onClick={verify}>
              {t('trace.check')}
            </Button>
            <CopyButton text={() => hop.receipt ?? ''}>{t('trace.copy_receipt')}</CopyButton>
            <span role="status" class={check.value === 'valid' ? 'support sure' : 'support weak'}>
              {check.value === undefined ? null : t(`trace.check_${check.value}`)}
            </span>
          </p>
          <details>
            <summary class="small">{t('trace.signed')}</summary>
            <pre>{JSON.stringify({ link, receipt }, null, 2)}</pre>
          </details>
        </>
      )}
    </div>
  );
};

const moment = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : formatMoment(new Date(seconds * 1000));

/** `3 calls, 1,200 tokens, $0.05`; amounts of another name as they are called on the wire. */
export const amountsText = (amounts: Readonly<Record<string, number>>): string =>
  Object.entries(amounts)
    .map(([name, amount]) => {
      if (name === 'cost_micros') return formatDollars(amount / 1_000_000);
      if (name === 'calls' || name === 'tokens') return count(`trace.${name}`, amount);
      return `${formatNumber(amount)} ${name.replaceAll('_', ' ')}`;
    })
    .join(', ');

/** What was not spent is left out. */
const spent = (amounts: Readonly<Record<string, number>>): string =>
  amountsText(Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0))) || t('trace.nothing');

const Fact = ({ label, value }: { label: string; value: string | undefined }) =>
  value === undefined ? null : (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </div>
  );
