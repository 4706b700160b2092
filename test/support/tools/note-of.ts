import type { Note } from '../../../src/support/tools/helpdesk-tool.ts';

/** A note as the product writes it, with its marker in the last line. */
export function noteOf(
  marker = 'cn5b1f2c1a4f0e4a39',
  words = 'Suggested reply: see the article on refunds.',
): Note {
  return {
    marker,
    markdown: `${words}\n\n${marker}`,
    html: `<p>${words}</p><p>${marker}</p>`,
    text: `${words}\n\n${marker}`,
  };
}
