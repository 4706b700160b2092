/** What became of the model that was to write a draft. */
export interface ModelAccount {
  model: string;
  /** Why the draft is without its words, in a sentence's end for people; undefined where it wrote. */
  refused: string | undefined;
}
