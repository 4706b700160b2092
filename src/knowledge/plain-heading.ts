import { fromMarkdown } from 'mdast-util-from-markdown';

/** The words of a heading as a reader sees them: without marks, links' targets and runs of white space. */
export const plainHeading = (source: string): string => {
  const bare = source.replace(/^\s*#{1,6}[ \t]+/, '');
  const text = HAS_MARKS.test(bare) ? wordsOf(fromMarkdown(source)) : bare;
  return text.replace(/\s+/g, ' ').trim();
};

const HAS_MARKS = /[\\`*_[\]<&#\n]/;

type Root = ReturnType<typeof fromMarkdown>;

const wordsOf = (node: Root | Root['children'][number]): string => {
  if (node.type === 'image') return node.alt ?? '';
  if (node.type === 'html') return '';
  if (node.type === 'break') return ' ';
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
};
