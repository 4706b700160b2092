/**
 * Writes a prompt's texts between tags that carry a code of their own, so that no text can close its tag and pass for an instruction: who
 * writes an article does not know the code. Texts stay as they are; JSON would double their backslashes.
 */
export interface PromptTags {
  code: string;
  /** `<question-k7f3q>`, the text on lines of its own, and the closing tag; undefined members are left out. */
  tag(
    name: string,
    text: string,
    attributes?: Readonly<Record<string, string | undefined>>,
  ): string;
}

/** Letters and digits that are not mixed up, and no vowels, so that a code is never a word. */
const ALPHABET = 'bcdfghjkmnpqrstvwxz23456789';
const CODE_LENGTH = 6;

/** Tags with a fresh code. */
export function newTags(): PromptTags {
  const code = freshCode();
  return {
    code,
    tag: (name, text, attributes = {}) => {
      const written = Object.entries(attributes).flatMap(([key, value]) =>
        value === undefined || value === '' ? [] : [` ${key}="${plainAttribute(value)}"`],
      );
      return `<${name}-${code}${written.join('')}>\n${text}\n</${name}-${code}>`;
    },
  };
}

const freshCode = (): string =>
  Array.from(
    crypto.getRandomValues(new Uint32Array(CODE_LENGTH)),
    (value) => ALPHABET[value % ALPHABET.length],
  ).join('');

/** On one line, without what would end the attribute or the tag. */
const plainAttribute = (value: string): string =>
  value
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/"/g, '”')
    .replace(/</g, '‹')
    .replace(/>/g, '›')
    .trim();
