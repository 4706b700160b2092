import * as z from 'zod';

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
