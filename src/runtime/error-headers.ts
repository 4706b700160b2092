import type { ErrorInfo } from '../contract/error-info.ts';

/** `Retry-After` from the error's details or the default of its code; empty for all other codes. */
export const errorHeaders = ({ code, details }: ErrorInfo): Record<string, string> => {
  const usual = USUAL_SECONDS[code];
  if (usual === undefined) return {};
  const requested = details?.retry_after_seconds;
  return {
    'Retry-After': String(
      typeof requested === 'number' && requested >= 0 && requested <= MAX_SECONDS ? Math.ceil(requested) : usual,
    ),
  };
};

const USUAL_SECONDS: Partial<Record<ErrorInfo['code'], number>> = {
  RATE_LIMITED: 60,
  SERVICE_UNAVAILABLE: 5,
  AI_UNAVAILABLE: 5,
};
const MAX_SECONDS = 86_400;
