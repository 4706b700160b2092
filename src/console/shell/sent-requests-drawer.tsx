import { useSignal } from '@preact/signals';
import { CopyButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Age } from '../parts/time.tsx';
import { asCurl, asMcp, asTypeScript } from '../session/request-forms.ts';
import { isSame, type SentRequest, sentRequests } from '../session/sent-requests.ts';
import { t } from '../texts/texts.ts';

const FORMS = ['curl', 'typescript', 'mcp'] as const;

/** What the view has asked the public API, to be repeated from a terminal, a program or an assistant. */
export const SentRequestsDrawer = ({ onClose }: { onClose: () => void }) => {
  const requests = sentRequests.value;
  const chosen = useSignal<SentRequest | undefined>(requests[0]);
  const request = requests.find((each) => isSame(each, chosen.value));
  return (
    <Dialog title={t('requests.title')} isDrawer onClose={onClose}>
      <p class="quiet">{t('requests.text')}</p>
      {requests.length === 0 ? <p>{t('requests.none')}</p> : null}
      <ul class="requests">
        {requests.map((each) => (
          <li key={`${each.sentAt}${each.path}`}>
            <button
              type="button"
              aria-pressed={each === request}
              onClick={() => {
                chosen.value = each;
              }}
            >
              <code>{each.route}</code>
              <span class="quiet small">
                {each.status === 0 ? t('requests.unanswered') : (each.status ?? t('requests.pending'))} ·{' '}
                <Age of={each.sentAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {request === undefined ? null : <Forms request={request} />}
    </Dialog>
  );
};

const Forms = ({ request }: { request: SentRequest }) => {
  const form = useSignal<(typeof FORMS)[number]>('curl');
  const { origin } = location;
  const text = {
    curl: () => asCurl(request, origin),
    typescript: () => asTypeScript(request, origin),
    mcp: () => asMcp(request, origin),
  }[form.value]();
  return (
    <section class="forms">
      <div class="row between">
        <div class="row" role="tablist" aria-label={t('requests.form')}>
          {FORMS.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`form-${each}`}
              aria-selected={each === form.value}
              aria-controls="form"
              class="tab"
              onClick={() => {
                form.value = each;
              }}
            >
              {t(`requests.${each}`)}
            </button>
          ))}
        </div>
        {text === undefined ? null : <CopyButton text={() => text}>{t('copy')}</CopyButton>}
      </div>
      <div id="form" role="tabpanel" aria-labelledby={`form-${form.value}`}>
        {text === undefined ? (
          <p class="quiet">{t('requests.no_tool')}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          <pre tabIndex={0}>{text}</pre>
        )}
      </div>
      {request.requestId === undefined ? null : (
        <p class="request-id">
          {t('failure.request')} <code>{request.requestId}</code>
          <CopyButton text={() => request.requestId ?? ''} label={t('failure.copy_request')} />
        </p>
      )}
    </section>
  );
};
