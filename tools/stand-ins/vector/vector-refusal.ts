const DEFAULT_MESSAGES: Record<number, string> = {
  401: 'Unauthorized: Invalid auth token',
  403: 'Forbidden: this token may only read',
  404: 'Not found',
  405: 'Method not allowed',
  429: 'Exceeded daily query limit',
  503: 'Service unavailable',
};

/** The service refuses a request. */
export class VectorRefusal extends Error {
  override readonly name = 'VectorRefusal';
  readonly status: number;

  constructor(status: number, message = messageOf(status)) {
    super(message);
    this.status = status;
  }
}

const messageOf = (status: number): string => DEFAULT_MESSAGES[status] ?? 'Internal error';

/** What the service sends with a status. */
export function refusalBody(status: number, message = messageOf(status)) {
  return { error: message, status };
}
