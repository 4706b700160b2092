import type { ErrorInfo } from '../contract/error-info.ts';

/** When a caller may try again, as the error says or as is usual for its code; empty for all other codes. */
export const errorHeaders = ({ code, details }: ErrorInfo): Record<string, string> => {
  const usual = USUAL_SECONDS[code];
  if (usual === undefined) return {};
  const told = details?.retry_after_seconds;
  return {
    'Retry-After': String(typeof told === 'number' && told >= 0 && told <= MAX_SECONDS ? Math.ceil(told) : usual),
  };
};

const USUAL_SECONDS: Partial<Record<ErrorInfo['code'], number>> = { RATE_LIMITED: 60, SERVICE_UNAVAILABLE: 5 };
const MAX_SECONDS = 86_400;
