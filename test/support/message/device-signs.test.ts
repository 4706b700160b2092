import { describe, expect, it } from 'vitest';
import { deviceShown } from '../../../src/support/message/device-signs.ts';
import { openSmallKb } from '../../answering/write/small-kb.ts';

const article = (id: string, text: string) => ({
  id,
  title: id,
  url: `https://docs.example.com/${id}`,
  text,
  intents: [],
  devices: ['Model 1', 'Model 2', 'Model 3'],
  lastUpdated: '2026-01-01T00:00:00Z',
});
const TABLE = `## Overview

| | Model 1 | Model 2 | Model 3 |
| --- | --- | --- | --- |
| Serial number begins with | M1- | \`M2-\` | M3- |
| Burners | 44 | 60 | 96 (2 x 48) |
| Doors | 1 | 1 | 2 |
| Memory | 4 GB | 8 GB | 16 GB |`;
const { edition } = openSmallKb([
  article('specification.md', TABLE),
  article('other.md', 'A note on M2-000001 without a table.'),
]);
const shown = (text: string) => deviceShown(edition, text, []);

describe('deviceShown()', () => {
  it.each([
    ['My oven M3-004711 stays cold.', 'Model 3', 'M3-004711'],
    ['Seriennummer: M1-000123. Der Ofen bleibt kalt.', 'Model 1', 'M1-000123'],
    ['The display says 96 burners are on.', 'Model 3', '96 burners'],
    ['Only one of my 60 burners works', 'Model 2', '60 burners'],
  ])('tells the device of %j', (text, device, words) =>
    expect(shown(text)).toEqual({ device, words }),
  );

  it.each([
    ['nothing that tells devices apart', 'My oven stays cold after 12 hours.'],
    ['a number of something else', 'I wait for 96 days, and 44 people too.'],
    ['a count that two devices share', 'It has 1 door.'],
    ['a value with a unit', 'It has 8 GB of memory.'],
    ['an unknown beginning', 'My oven is M9-004711.'],
    ['an order number', 'My order is BR-11734.'],
    ['two devices', 'M1-000123 works, M2-000777 does not.'],
  ])('tells none by %s', (_, text) => expect(shown(text)).toBeUndefined());

  it('reads an endless text within its bounds', () => {
    expect(shown('M1-'.repeat(100_000))).toBeUndefined();
    expect(shown(`${'12 x '.repeat(50_000)}M1-000123`)).toBeUndefined();
  });
});
