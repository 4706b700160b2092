import { diffLines } from './differences.ts';

const SIGNS = { same: ' ', removed: '−', added: '+', skipped: ' ' } as const;

/** Each line says by its sign, not by its colour alone, what became of it. */
export function LineDifference({ before, after }: { before: string; after: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <pre class="code diff" tabIndex={0}>
      {diffLines(before, after).map(({ kind, text }, at) => {
        const line = `${SIGNS[kind]} ${text}\n`;
        if (kind === 'removed') return <del key={at}>{line}</del>;
        return kind === 'added' ? <ins key={at}>{line}</ins> : <span key={at}>{line}</span>;
      })}
    </pre>
  );
}
