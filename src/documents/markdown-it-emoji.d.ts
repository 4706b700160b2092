declare module 'markdown-it-emoji/lib/data/full.mjs' {
  /** Characters by their names on GitHub. */
  const characters: Readonly<Record<string, string>>;
  export default characters;
}
