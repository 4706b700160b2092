import { wordsOf } from '../text/analyse-text.ts';
import { stem } from '../text/stem.ts';

/** The content words of a text as stems, each once, in order: how words of a search and of memories are compared. */
export const stemsOf = (text: string): string[] => [...new Set(wordsOf(text).map(stem))];
