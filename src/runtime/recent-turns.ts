/** A turn of a conversation as librarians read it from `metadata.history`. */
export interface SpokenTurn {
  speaker: 'user' | 'assistant';
  text: string;
}

/** Bounds of what was said before: turns, characters of each and of all together. */
const MAX_TURNS = 12;
const MAX_TURN = 2000;
const MAX_LENGTH = 12_000;

/** The newest turns that fit the bounds of a question's history, oldest first. */
export const recentTurns = (turns: readonly SpokenTurn[]): SpokenTurn[] => {
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
};
