import { oncePer } from '../../runtime/once-per.ts';
import type { Edition } from '../../search/open-edition.ts';
import { detectLanguage } from '../../text/detect-language.ts';

/**
 * Whether a text is known to be in another language than the articles: its words are missing in all of them, and say nothing of what those
 * cover.
 */
export const isForeignTo = (edition: Edition, text: string | undefined): boolean => {
  const own = languageOf(edition).language;
  const told = text === undefined ? undefined : detectLanguage(text);
  return own !== undefined && told !== undefined && own !== told;
};

const languageOf = oncePer((edition: Edition) => {
  const chunks = Math.min(SAMPLE_CHUNKS, edition.chunkCount);
  const texts = Array.from(
    { length: chunks },
    (_, at) => edition.chunk(Math.floor((at * edition.chunkCount) / chunks)).text,
  );
  return { language: detectLanguage(texts.map((text) => text.slice(0, SAMPLE_LENGTH)).join('\n')) };
});
const SAMPLE_CHUNKS = 5;
const SAMPLE_LENGTH = 400;
