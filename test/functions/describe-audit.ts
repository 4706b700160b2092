import { describe, expect, it } from 'vitest';
import { AuditPage } from '../../src/contract/wire/audit.ts';
import type { Product } from '../../tools/run/product.ts';
import { grant, send } from './product-for-test.ts';

const READER = 'ck_audit_reader_000000000000';
const EDITOR = 'ck_audit_editor_000000000000';
const WORKSPACE = 'audited';

/** The record of acts of administration: what is in it, who reads it, and that no caller writes it. */
export function describeAudit(productOf: () => Product): void {
  const entriesOf = async (key: string, query = '') => {
    const response = await send(
      productOf(),
      `GET /v1/audit?workspace_id=${WORKSPACE}${query}`,
      undefined,
      key,
    );
    return AuditPage.parse(await response.json());
  };

  describe('GET /v1/audit', () => {
    it('lists who did what and how it ended, without the values of persons and texts', async () => {
      const product = productOf();
      await grant(product, EDITOR, {
        workspaces: [WORKSPACE],
        capabilities: ['kb:*', 'answers:*'],
      });
      await grant(product, READER, { workspaces: [WORKSPACE], capabilities: ['audit:read'] });
      const as = (route: string, body?: unknown) => send(product, route, body, EDITOR);
      const article = { title: 'A', content: 'The seal of the pump is changed yearly.' };
      expect((await as('PUT /api/kb/articles/guides/a.md', article)).status).toBe(201);
      expect((await as('DELETE /api/kb/articles/guides/a.md')).status).toBe(204);
      expect((await as('DELETE /v1/answers?person_id=p-secret-1024')).status).toBe(200);
      expect((await as('DELETE /v1/answers?before=2020-01-01')).status).toBe(200);
      expect((await as('POST /v1/sync', { force: true })).status).toBe(202);
      // A right that the key does not hold: the attempt is noted too.
      expect((await as('DELETE /v1/support/requests?email=p-secret@example.com')).status).toBe(401);
      await as('POST /v1/ask', { query: 'How often is the seal changed?' });
      await expect
        .poll(async () => (await entriesOf(READER)).entries.length, { timeout: 60_000 })
        .toBe(6);

      const { entries } = await entriesOf(READER);
      expect(
        entries.map(({ action, outcome, status, parameters, target }) => [
          action,
          outcome,
          status,
          parameters,
          target,
        ]),
      ).toEqual(
        expect.arrayContaining([
          ['DELETE /v1/support/requests', 'UNAUTHORIZED', 401, ['email'], undefined],
          ['POST /v1/sync', 'ok', 202, ['force'], undefined],
          ['DELETE /v1/answers', 'ok', 200, ['before'], undefined],
          ['DELETE /v1/answers', 'ok', 200, ['person_id'], undefined],
          ['PUT /api/kb/articles/{id}', 'ok', 201, undefined, 'guides/a.md'],
          ['DELETE /api/kb/articles/{id}', 'ok', 204, undefined, 'guides/a.md'],
        ]),
      );
      expect(new Set(entries.map(({ by }) => by)).size).toBe(1);
      expect(entries[0]).toMatchObject({
        by: expect.stringMatching(/^user:[0-9a-f]{16}$/),
        name: EDITOR.slice(3, 9),
        workspace: WORKSPACE,
      });
      for (const text of ['p-secret', 'seal', EDITOR])
        expect(JSON.stringify(entries)).not.toContain(text);
      // Page by page; erasing answers erases none of it.
      const first = await entriesOf(READER, '&limit=3');
      const second = await entriesOf(READER, `&limit=3&cursor=${first.next_cursor}`);
      expect([...first.entries, ...second.entries]).toEqual(entries);
      expect(second.next_cursor).toBeNull();
      const wrong = await send(
        product,
        `GET /v1/audit?workspace_id=${WORKSPACE}&cursor=x`,
        undefined,
        READER,
      );
      expect(wrong.status).toBe(400);
    });

    it('is read with its own right, and written by no caller', async () => {
      expect((await send(productOf(), 'GET /v1/audit', undefined, EDITOR)).status).toBe(401);
      for (const method of ['POST', 'PUT', 'DELETE'])
        for (const key of [READER, productOf().key])
          expect(
            (await send(productOf(), `${method} /v1/audit`, {}, key)).status,
          ).toBeGreaterThanOrEqual(404);
    });
  });
}
