import { outsideSpans, runsOutsideCode } from '../language/outside-code.ts';

/** A longer line is no prose. */
const MAX_LINE = 5000;

/** Formulas between `$$` or in lines `\\[` and `\\]` as fenced code, those between `$` in a line as code spans. */
export function withMath(text: string): string {
  if (!text.includes('$') && !text.includes('\\[')) return text;
  return runsOutsideCode(text, (lines) => {
    const out: string[] = [];
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at] ?? '';
      const [, indent = '', open = '', rest = ''] =
        line.length < MAX_LINE ? (/^([ \t>]{0,40})(\$\$|\\\[)(.*)$/.exec(line) ?? []) : [];
      const block = open === '' ? undefined : formulaAt(lines, { at, open, rest });
      if (block === undefined) {
        out.push(readFormulas(line));
        continue;
      }
      out.push(
        `${indent}\`\`\`math`,
        ...block.lines.map((each) => indent + each.trim()),
        `${indent}\`\`\``,
      );
      at = block.last;
    }
    return out;
  });
}

const MAX_FORMULA_LINES = 60;

/** The lines of a formula that begins in one line and ends in it or in a later one. */
function formulaAt(
  lines: readonly string[],
  { at, open, rest }: { at: number; open: string; rest: string },
): { lines: string[]; last: number } | undefined {
  const close =
    open === '$$' ? /^(.*?)\$\$[ \t]{0,9}(?:\{#[^}]{0,80}\})?[ \t]{0,9}$/ : /^(.*?)\\\][ \t]{0,9}$/;
  const alone = close.exec(rest);
  if (alone !== null)
    return alone[1]?.trim() && (open === '$$' || SIGN.test(alone[1]))
      ? { lines: [alone[1]], last: at }
      : undefined;
  if (open !== '$$' && rest.trim() !== '') return undefined;
  const formula: string[] = rest.trim() === '' ? [] : [rest];
  for (let next = at + 1; next < lines.length && next - at <= MAX_FORMULA_LINES; next += 1) {
    const line = (lines[next] ?? '').replace(/^[ \t]*>[ \t]?/, '');
    const end = line.length < MAX_LINE ? close.exec(line) : null;
    if (end === null) formula.push(line);
    else return { lines: end[1]?.trim() ? [...formula, end[1]] : formula, last: next };
  }
  return undefined;
}

const IN_LINE =
  /(?<![\\$\p{L}\p{N}])(\$\$?)(?=[^\s${])([^$\n`]{1,300}?)(?<=[^\s\\$])\1(?![\p{L}\p{N}$({])/gu;

const SIGN = /\\[A-Za-z]|[\^_=]|^[A-Za-z]$/;

/** Amounts and names of variables have no signs of formulas. */
const readFormulas = (line: string): string =>
  line.includes('$') && line.length < MAX_LINE
    ? outsideSpans(line, (part) =>
        part.replace(IN_LINE, (found, _mark, formula: string) =>
          SIGN.test(formula) ? `\`${formula.replaceAll('|', '\\|')}\`` : found,
        ),
      )
    : line;
