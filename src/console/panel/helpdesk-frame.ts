import { type Signal, signal } from '@preact/signals';

/** The helpdesk around the panel. */
export interface HelpdeskFrame {
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

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

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
  const [origin = '', appGuid = ''] = [query.get('origin'), query.get('app_guid')].map((value) => value ?? '');
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
    setTimeout(() => answer.reject(new Error('Cannot reach Zendesk: it did not answer')), ANSWER_MS);
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
export const connectFrame = ({
  pathname,
  search,
}: Pick<Location, 'pathname' | 'search'>): HelpdeskFrame | undefined => {
  if (pathname === '/panel/chatwoot') return chatwoot();
  return pathname === '/panel/zendesk' ? zendesk(new URLSearchParams(search)) : undefined;
};
