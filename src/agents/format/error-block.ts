import type { ErrorBlock } from '../../contract/display-model.ts';
import { ErrorCode } from '../../contract/error-info.ts';
import { memberOf, textMemberOf } from './members.ts';
import { oneLine } from './plain-text.ts';

/** Why there is no answer; the message and the suggestion are read as plain text. */
export const errorBlock = (message: string | undefined, metadata: unknown): ErrorBlock => {
  const code = ErrorCode.safeParse(memberOf(metadata, 'error_code'));
  const suggestion = textMemberOf(metadata, 'suggestion');
  const recoverable = memberOf(metadata, 'recoverable');
  return {
    kind: 'error',
    message: oneLine(message ?? '', 2000) || 'This part could not be answered.',
    ...(code.success ? { code: code.data } : {}),
    ...(suggestion === undefined ? {} : { suggestion: oneLine(suggestion, 1000) }),
    ...(typeof recoverable === 'boolean' ? { recoverable } : {}),
  };
};
