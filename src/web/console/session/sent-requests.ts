import { signal } from '@preact/signals';

/** A request that this page has sent, for "show request". */
export interface SentRequest {
  route: string;
  path: string;
  body: unknown;
  accept: string;
  status: number | undefined;
  requestId: string | undefined;
  sentAt: number;
}

const MAX_SENT = 30;

/** Newest first. */
export const sentRequests = signal<readonly SentRequest[]>([]);

/** Whether the last request reached the deployment. */
export const isReachable = signal(true);

/** The platform's fetch, which notes whether requests arrive, and what was sent for the view that is looked at. */
export function recordingFetch({ isShown }: { isShown: boolean }): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const request: SentRequest = {
      route: `${init.method ?? 'GET'} ${url.pathname}`,
      path: url.pathname + url.search,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      accept: new Headers(init.headers).get('accept') ?? '',
      status: undefined,
      requestId: undefined,
      sentAt: Date.now(),
    };
    if (isShown) sentRequests.value = [request, ...sentRequests.value].slice(0, MAX_SENT);
    const ended = (change: Partial<SentRequest>): void => {
      sentRequests.value = sentRequests.value.map((each) =>
        isSame(each, request) ? { ...each, ...change } : each,
      );
    };
    try {
      const response = await fetch(url, init);
      isReachable.value = true;
      ended({
        status: response.status,
        requestId: response.headers.get('x-request-id') ?? undefined,
      });
      return response;
    } catch (error) {
      // Leaving a stream is no failure of the connection.
      if (init.signal?.aborted !== true) isReachable.value = false;
      ended({ status: 0 });
      throw error;
    }
  };
}

export function isSame(one: SentRequest, other: SentRequest | undefined): boolean {
  return one.sentAt === other?.sentAt && one.path === other.path;
}
