import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/issue.ts';
import { CodedError } from '../../runtime/error-info-of.ts';

/** What the semantic agent takes besides the question; other members are not its own. */
const SemanticOptions = z.object({
  /** Below this similarity nothing is taken, 0 to 1; 0.7 as in seed 003 when absent. */
  similarity_threshold: z.number().min(0).max(1).default(0.7),
  /** Documents at most, 1 to 50. */
  limit: z.int().min(1).max(50).default(10),
});
export type SemanticOptions = z.infer<typeof SemanticOptions>;

/** @throws {CodedError} INVALID_QUERY for a value that is out of range. */
export const readSemanticOptions = (options: Readonly<Record<string, unknown>>): SemanticOptions => {
  const read = readAs(SemanticOptions, options);
  if (read.ok) return read.value;
  throw new CodedError('INVALID_QUERY', 'an option is out of range', {
    told: {
      message: `Cannot read the options: ${describeIssues(read.issues)}`,
      suggestion: 'Give similarity_threshold from 0 to 1 and limit from 1 to 50, or leave them out',
    },
  });
};
