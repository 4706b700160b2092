import { expect, it } from 'vitest';
import { rankTicketUnits } from '../../../src/support/draft/ticket-units.ts';
import { editionOf, foundIn } from './tickets.ts';

it('considers the likely articles of the search, even if many others have more common words', async () => {
  const others = Array.from({ length: 12 }, (_, at) => [
    `care/fan-${at}.md`,
    [{ title: `Loud fan ${at}` }, 'The loud fan of the miner is loud.'] as const,
  ]);
  const edition = editionOf({
    ...Object.fromEntries(others),
    'orders/parts.md': [{ title: 'Parts' }, 'Orders of parts leave within two days; a fan is one of them.'],
  });
  const { found } = await foundIn(edition, 'The fan of the miner is loud.');
  const parts = found.evidence.edition.articleCount - 1;
  const rankedWith = (articles: readonly number[]) =>
    rankTicketUnits({ ...found.evidence, articles }, {}).units.map(({ source }) => source.id);
  expect(rankedWith([])).not.toContain('orders/parts.md');
  expect(rankedWith([parts])).toContain('orders/parts.md');
});
