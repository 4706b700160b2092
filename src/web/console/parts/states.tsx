import type { ComponentChildren } from 'preact';
import { ConstellationError } from '../../../../client/constellation-error.ts';
import { missingCapability } from '../session/deployment.ts';
import { PageError } from '../session/loaded.ts';
import { t } from '../texts/texts.ts';
import { Button, CopyButton, Icon, type IconName } from './button.tsx';
import { Problem } from './problem.tsx';

/** What a view shows that has nothing yet: why, and the step that fills it. */
export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="state">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Bars of about the height of what is on its way, so that nothing moves when it arrives. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{t('loading')}</span>
      {Array.from({ length: lines }, () => (
        <i />
      ))}
    </div>
  );
}

const problemOf = ({ code, message, suggestion }: ConstellationError) => ({
  code,
  message,
  suggestion,
});

/** What failed and what to do, the id of the request, and another attempt. A missing right is explained instead. */
export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const missing = missingCapability(error);
  if (missing !== undefined) return <NoRight capability={missing} />;
  const known = error instanceof ConstellationError ? error : undefined;
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        {known !== undefined ? (
          <Problem {...problemOf(known)} />
        ) : (
          <p>{error instanceof PageError ? error.message : t('failure.unexpected')}</p>
        )}
        <div class="row">
          {retry === undefined ? null : (
            <Button icon="retry" onClick={retry}>
              {t('try_again')}
            </Button>
          )}
          {known?.requestId === undefined ? null : (
            <span class="request-id">
              {t('failure.request')} <code>{known.requestId}</code>
              <CopyButton text={() => known.requestId ?? ''} label={t('failure.copy_request')} />
            </span>
          )}
        </div>
      </div>
    </div>
  );
}

/** A view or an action that the key may not use. */
const NoRight = ({ capability }: { capability: string }) => (
  <div class="state">
    <Icon name="shield" />
    <h2>{t('no_right.title')}</h2>
    <p>{t('no_right.text', { capability })}</p>
  </div>
);
