import { characterEntitiesHtml4 } from 'character-entities-html4';
import { decodeReferences } from './decode-references.ts';

/**
 * Decodes the character references of a text: by number, and by the names of HTML 4 and of what stands on a keyboard.
 * The some 1,800 further names of the HTML Standard (13.5), signs of mathematics for the most part, stay as they are: their
 * table is as large as all else that reads HTML. A control character becomes a space, a number that is none U+FFFD.
 */
export const decodeEntities = (text: string): string =>
  decodeReferences(text, (name) =>
    Object.hasOwn(characterEntitiesHtml4, name) ? characterEntitiesHtml4[name] : undefined,
  );
