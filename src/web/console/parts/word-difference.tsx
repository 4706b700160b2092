import { diffWords } from './differences.ts';

/** Two texts as one: what was removed and what was added, word by word. */
export function WordDifference({ before, after }: { before: string; after: string }) {
  return (
    <p class="word-difference">
      {diffWords(before, after).map(({ kind, text }, at) =>
        kind === 'same' ? (
          text
        ) : kind === 'added' ? (
          <ins key={at}>{text}</ins>
        ) : (
          <del key={at}>{text}</del>
        ),
      )}
    </p>
  );
}
