import type { UsedDirectory } from '../runtime/directory-number.ts';
import { migrate } from './migrations.ts';
import type { Sql } from './sql.ts';

/** The highest number of a key directory that each function has had, by the root that signed it. A row for each function and root. */
export const sqlDirectoryNumbers = (sql: Sql) => {
  migrate(sql, 'directory_numbers', [
    [
      `CREATE TABLE directory_numbers (
        function TEXT NOT NULL, root TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (function, root)
      ) WITHOUT ROWID`,
    ],
  ]);
  return {
    /** Records a directory and returns the highest number, this one included. */
    raise: ({ function: name, root, sequence }: UsedDirectory): number => {
      const [row] = sql.all<{ sequence: number }>(
        `INSERT INTO directory_numbers (function, root, sequence) VALUES (?, ?, ?)
          ON CONFLICT (function, root) DO UPDATE SET sequence = max(sequence, excluded.sequence) RETURNING sequence`,
        name,
        root,
        sequence,
      );
      return row?.sequence ?? sequence;
    },
  };
};
