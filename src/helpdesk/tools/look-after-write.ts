import { HelpdeskFailed } from '../helpdesk-tool.ts';

/**
 * The id of a note whose write was answered without it.
 *
 * @param find Looks for the note in the ticket.
 * @throws {HelpdeskFailed} Unclear whatever happens: the note was taken, and to write it again would make two.
 */
export const lookAfterWrite = async (tool: string, find: () => Promise<string | undefined>): Promise<string> => {
  const failed = (problem: string, cause?: unknown) =>
    new HelpdeskFailed(`Cannot write a note in ${tool}: ${problem}`, {
      isPassing: true,
      isUnclear: true,
      retryAfterMs: cause instanceof HelpdeskFailed ? cause.retryAfterMs : undefined,
      cause,
    });
  const id = await find().catch((cause: unknown) => {
    throw failed('its reply does not name the note, and the ticket cannot be read', cause);
  });
  if (id === undefined) throw failed('the ticket does not show it');
  return id;
};
