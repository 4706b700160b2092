import type { ConstellationErrorCode } from '../../../../client/constellation-error.ts';
import { t } from '../texts/texts.ts';

interface ProblemProps {
  code: ConstellationErrorCode;
  /** What the product said, in English. */
  message: string;
  suggestion?: string | undefined;
}

/** What failed and what to do, in the reader's language; what the product said is folded, unless it names what has to be entered otherwise. */
export function Problem({ code, message, suggestion }: ProblemProps) {
  const key = `failure.${code}` as const;
  const text = t(key);
  return (
    <>
      {/* A librarian of others may report a code that is not one of ours. */}
      <p>{text === key ? t('failure.unexpected') : text}</p>
      <details class="small" open={code === 'INVALID_QUERY'}>
        <summary>{t('failure.details')}</summary>
        <p class="quiet">
          <code>{code}</code> {message} {suggestion}
        </p>
      </details>
    </>
  );
}
