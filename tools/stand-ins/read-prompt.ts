/** A prompt of the product as a model that keeps to its instructions reads it: the texts between tags of its code. */
export interface ReadPrompt {
  question?: string;
  /** Earlier turns, one a line. */
  earlier?: string;
  passages: {
    passage: string;
    title: string;
    section: string;
    text: string;
    [attribute: string]: string;
  }[];
  /** From the judge's prompt. */
  sections: { heading: string; text: string }[];
  statements: { id: string; statement: string; quotes: string; doubt: string }[];
  /** Texts between other tags, by their name. */
  [name: string]: unknown;
}

/** Reads the user's message of a prompt; undefined without tags. */
export function readPrompt(message: string): ReadPrompt | undefined {
  const code = /The code of the tags is (\w{4,12})\./.exec(message)?.[1];
  if (code === undefined) return undefined;
  const read: ReadPrompt = { passages: [], sections: [], statements: [] };
  for (const { name, attributes, text } of tagsIn(message, code)) {
    if (name === 'article')
      for (const each of tagsIn(text, code)) {
        const { id = '', section = '', ...rest } = each.attributes;
        const title = attributes.title ?? '';
        read.passages.push({
          ...attributes,
          ...rest,
          passage: id,
          title,
          section,
          text: each.text,
        });
      }
    else if (name === 'section') read.sections.push({ heading: attributes.heading ?? '', text });
    else if (name === 'statement') {
      const { id = '', quotes = '', doubt = '' } = attributes;
      read.statements.push({ id, statement: text, quotes, doubt });
    } else read[name] = text;
  }
  return read;
}

/** The text of a section as it stands in the article, without the marks of quotes. */
export function withoutQuoteMarks(text: string): string {
  return text.replace(/\[\/?q\d+\]/g, '');
}

const tagsIn = (text: string, code: string) =>
  [
    ...text.matchAll(
      new RegExp(`<([a-z_]+)-${code}([^>\\n]*)>\\n([\\s\\S]*?)\\n</\\1-${code}>`, 'g'),
    ),
  ].map(([, name = '', attributes = '', inner = '']) => ({
    name,
    attributes: Object.fromEntries(
      [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    ) as Record<string, string>,
    text: inner,
  }));
