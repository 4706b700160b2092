import { MAX_STATEMENTS, type Progress, type ProgressEvent, type Statement } from '../contract/ask.ts';

/** The finished parts of an answer that is sent as a stream. */
export interface AnswerParts {
  /** Whether no part was sent, or all were withdrawn. */
  isEmpty(): boolean;
  /** Sends a finished part. Parts beyond `MAX_STATEMENTS` are only in the final reply. */
  add(part: Statement & { librarian?: string | undefined }): void;
  /** Withdraws all parts sent so far: the final answer does not contain them. */
  withdraw(reason: string): void;
  /** Names the librarians that are asked for the parts. */
  routed(librarians: Extract<ProgressEvent, { type: 'routing' }>['librarians']): void;
}

/** Sends the parts in the order in which they are finished. */
export const answerParts = (progress: Progress): AnswerParts => {
  let next = 0;
  let sent: { index: number; text: string }[] = [];
  return {
    isEmpty: () => sent.length === 0,
    add: (part) => {
      if (next >= MAX_STATEMENTS) return;
      sent.push({ index: next, text: part.text.slice(0, 1000) });
      progress({ type: 'statement', index: next, ...part });
      next += 1;
    },
    withdraw: (reason) => {
      for (const { index, text } of sent) progress({ type: 'removed', index, text, reason });
      sent = [];
    },
    routed: (librarians) => progress({ type: 'routing', librarians }),
  };
};
