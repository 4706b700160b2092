import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { density } from '../session/preferences.ts';
import { count, t } from '../texts/texts.ts';
import { Button, Icon } from './button.tsx';

interface Column<Row> {
  id: string;
  label: string;
  cell: (row: Row) => ComponentChildren;
  /** What its rows are sorted by; a column without cannot be sorted. */
  sort?: (row: Row) => string | number;
  align?: 'right';
}

interface TableProps<Row> {
  /** What the table holds, for readers who do not see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /**
   * For rows whose cells keep something, such as a button that asks for confirmation. Rows without a key are filled again when the page
   * is turned, which costs a fraction of making new ones.
   */
  rowKey?: (row: Row) => string;
  /** Rows on a page; 50 when absent. */
  pageSize?: number;
  /** The order at first; the order of `rows` when absent. */
  sortedBy?: { column: string; isDescending?: boolean };
  /** Fetches what the server has beyond `rows`; absent when that is all. */
  onMore?: (() => void) | undefined;
  isLoading?: boolean;
  /** Shown in place of a table without rows. */
  empty?: ComponentChildren;
}

const PAGE = 50;

/** A table that can be sorted and paged. However many rows there are, those of one page are in the document. */
export function Table<Row>({
  columns,
  rows,
  rowKey,
  pageSize = PAGE,
  empty,
  ...props
}: TableProps<Row>) {
  const order = useSignal(props.sortedBy);
  const page = useSignal(0);
  if (rows.length === 0 && props.isLoading !== true && empty !== undefined) return <>{empty}</>;
  const sorted = inOrder(rows, columns, order.value);
  const pages = Math.max(1, Math.ceil(sorted.length / pageSize));
  // A page beyond the last one is being read.
  const at = Math.min(page.value, pages - 1);
  const isLast = at === pages - 1;
  const sortBy = (column: string): void => {
    const isDescending = order.value?.column === column && order.value.isDescending !== true;
    order.value = { column, isDescending };
    page.value = 0;
  };
  return (
    <div class={`table ${density.value}`} aria-busy={props.isLoading === true}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section class="scrolls" tabIndex={0} aria-label={props.caption}>
        <table>
          <caption class="visually-hidden">{props.caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head
                  key={column.id}
                  column={column}
                  order={order.value}
                  onSort={() => sortBy(column.id)}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(at * pageSize, (at + 1) * pageSize).map((row) => (
              <tr key={rowKey?.(row)}>
                {columns.map(({ id, cell, align }) => (
                  <td key={id} class={align}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <footer class="row between">
        <span class="quiet small">
          {pages === 1
            ? count('table.rows', rows.length)
            : t('table.range', {
                from: at * pageSize + 1,
                to: Math.min((at + 1) * pageSize, rows.length),
                of: rows.length,
              })}
        </span>
        <span class="row">
          {pages === 1 && props.onMore === undefined ? null : (
            <>
              <Button kind="quiet" disabled={at === 0} onClick={() => (page.value = at - 1)}>
                {t('table.previous')}
              </Button>
              <Button
                kind="quiet"
                disabled={isLast && (props.onMore === undefined || props.isLoading === true)}
                onClick={() => {
                  page.value = at + 1;
                  if (isLast) props.onMore?.();
                }}
              >
                {t('table.next')}
              </Button>
            </>
          )}
          {props.onMore === undefined ? null : (
            <Button onClick={props.onMore} disabled={props.isLoading === true}>
              {t('table.more')}
            </Button>
          )}
          <Button
            kind="quiet"
            icon="menu"
            label={t(density.value === 'compact' ? 'table.comfortable' : 'table.compact')}
            onClick={() =>
              (density.value = density.value === 'compact' ? 'comfortable' : 'compact')
            }
          />
        </span>
      </footer>
    </div>
  );
}

type Order = { column: string; isDescending?: boolean } | undefined;

interface HeadProps<Row> {
  column: Column<Row>;
  order: Order;
  onSort: () => void;
}

const Head = <Row,>({ column: { id, label, sort, align }, order, onSort }: HeadProps<Row>) => {
  if (sort === undefined)
    return (
      <th scope="col" class={align}>
        {label}
      </th>
    );
  const isSorted = order?.column === id;
  const direction = order?.isDescending === true ? 'descending' : 'ascending';
  return (
    <th scope="col" class={align} aria-sort={isSorted ? direction : 'none'}>
      <button type="button" class="sort" onClick={onSort}>
        {label}
        {isSorted ? <Icon name={direction === 'descending' ? 'down' : 'up'} /> : null}
      </button>
    </th>
  );
};

const inOrder = <Row,>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order,
): readonly Row[] => {
  const sort = columns.find(({ id }) => id === order?.column)?.sort;
  if (sort === undefined) return rows;
  const direction = order?.isDescending === true ? -1 : 1;
  return rows.toSorted((one, other) => direction * compare(sort(one), sort(other)));
};

const compare = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : String(one).localeCompare(String(other), undefined, { numeric: true });
