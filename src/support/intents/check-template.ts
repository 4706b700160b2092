const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'customer_name',
  'product',
  'subject',
  'knowledge',
  'missing_information',
]);

/** What speaks against a reply template, as the end of a sentence; undefined where it may be used. */
export const checkTemplate = (template: string): string | undefined => {
  for (const [, name = ''] of template.matchAll(/\{([a-z_]{1,40})\}/g)) {
    if (!PLACEHOLDERS.has(name)) return `holds {${name}}, which nothing is put in for`;
  }
  for (const name of ['{knowledge}', '{missing_information}']) {
    const lines = template.split('\n').filter((line) => line.includes(name));
    if (lines.length > 1) return `holds ${name} more than once`;
    if (lines.some((line) => line.trim() !== name))
      return `holds ${name} beside other words: it needs a line of its own`;
  }
  return undefined;
};
