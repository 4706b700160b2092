import type { ErrorCode } from '../../../contract/error-info.ts';

/** Why there is no answer, as the end of a sentence: "No answer from weather: ...". In our words, not those of the librarian. */
export const WHY_MISSING = {
  INVALID_QUERY: 'it could not make sense of the question',
  UNAUTHORIZED: 'it may not be asked this',
  NOT_FOUND: 'it has nothing on this',
  RATE_LIMITED: 'it takes no more questions right now',
  INTERNAL_ERROR: 'something went wrong there',
  TIMEOUT: 'it did not answer in time',
  SERVICE_UNAVAILABLE: 'it is not available',
  DELEGATION_FAILED: 'no usable answer came back',
  LOOP_DETECTED: 'the question had already passed through it',
  MAX_DEPTH_EXCEEDED: 'the question had passed through too many librarians',
  AI_UNAVAILABLE: 'its language model could not be reached',
  DATA_SOURCE_ERROR: 'its source could not be read',
} satisfies Record<ErrorCode, string>;
