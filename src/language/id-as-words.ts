/** The id of a librarian as words, for readers: `partner.opening-hours` is "opening hours". */
export function idAsWords(id: string): string {
  return id.replace(/^partner\./, '').replace(/[._-]+/g, ' ');
}
