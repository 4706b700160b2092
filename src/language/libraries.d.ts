/** What is used of libraries that come without types. */
declare module 'snowball-stemmers' {
  export function newStemmer(algorithm: string): { stem: (word: string) => string };
}
declare module 'stopword' {
  type Words = readonly string[];
  export const ara: Words,
    bul: Words,
    cat: Words,
    ces: Words,
    dan: Words,
    deu: Words,
    ell: Words,
    fas: Words,
    fin: Words,
    fra: Words;
  export const heb: Words,
    hin: Words,
    hrv: Words,
    hun: Words,
    ind: Words,
    ita: Words,
    jpn: Words,
    kor: Words,
    nld: Words,
    nob: Words;
  export const pol: Words,
    por: Words,
    ron: Words,
    rus: Words,
    slk: Words,
    slv: Words,
    spa: Words,
    swe: Words,
    tha: Words,
    tur: Words;
  export const ukr: Words, urd: Words, vie: Words, zho: Words;
}
declare module 'markdown-it-footnote' {
  const footnote: (parser: import('markdown-it').MarkdownIt) => void;
  export default footnote;
}
declare module 'markdown-it-deflist' {
  const deflist: (parser: import('markdown-it').MarkdownIt) => void;
  export default deflist;
}
declare module 'markdown-it-emoji/lib/data/full.mjs' {
  /** Characters by their names on GitHub. */
  const characters: Readonly<Record<string, string>>;
  export default characters;
}
