import { type Signal, signal, useSignal } from '@preact/signals';
import { render } from 'preact';
import { ConstellationError } from '../../../client/constellation-error.ts';
import { Feedback } from '../console/answers/feedback.tsx';
import { Button, CopyButton } from '../console/parts/button.tsx';
import { Empty, Failure, Loading } from '../console/parts/states.tsx';
import { Share } from '../console/parts/values.tsx';
import { credential, isRefused, restoreCredential } from '../console/session/credential.ts';
import { client } from '../console/session/deployment.ts';
import { useLoaded } from '../console/session/loaded.ts';
import { SignIn } from '../console/shell/sign-in.tsx';
import { intentTitle } from '../console/support/intent-titles.ts';
import { ShownDraft } from '../console/support/shown-draft.tsx';
import { loadTexts, loadTextsOfViews, t } from '../console/texts/texts.ts';

/** Shows the draft of the ticket that the helpdesk around this page shows. The key is never part of the address. */
export async function showPanel(root: HTMLElement): Promise<void> {
  restoreCredential();
  await loadTexts();
  await loadTextsOfViews();
  document.title = t('panel.title');
  const frame = parent === window ? undefined : connectFrame(location);
  render(<Panel frame={frame} />, root);
}

const Panel = ({ frame }: { frame: HelpdeskFrame | undefined }) => (
  <main class="panel">
    <h1>{t('panel.title')}</h1>
    <Contents frame={frame} />
  </main>
);

const Contents = ({ frame }: { frame: HelpdeskFrame | undefined }) => {
  if (frame === undefined) return <Empty icon="warning" title={t('panel.outside')} />;
  if (credential.value === undefined || isRefused.value)
    return <SignIn keyText={t('panel.sign_in')} />;
  const ticketId = frame.ticketId.value;
  if (ticketId === undefined) return <Empty icon="tickets" title={t('panel.no_ticket')} />;
  return <Draft key={ticketId} frame={frame} ticketId={ticketId} />;
};

const Draft = ({ frame, ticketId }: { frame: HelpdeskFrame; ticketId: string }) => {
  const { helpdesk } = frame;
  const query = { helpdesk, ticket_id: ticketId };
  const { value, failure, isLoading, load } = useLoaded(
    (signal) => client.tickets.draft(query, { signal }),
    [helpdesk, ticketId],
  );
  if (failure instanceof ConstellationError && failure.code === 'NOT_FOUND')
    return (
      <Empty icon="tickets" title={t('panel.no_draft')}>
        <p>{t('panel.no_draft_text')}</p>
        <Button icon="retry" onClick={load}>
          {t('try_again')}
        </Button>
      </Empty>
    );
  if (failure !== undefined) return <Failure error={failure} retry={load} />;
  if (value === undefined || isLoading) return <Loading lines={8} />;
  return (
    <>
      <p class="row small">
        <span class="quiet">{t('analysis.intent')}</span> {intentTitle(value.intent)}{' '}
        <Share of={value.confidence} />
      </p>
      {value.risks.length === 0 ? null : (
        <div class="banner small">
          <strong>{t('analysis.risks')}</strong>
          <ul>
            {value.risks.map((risk) => (
              <li key={risk}>{risk}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="row">
        <Insert frame={frame} text={value.text} />
        <CopyButton text={() => value.text}>{t('analysis.copy')}</CopyButton>
      </div>
      <ShownDraft draft={value} raisedBy={2} />
      <p class="quiet small">{t('panel.helped')}</p>
      <Feedback
        key={value.id}
        before={value.feedback?.value}
        give={(feedback) => client.tickets.feedback({ ...query, ...feedback })}
      />
    </>
  );
};

const Insert = ({ frame: { insert }, text }: { frame: HelpdeskFrame; text: string }) => {
  const state = useSignal<'ready' | 'inserted' | 'failed'>('ready');
  if (insert === undefined) return null;
  const put = (): void =>
    void insert(text).then(
      () => {
        state.value = 'inserted';
      },
      () => {
        state.value = 'failed';
      },
    );
  return (
    <>
      <Button kind="primary" onClick={put}>
        {t('panel.insert')}
      </Button>
      <span class="small" role="status">
        {state.value === 'ready' ? '' : t(`panel.${state.value}`)}
      </span>
    </>
  );
};

/** The helpdesk around the panel. */
interface HelpdeskFrame {
  helpdesk: string;
  /** The ticket that the agent looks at; undefined until the helpdesk says which. */
  ticketId: Signal<string | undefined>;
  /** Puts a text into the agent's reply; absent where a helpdesk lets no page do that. Rejects when it was refused. */
  insert?: (text: string) => Promise<void>;
}

/** Only the frame around this page may speak to it; the policy of the page decides which origins that can be. */
const onMessage = (take: (message: Record<string, unknown>) => void, origin?: string): void =>
  addEventListener('message', ({ source, data, origin: from }) => {
    if (source !== parent || (origin !== undefined && from !== origin)) return;
    const message = typeof data === 'string' ? parsed(data) : data;
    if (isRecord(message)) take(message);
  });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const ID = /^[\w-]{1,200}$/;

const idOf = (value: unknown): string | undefined => {
  const id = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return ID.test(id) ? id : undefined;
};

/** Chatwoot tells a dashboard app its conversation when asked, and again when the agent opens another one. */
const chatwoot = (): HelpdeskFrame => {
  const ticketId = signal<string | undefined>(undefined);
  onMessage(({ event, data }) => {
    if (event !== 'appContext' || !isRecord(data) || !isRecord(data.conversation)) return;
    ticketId.value = idOf(data.conversation.id) ?? ticketId.value;
  });
  parent.postMessage('chatwoot-dashboard-app:fetch-info', '*');
  return { helpdesk: 'chatwoot', ticketId };
};

const ANSWER_MS = 5000;

/**
 * The part of Zendesk's app framework that the panel needs, as its client 2.0 speaks: the client itself is a script of another origin,
 * which the policy of the page forbids. Zendesk opens the page with `?origin=…&app_guid=…`.
 */
const zendesk = (query: URLSearchParams): HelpdeskFrame => {
  const ticketId = signal<string | undefined>(undefined);
  const [origin = '', appGuid = ''] = [query.get('origin'), query.get('app_guid')].map(
    (value) => value ?? '',
  );
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  const post = (message: object): void => {
    const target = URL.canParse(origin) ? origin : location.origin;
    parent.postMessage(JSON.stringify({ ...message, appGuid, instanceGuid: appGuid }), target);
  };
  let last = 0;
  const ask = (request: 'get' | 'invoke', params: object): Promise<Record<string, unknown>> => {
    last += 1;
    const id = last;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(id, answer);
    setTimeout(
      () => answer.reject(new Error('Cannot reach Zendesk: it did not answer')),
      ANSWER_MS,
    );
    post({ id, request, params });
    return answer.promise.finally(() => waiting.delete(id));
  };
  const readTicket = (): void =>
    void ask('get', ['ticket.id']).then(
      (result) => {
        ticketId.value = idOf(result['ticket.id']);
      },
      () => undefined,
    );
  onMessage(({ id, key, result, error }) => {
    if (key === 'zaf.app.registered' || key === 'zaf.app.activated') return readTicket();
    const answer = typeof id === 'number' ? waiting.get(id) : undefined;
    if (error === undefined && isRecord(result)) answer?.resolve(result);
    else answer?.reject(new Error('Cannot do this in Zendesk: it refused'));
  }, origin);
  post({ key: 'iframe.handshake', message: { version: '2.0.9' } });
  post({ key: 'iframe.on:app.activated', message: { subscriberCount: 1 } });
  return {
    helpdesk: 'zendesk',
    ticketId,
    insert: async (text) => {
      const { errors } = await ask('invoke', { 'ticket.comment.appendText': [text] });
      if (isRecord(errors) && Object.keys(errors).length > 0)
        throw new Error('Cannot insert the draft: Zendesk refused');
    },
  };
};

/** The helpdesk that `/panel/{helpdesk}` is for; undefined for one without a panel. */
const connectFrame = ({
  pathname,
  search,
}: Pick<Location, 'pathname' | 'search'>): HelpdeskFrame | undefined => {
  if (pathname === '/panel/chatwoot') return chatwoot();
  return pathname === '/panel/zendesk' ? zendesk(new URLSearchParams(search)) : undefined;
};
