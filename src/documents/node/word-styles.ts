import { tryReadXml } from './read-xml.ts';

interface Style {
  /** Whether a paragraph without a style has it. */
  isDefault: boolean;
  name: string;
  basedOn: string;
  /** 0 is the first level, 9 is text. */
  outline: number | undefined;
  list: ListPlace | undefined;
  isHidden: boolean | undefined;
  /** Whether its font gives all characters the same width. */
  isFixed: boolean | undefined;
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
  /** Whether text of it is set in a font with characters of the same width, in a document whose text has another one. */
  isFixed(id: string): boolean;
  isFixedFont(font: string): boolean;
}

const NO_STYLE: Style = {
  isDefault: false,
  name: '',
  basedOn: '',
  outline: undefined,
  list: undefined,
  isHidden: undefined,
  isFixed: undefined,
};

const HEADING = /^heading ([1-9])$/i;
const CONTENTS = /^(?:toc \d|toc heading|contents heading|contents \d|table of figures)$/i;
const CODE =
  /^(?:html preformatted|preformatted text|code|code ?block|source ?code|program ?(?:code|listing)|listing|verbatim)$/i;
const MAX_BASES = 20;

/** @param fonts The part with the fonts: it says which have characters of the same width. */
export function readWordStyles(xml: string, fonts: string): WordStyles {
  const fixedFonts = fixedFontsIn(fonts);
  const styles = stylesIn(xml, fixedFonts);
  /** The first value along the styles that one is based on. */
  const inherited = <Value>(
    id: string,
    read: (style: Style) => Value | undefined,
  ): Value | undefined => {
    let style = styles.get(id);
    for (let bases = 0; style !== undefined && bases < MAX_BASES; bases += 1) {
      const value = read(style);
      if (value !== undefined) return value;
      style = styles.get(style.basedOn);
    }
    return undefined;
  };
  const levelOf = ({ name, outline }: Style): number | undefined =>
    Number(
      HEADING.exec(name)?.[1] ??
        (/^title$/i.test(name) ? 1 : outline === undefined ? 0 : outline + 1),
    ) || undefined;
  if (
    styles.get(DEFAULTS)?.isFixed ||
    [...styles.values()].some(({ isDefault, isFixed }) => isDefault && isFixed)
  )
    fixedFonts.clear();
  return {
    isFixed: (id) => fixedFonts.size > 0 && inherited(id, ({ isFixed }) => isFixed) === true,
    isFixedFont: (font) => fixedFonts.has(font),
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

/** Stands for the id of what all styles are based on. */
const DEFAULTS = '';

function fixedFontsIn(xml: string): Set<string> {
  const fonts = new Set<string>();
  let font = '';
  tryReadXml(xml, {
    open: (name, attributes) => {
      if (name === 'font') font = attributes['w:name'] ?? '';
      if (name === 'pitch' && attributes['w:val'] === 'fixed') fonts.add(font);
    },
  });
  return fonts;
}

function stylesIn(xml: string, fixedFonts: ReadonlySet<string>): ReadonlyMap<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  tryReadXml(xml, {
    open: (name, attributes) => {
      const value = attributes['w:val'] ?? '';
      if (name === 'style' || name === 'docDefaults') {
        const isDefault =
          attributes['w:type'] === 'paragraph' &&
          /^(?:1|true|on)$/.test(attributes['w:default'] ?? '');
        style = { ...NO_STYLE, isDefault };
        styles.set(attributes['w:styleId'] ?? DEFAULTS, style);
      }
      if (style === undefined) return;
      if (name === 'name') style.name = value;
      if (name === 'basedOn') style.basedOn = value;
      if (name === 'outlineLvl') style.outline = Number(value);
      if (name === 'ilvl') style.list = { numId: style.list?.numId ?? '', level: Number(value) };
      if (name === 'numId') style.list = { numId: value, level: style.list?.level };
      if (name === 'rFonts' && attributes['w:ascii'] !== undefined)
        style.isFixed = fixedFonts.has(attributes['w:ascii']);
      if (name === 'vanish') style.isHidden = /^(?:1|true|on)$/.test(attributes['w:val'] ?? 'on');
    },
    close: (name) => {
      if (name === 'style' || name === 'docDefaults') style = undefined;
    },
  });
  return styles;
}
