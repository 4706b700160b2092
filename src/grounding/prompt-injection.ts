import { plainReadings } from './plain-readings.ts';
import { PROMPT_INJECTION_PATTERNS } from './prompt-injection-patterns.ts';

/**
 * Whether a text speaks to a model instead of a reader: it overrides instructions, hands out a role, imitates the marks of
 * a chat or of a reply, dictates what an answer has to say, or sends what was said elsewhere; openly, spelled out letter
 * by letter, in base64, or hidden in signs that nobody sees.
 *
 * It knows the forms that such texts take, in a dozen languages, and no more: what it misses is still data to the model and
 * has to stand the checks of an answer. What that is worth, measured: docs/navigator.md.
 *
 * @param text Read so far: 8,000 UTF-16 units.
 */
export const hasPromptInjection = (text: string): boolean => {
  const read = text.slice(0, MAX_READ);
  return HIDDEN.test(read) || speaksToModel(read) || (ENCODED.test(read) && decodedOf(read).some(speaksToModel));
};

/** The same for names, where other signs stand in for spaces: `care/ignore-all-previous-instructions.md`. */
export const isInjectionName = (name: string): boolean =>
  hasPromptInjection(name) || speaksToModel(name.slice(0, MAX_READ).replace(/[-_/.+]+/g, ' '));

/** In any reading, as it stands or with addresses made words, whose dots would end a sentence. */
const speaksToModel = (text: string): boolean => {
  const readings = plainReadings(text);
  const addressless = readings.map((reading) => reading.replace(/https?:\/\/[^\s)\]>"']+/g, 'url'));
  return [...new Set([...readings, ...addressless])].some((reading) =>
    PROMPT_INJECTION_PATTERNS.some((pattern) => pattern.test(reading)),
  );
};

const MAX_READ = 8000;

/** Tag characters, which nobody sees, and what shows letters in another order: no article needs them. */
const HIDDEN = /[\u{E0000}-\u{E007F}\u202D\u202E]/u;

const ENCODED = /[A-Za-z0-9+/]{24,}={0,2}/;

const decodedOf = (text: string): string[] =>
  [...text.matchAll(/[A-Za-z0-9+/]{24,4000}={0,2}/g)].slice(0, 20).flatMap(([run]) => {
    try {
      const bare = run.replace(/=+$/, '');
      const decoded = atob(bare.slice(0, bare.length - (bare.length % 4 === 1 ? 1 : 0)));
      return /^[\s!-~]+$/.test(decoded) ? [decoded] : [];
    } catch {
      return [];
    }
  });
