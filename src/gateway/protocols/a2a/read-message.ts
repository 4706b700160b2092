import { Message, type Part, type SendMessageRequest } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import * as z from 'zod';
import type { RequestMetadata } from '../../../contract/core/ask.ts';
import { describeIssues, readAs } from '../../../contract/core/error-info.ts';
import { LibrarianId, MemoryId, Query } from '../../../contract/core/names.ts';
import { readRequest } from '../../../contract/core/read-request.ts';
import { A2aMessage } from '../../../contract/wire/a2a.ts';

/** The question in an A2A message, and the ids that it belongs to. */
export interface ReadMessage {
  messageId: string;
  contextId: string | undefined;
  taskId: string | undefined;
  query: string;
  librarian: string | undefined;
  personId: string | undefined;
  /** All metadata except `librarian`. */
  metadata: RequestMetadata;
}

/** Media types that a question may have; a part without one is plain text. */
export const INPUT_MODES = ['text/plain', 'text/markdown'];

/**
 * Reads the question of a message: its text parts, and the librarian and person that its metadata names.
 *
 * @throws {ContentTypeNotSupportedError} For a part that is not text. Checked first, so that it is the error of a message with more than
 * one fault.
 * @throws {RequestMalformedError} For anything else that the protocol or a question does not allow.
 */
export function readMessage({ message }: SendMessageRequest): ReadMessage {
  if (message === undefined) throw malformed('message: is missing');
  for (const part of message.parts) refuseOtherTypes(part);
  const read = readAs(A2aMessage, Message.toJSON(message));
  if (!read.ok) throw malformed(describeIssues(read.issues));
  const { messageId, contextId, taskId, parts, metadata = {} } = read.value;
  const { librarian, ...others } = metadata;
  const question = readRequest(Question, {
    query: parts.map(({ text = '' }) => text).join('\n\n'),
    librarian,
    person_id: metadata.person_id,
  });
  if (!question.ok) throw malformed(describeIssues(question.issues));
  const { query, person_id: personId } = question.value;
  return {
    messageId,
    contextId,
    taskId,
    query,
    personId,
    librarian: question.value.librarian,
    metadata: others,
  };
}

const Question = z.object({
  query: Query,
  librarian: LibrarianId.optional(),
  person_id: MemoryId.optional(),
});

const refuseOtherTypes = ({ content, mediaType }: Part): void => {
  const isText = content === undefined || content.$case === 'text';
  if (isText && (mediaType === '' || INPUT_MODES.includes(withoutParameters(mediaType)))) return;
  throw new ContentTypeNotSupportedError(
    `Cannot read a part of the message: only ${INPUT_MODES.join(' and ')} are supported`,
  );
};

/** Without parameters such as the charset. */
export function withoutParameters(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

/** The protocol's error for a malformed request. */
export function malformed(problem: string): RequestMalformedError {
  return new RequestMalformedError(`Cannot read the request: ${problem}`);
}
