import fc from 'fast-check';
import cases from './hostile-markdown.json' with { type: 'json' };

/** Fragments of Markdown and HTML that an attacker may combine. */
export const hostileMarkdown = fc.oneof(
  // A JSON file cannot contain half a surrogate pair.
  fc.constantFrom(...cases.fragments, '\ud83d'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
