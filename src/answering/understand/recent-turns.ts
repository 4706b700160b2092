import * as z from 'zod';

/** A turn of a conversation as librarians read it from `metadata.history`. */
export interface SpokenTurn {
  speaker: 'user' | 'assistant';
  text: string;
}

/** Earlier turns of a conversation, oldest first, in the `history` of a question's metadata. */
export const History = z
  .array(
    z.object({
      speaker: z.enum(['user', 'assistant']),
      text: z.string().max(8000),
      /** Id of the librarian that answered, if known. */
      librarian: z.string().max(64).optional(),
    }),
  )
  .max(20);

/** Bounds of what was said before: turns, characters of each and of all together. */
const MAX_TURNS = 12;
const MAX_TURN = 2000;
const MAX_LENGTH = 12_000;

/** The newest turns that fit the bounds of a question's history, oldest first. */
export function recentTurns(turns: readonly SpokenTurn[]): SpokenTurn[] {
  let room = MAX_LENGTH;
  return turns
    .slice(-MAX_TURNS)
    .toReversed()
    .map(({ speaker, text }) => ({ speaker, text: text.slice(0, MAX_TURN) }))
    .filter(({ text }) => {
      room -= text.length;
      return room >= 0;
    })
    .toReversed();
}
