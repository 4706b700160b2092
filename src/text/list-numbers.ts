/** The numbers of a list's items: they count steps and say nothing of their own. At the beginning of a line, in quotes too. */
const LIST_NUMBER = /^([ \t]*(?:>[ \t]*)?)\d{1,3}[.)](?=[ \t])/gm;

/** A text whose numbered items have lost their numbers. */
export const withoutListNumbers = (text: string): string => text.replace(LIST_NUMBER, '$1');
