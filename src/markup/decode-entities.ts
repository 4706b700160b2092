import { characterEntitiesHtml4 } from 'character-entities-html4';
import { decodeReferences } from './decode-references.ts';

/**
 * Decodes the character references of a text: by number, and by the names of HTML 4 and of what stands on a keyboard.
 * The some 1,800 further names of the HTML Standard (13.5), signs of mathematics for the most part, stay as they are: their
 * table is as large as all else that reads HTML. A control character becomes a space, a number that is none U+FFFD.
 */
export const decodeEntities = (text: string): string => decodeReferences(text, named);

const named = (name: string): string | undefined => {
  if (Object.hasOwn(KEYBOARD, name)) return KEYBOARD[name];
  return Object.hasOwn(characterEntitiesHtml4, name) ? characterEntitiesHtml4[name] : undefined;
};

const KEYBOARD: Record<string, string> = {
  ...{
    AMP: '&',
    LT: '<',
    GT: '>',
    QUOT: '"',
    COPY: '©',
    REG: '®',
    apos: "'",
    Tab: '\t',
    NewLine: '\n',
    nbsp: '\u00a0',
  },
  ...{
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    plus: '+',
    comma: ',',
    period: '.',
  },
  ...{ sol: '/', colon: ':', semi: ';', equals: '=', quest: '?', commat: '@', lbrack: '[', lsqb: '[', bsol: '\\' },
  ...{ rbrack: ']', rsqb: ']', Hat: '^', lowbar: '_', grave: '`', lbrace: '{', lcub: '{', verbar: '|', vert: '|' },
  ...{ rbrace: '}', rcub: '}', hyphen: '‐', check: '✓', cross: '✗', star: '☆', starf: '★', bigstar: '★' },
};
