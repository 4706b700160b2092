import { stripVTControlCharacters } from 'node:util';

/** What a command writes with. Everything that came from a server passes `clean` or `cleanLine` first. */
export interface Terminal {
  isTerminal: boolean;
  write(text: string): void;
  line(text?: string): void;
  bold(text: string): string;
  dim(text: string): string;
  /** A link that a terminal opens; elsewhere the name with its address. */
  link(name: string, url: string | undefined): string;
}

interface Surroundings {
  stream?: { isTTY?: boolean | undefined; write(text: string): unknown };
  env?: NodeJS.ProcessEnv;
}

/** Colour and links only on a terminal; no colour with NO_COLOR (no-color.org). */
export function openTerminal({
  stream = process.stdout,
  env = process.env,
}: Surroundings = {}): Terminal {
  const isTerminal = stream.isTTY === true && env.TERM !== 'dumb';
  const hasColour = isTerminal && !env.NO_COLOR;
  const styled = (code: number) => (text: string) =>
    hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    isTerminal,
    write: (text) => void stream.write(text),
    line: (text = '') => void stream.write(`${text}\n`),
    bold: styled(1),
    dim: styled(2),
    link: (name, url) => {
      const address = addressOf(url);
      if (address === undefined) return cleanLine(name);
      // Hyperlinks in terminal emulators (OSC 8).
      return isTerminal
        ? `\u001b]8;;${address}\u001b\\${cleanLine(name)}\u001b]8;;\u001b\\`
        : `${cleanLine(name)} <${address}>`;
    },
  };
}

/** As the parser of addresses writes it, in visible ASCII: nothing in it can end the sequence. Others than http and https are no links. */
const addressOf = (url: unknown): string | undefined =>
  typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url)
    ? new URL(url).href
    : undefined;

/** Without what moves the cursor, changes colours or titles, or turns the direction of text around; line breaks and tabs stay. */
export function clean(text: unknown): string {
  return typeof text === 'string' ? stripVTControlCharacters(text).replaceAll(CONTROL, '') : '';
}

/** The same on one line. */
export function cleanLine(text: unknown): string {
  return clean(text).replaceAll(/\s+/g, ' ').trim();
}

const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** JSON in which every character that a terminal obeys is written as an escape. */
export function safeJson(value: unknown): string {
  return escapeControls(JSON.stringify(value, null, 2) ?? 'null');
}

/** The same of a text that is JSON. */
export function escapeControls(json: string): string {
  return json.replaceAll(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
