import fc from 'fast-check';
import cases from './hostile-markdown.json' with { type: 'json' };

/** Fragments of Markdown and HTML that an attacker may combine. */
export const hostileMarkdown = fc.oneof(
  // Half a surrogate pair cannot stand in a JSON file.
  fc.constantFrom(...cases.fragments, '\ud83d'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
