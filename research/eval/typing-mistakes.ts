import { STOP_WORDS } from '../../src/language/analyse-text.ts';

/** Gives each content word of a text, with this probability, one mistake: a letter added, dropped, changed or swapped. */
export function withTypingMistakes(text: string, share: number, random: () => number): string {
  return text.replace(/[A-Za-z]{2,}/g, (word) =>
    STOP_WORDS.has(word.toLowerCase()) || random() >= share ? word : misspell(word, random),
  );
}

const misspell = (word: string, random: () => number): string => {
  const at = Math.floor(random() * word.length);
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  switch (Math.floor(random() * 4)) {
    case 0:
      return word.slice(0, at) + letter + word.slice(at);
    case 1:
      return word.slice(0, at) + word.slice(at + 1);
    case 2:
      return word.slice(0, at) + letter + word.slice(at + 1);
    default: {
      const first = Math.min(at, word.length - 2);
      return (
        word.slice(0, first) + word.charAt(first + 1) + word.charAt(first) + word.slice(first + 2)
      );
    }
  }
};
