import { Markdown } from './markdown.tsx';
import { markWords } from './matched-words.ts';

interface QuoteProps {
  text: string;
  /** Words to be marked, in any of their forms. */
  marked?: readonly string[];
}

/** The words of an article as its readers see them. */
export function Quote({ text, marked = [] }: QuoteProps) {
  return (
    <blockquote class="quote">
      {areRows(text) ? (
        <Rows text={text} marked={marked} />
      ) : (
        <Markdown text={text} marked={marked} />
      )}
    </blockquote>
  );
}

const ROW = /^\s*\|.*\|\s*$/;
const DELIMITERS = /^[|\s:-]+$/;

/** Rows from the middle of a table, whose head is not quoted. */
const areRows = (text: string): boolean => {
  const lines = text.trim().split('\n');
  return lines.every((line) => ROW.test(line)) && !DELIMITERS.test(lines[1] ?? '');
};

const Rows = ({ text, marked }: Required<QuoteProps>) => (
  <div class="prose scrolls">
    <table>
      <tbody>
        {text
          .trim()
          .split('\n')
          .map((line, at) => (
            <tr key={at}>
              {cellsOf(line).map((cell, column) => (
                <td key={column}>
                  {markWords(cell, marked).map(({ text: part, isMarked }) =>
                    isMarked ? <mark>{part}</mark> : part,
                  )}
                </td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  </div>
);

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
