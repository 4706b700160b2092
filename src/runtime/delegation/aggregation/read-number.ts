/**
 * A number as written in English or German.
 *
 * @param written Digits with points, commas, apostrophes or blanks between them.
 * @returns Two values where the writing is ambiguous ("1.234"); empty for what is no number.
 */
export const readNumber = (written: string): number[] => {
  const plain = written.replace(/['’\u00a0\u202f]/g, '');
  const english = Number(plain.replaceAll(',', ''));
  const german = Number(plain.replaceAll('.', '').replace(',', '.'));
  const isAmbiguous = /^\d{1,3}[.,]\d{3}$/.test(plain);
  if (isAmbiguous) return [english, german].filter(Number.isFinite);
  const isGerman = /,\d{1,2}$|,\d{4,}$/.test(plain) || /\.\d{3}(?:\.|,)/.test(plain);
  return [isGerman ? german : english].filter(Number.isFinite);
};
