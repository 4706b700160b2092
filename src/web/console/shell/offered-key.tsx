import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CallerAccess } from '../../../contract/wire/access.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { acceptOfferedKey, credential, offeredKey } from '../session/credential.ts';
import { access, accessOf } from '../session/deployment.ts';
import { t } from '../texts/texts.ts';

/** Asks before the key of a link is used: it decides in whose workspace the reader asks and writes. */
export function OfferedKey() {
  const { value: key } = offeredKey;
  return key === undefined ? null : <Question offered={key} />;
}

const Question = ({ offered }: { offered: string }) => {
  const other = useSignal<CallerAccess | 'none' | undefined>(undefined);
  useEffect(() => {
    accessOf(offered).then(
      (held) => {
        other.value = held;
      },
      () => {
        other.value = 'none';
      },
    );
  }, [offered]);
  const keep = (): void => {
    offeredKey.value = undefined;
  };
  const isSignedIn = credential.value !== undefined;
  return (
    <Dialog title={t('offered_key.title')} onClose={keep}>
      {isSignedIn ? (
        <p>{t('offered_key.now', { workspaces: namesOf(access.value) })}</p>
      ) : (
        <p>{t('offered_key.signed_out')}</p>
      )}
      <p>
        {other.value === 'none'
          ? t('offered_key.unknown')
          : t('offered_key.other', { workspaces: namesOf(other.value) })}
      </p>
      <p>{t('offered_key.warning')}</p>
      <div class="row end">
        <Button kind="primary" onClick={keep}>
          {t(isSignedIn ? 'offered_key.keep' : 'cancel')}
        </Button>
        <Button
          kind="danger"
          disabled={other.value === undefined || other.value === 'none'}
          onClick={acceptOfferedKey}
        >
          {t('offered_key.use')}
        </Button>
      </div>
    </Dialog>
  );
};

const namesOf = (held: CallerAccess | undefined): string => held?.workspaces.join(', ') ?? '…';
