import { outsideSpans, runsOutsideCode } from '../language/outside-code.ts';
import type { Omissions } from './omissions.ts';

export function unclosedComment(text: string): boolean {
  const start = text.lastIndexOf('<!--');
  if (start === -1 || text.includes('-->', start)) return false;
  let isOutside = false;
  runsOutsideCode(text, (lines) => {
    outsideSpans(lines.join('\n'), (part) => {
      isOutside ||= part.includes('<!--') && !part.includes('-->', part.lastIndexOf('<!--'));
      return part;
    });
    return lines;
  });
  return isOutside;
}

/** Comments of authors: `<!-- -->`, `%% %%` of Obsidian, `{# #}` of Jinja. Those of MDX are expressions. */
export function withoutComments(
  text: string,
  { isMdx, omissions }: { isMdx: boolean; omissions: Omissions },
): string {
  if (!/<!--|%%|\{#/.test(text)) return text;
  return outsideSpans(text, (part) => {
    let rest = part;
    const omit = (comment: string): string => {
      omissions.add('comment', () => comment.replace(/^(?:<!--|%%|\{#)|(?:-->|%%|#\})$/g, ''));
      return '';
    };
    if (rest.includes('<!--')) rest = cutBetween(rest, '<!--', '-->', omit);
    if (rest.includes('%%'))
      rest = rest.replace(/(?<!\S)%%(?!%)(?:[^%]|%(?!%)){0,5000}%%(?!\S)/g, omit);
    if (rest.includes('{#') && !isMdx)
      rest = rest.replace(/\{#(?=\s)(?:[^#]|#(?!\})){0,2000}#\}/g, omit);
    return rest;
  });
}

/** Characters of a comment that its sample is taken from. */
const MAX_SAMPLED = 500;

/** Linear: no mark is sought again once there is none. */
function cutBetween(
  text: string,
  open: string,
  close: string,
  omit: (part: string) => void,
): string {
  let out = '';
  let from = 0;
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length);
    out += text.slice(from, start);
    // Without an end it is left to the parser, which knows where it ends.
    if (end === -1) return out + text.slice(start);
    from = end + close.length;
    omit(text.slice(start, Math.min(from, start + MAX_SAMPLED)));
  }
  return out + text.slice(from);
}
