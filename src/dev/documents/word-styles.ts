import { NotReadable } from './document-text.ts';
import { readXml } from './read-xml.ts';

interface Style {
  name: string;
  basedOn: string;
  /** 0 is the first level, 9 is text. */
  outline: number | undefined;
  list: ListPlace | undefined;
  isHidden: boolean | undefined;
}

/** The list of a paragraph, and its level there. */
export interface ListPlace {
  numId: string;
  /** 0 is the first level; undefined: the one that names the style. */
  level: number | undefined;
}

/** What the paragraph and character styles of a document say, each with those that it is based on. */
export interface WordStyles {
  /** 1 to 9. */
  headingOf(id: string): number | undefined;
  listOf(id: string): ListPlace | undefined;
  isHidden(id: string): boolean;
  /** Whether its paragraphs are lines of a table of contents. */
  isContents(id: string): boolean;
  isCode(id: string): boolean;
}

const HEADING = /^heading ([1-9])$/i;
const CONTENTS = /^(?:toc \d|toc heading|contents heading|contents \d|table of figures)$/i;
const CODE =
  /^(?:html preformatted|preformatted text|code|code ?block|source ?code|program ?(?:code|listing)|listing|verbatim)$/i;
const MAX_BASES = 20;

export function readWordStyles(xml: string): WordStyles {
  const styles = stylesIn(xml);
  /** The first value along the styles that one is based on. */
  const inherited = <Value>(id: string, read: (style: Style) => Value | undefined): Value | undefined => {
    let style = styles.get(id);
    for (let bases = 0; style !== undefined && bases < MAX_BASES; bases += 1) {
      const value = read(style);
      if (value !== undefined) return value;
      style = styles.get(style.basedOn);
    }
    return undefined;
  };
  const levelOf = ({ name, outline }: Style): number | undefined =>
    Number(HEADING.exec(name)?.[1] ?? (/^title$/i.test(name) ? 1 : outline === undefined ? 0 : outline + 1)) ||
    undefined;
  return {
    headingOf: (id) => {
      const level = inherited(id, levelOf);
      return level === undefined || level > 9 ? undefined : level;
    },
    listOf: (id) => inherited(id, ({ list }) => list),
    isHidden: (id) => inherited(id, ({ isHidden }) => isHidden) === true,
    isContents: (id) => CONTENTS.test(styles.get(id)?.name ?? ''),
    isCode: (id) => inherited(id, ({ name }) => CODE.test(name) || undefined) === true,
  };
}

function stylesIn(xml: string): ReadonlyMap<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  try {
    readXml(xml, {
      open: (name, attributes) => {
        const value = attributes['w:val'] ?? '';
        if (name === 'style') {
          style = { name: '', basedOn: '', outline: undefined, list: undefined, isHidden: undefined };
          styles.set(attributes['w:styleId'] ?? '', style);
        }
        if (style === undefined) return;
        if (name === 'name') style.name = value;
        if (name === 'basedOn') style.basedOn = value;
        if (name === 'outlineLvl') style.outline = Number(value);
        if (name === 'ilvl') style.list = { numId: style.list?.numId ?? '', level: Number(value) };
        if (name === 'numId') style.list = { numId: value, level: style.list?.level };
        if (name === 'vanish') style.isHidden = /^(?:1|true|on)$/.test(attributes['w:val'] ?? 'on');
      },
      close: (name) => {
        if (name === 'style') style = undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
  }
  return styles;
}
