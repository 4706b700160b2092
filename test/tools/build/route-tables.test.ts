import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/contract/routes/http-routes.ts';
import { routeTable, withTables } from '../../../tools/build/route-tables.ts';
import { ROOT } from '../../../tools/functions.ts';

const page = readFileSync(join(ROOT, 'docs/http-api.md'), 'utf8');

describe('docs/http-api.md', () => {
  it('has each route once, as it is defined (node tools/build/route-tables.ts)', () => {
    expect(withTables(page)).toBe(page);
    const names = [...page.matchAll(/^\| `([A-Z]+ \/\S+)` \|/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  });

  it('says what a route needs, takes and gives', () => {
    expect(routeTable('Knowledge')).toContain(
      '| `DELETE /v1/knowledge/gaps/{id}` | `kb:write` | Delete a gap | → 204 |',
    );
    expect(routeTable('Sync')).toContain('`{full?, force?}` → `{started, status}`');
    expect(routeTable('Librarians')).toContain('| `POST /librarians/{id}/ask` | signed |');
  });
});
