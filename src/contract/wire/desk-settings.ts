import * as z from 'zod';

/** How drafts sound: `neutral` is the words of the templates. */
export const DraftTone = z.enum(['neutral', 'friendly', 'formal']);
export type DraftTone = z.infer<typeof DraftTone>;

/** How the drafts of a workspace are written: `GET` and `PUT /v1/support/settings`. */
export const DeskSettings = z.strictObject({
  tone: DraftTone.default('neutral'),
  /** What a model observes when it writes a draft, in the team's words: "Call customers members." Empty: nothing. */
  hint: z.string().trim().max(300).default(''),
});
export type DeskSettings = z.infer<typeof DeskSettings>;
