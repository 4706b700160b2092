/** What the console writes into the outline of an article for the writer to replace, by language. */
export const OUTLINE = {
  answer: {
    en: '(Answer the question here, in one or two sentences.)',
    de: '(Hier die Frage beantworten, in ein oder zwei Sätzen.)',
  },
  heading: {
    en: '(Heading: what this section answers.)',
    de: '(Überschrift: was dieser Abschnitt beantwortet.)',
  },
  /** Before a sentence that names a person. */
  personal: {
    en: 'Write this so that it is true for every customer:',
    de: 'Schreiben Sie das so, dass es für alle gilt:',
  },
} as const;

const PLACEHOLDERS = Object.values(OUTLINE).flatMap((texts) => Object.values(texts));

/** The first placeholder that still stands in an article; undefined when there is none. */
export function openPlaceholder(content: string): string | undefined {
  return PLACEHOLDERS.find((placeholder) => content.includes(placeholder));
}
