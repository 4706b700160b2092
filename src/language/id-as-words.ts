/** The id of a librarian as words, for readers: `partner.opening-hours` is "opening hours". */
export const idAsWords = (id: string): string => id.replace(/^partner\./, '').replace(/[._-]+/g, ' ');
