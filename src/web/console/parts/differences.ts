interface Difference {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

interface DiffLine {
  kind: Difference['kind'] | 'skipped';
  text: string;
}

/** Cells of the table of common parts; a larger change is shown as a whole. */
const MAX_CELLS = 1_000_000;
/** Unchanged lines around a change. */
const CONTEXT = 2;

/** What differs between two texts, line by line, with some unchanged lines around it. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [oldParts = [], newParts = []] = [before, after].map((text) =>
    text === '' ? [] : text.split('\n'),
  );
  return withoutDistant(diffParts(oldParts, newParts));
}

/** What differs between two texts, word by word: runs of words of one kind, in order, that join to both texts. */
export function diffWords(before: string, after: string): Difference[] {
  const [oldParts = [], newParts = []] = [before, after].map(
    (text) => text.match(/\s+|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) ?? [],
  );
  const blocks: Block[] = [];
  for (const { kind, text } of diffParts(oldParts, newParts)) {
    const last = blocks.at(-1);
    const block =
      last !== undefined && (kind === 'same') === (last.same !== '') ? last : { ...NO_BLOCK };
    block[kind] += text;
    if (block !== last) blocks.push(block);
  }
  return withoutScraps(blocks).flatMap((block) =>
    (['same', 'removed', 'added'] as const).flatMap((kind) =>
      block[kind] === '' ? [] : [{ kind, text: block[kind] }],
    ),
  );
}

/** What stays, or what was removed and what was added in its place. */
type Block = Record<Difference['kind'], string>;

const NO_BLOCK: Readonly<Block> = { same: '', removed: '', added: '' };

/** A word or two that stay between two longer changes tell nothing: they belong to one change. */
const withoutScraps = (blocks: readonly Block[]): Block[] => {
  const result: Block[] = [];
  for (const block of blocks) {
    const [before, scrap] = result.slice(-2);
    const isChange =
      block.same === '' && before?.same === '' && scrap !== undefined && scrap.same !== '';
    if (!isChange || scrap.same.length > Math.min(changeIn(before), changeIn(block))) {
      result.push(block);
      continue;
    }
    result.splice(-2, 2, {
      same: '',
      removed: before.removed + scrap.same + block.removed,
      added: before.added + scrap.same + block.added,
    });
  }
  return result;
};

const changeIn = ({ removed, added }: Block): number => Math.max(removed.length, added.length);

/** Equal beginnings and ends, and what changed between them. */
const diffParts = (oldParts: readonly string[], newParts: readonly string[]): Difference[] => {
  let start = 0;
  while (start < oldParts.length && start < newParts.length && oldParts[start] === newParts[start])
    start += 1;
  let end = 0;
  while (
    end < Math.min(oldParts.length, newParts.length) - start &&
    oldParts.at(-1 - end) === newParts.at(-1 - end)
  )
    end += 1;
  return [
    ...oldParts.slice(0, start).map(unchangedPart),
    ...changesBetween(
      oldParts.slice(start, oldParts.length - end),
      newParts.slice(start, newParts.length - end),
    ),
    ...oldParts.slice(oldParts.length - end).map(unchangedPart),
  ];
};

const unchangedPart = (text: string): Difference => ({ kind: 'same', text });

/** The longest common subsequence stays; the others are removed or added. */
const changesBetween = (oldParts: readonly string[], newParts: readonly string[]): Difference[] => {
  const removed = oldParts.map((text): Difference => ({ kind: 'removed', text }));
  const added = newParts.map((text): Difference => ({ kind: 'added', text }));
  if (oldParts.length * newParts.length > MAX_CELLS) return [...removed, ...added];
  const width = newParts.length + 1;
  /** Length of the longest common subsequence of what follows a place in both. */
  const lengths = new Uint32Array((oldParts.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = oldParts.length - 1; row >= 0; row -= 1)
    for (let column = newParts.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        oldParts[row] === newParts[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
  const lines: Difference[] = [];
  let [row, column] = [0, 0];
  while (row < oldParts.length && column < newParts.length) {
    if (oldParts[row] === newParts[column]) {
      lines.push(unchangedPart(oldParts[row] ?? ''));
      row += 1;
      column += 1;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1))
      lines.push(...removed.slice(row, ++row));
    else lines.push(...added.slice(column, ++column));
  }
  return [...lines, ...removed.slice(row), ...added.slice(column)];
};

const withoutDistant = (lines: readonly Difference[]): DiffLine[] => {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, at): DiffLine[] => {
    if (isNear[at]) return [line];
    return at === 0 || isNear[at - 1] ? [{ kind: 'skipped', text: '…' }] : [];
  });
};
