import { describe, expect, it } from 'vitest';
import {
  deletionOf,
  dropDueAt,
  isIndexed,
  isRemoved,
} from '../../../src/knowledge/large/publication-rule.ts';
import { type Rule, type Sight, simulate } from './simulated-library.ts';

const RULE: Rule = { deletionOf, isIndexed, dropDueAt, isRemoved };
const FAULTS = { wrong: 0, deleted: 0, lost: 0 };
const faultsOf = ({ wrong, deleted, lost }: Sight) => ({ wrong, deleted, lost });

describe('publishing over an index that is eventually consistent', () => {
  it('shows each edition whole and nothing else', () => {
    const sight = simulate(RULE, { runs: 30, seed: 1, deletes: false });
    expect(faultsOf(sight)).toEqual(FAULTS);
    expect(sight.shown).toBeGreaterThan(100_000);
  });

  it('shows no deleted article and loses none when articles are deleted at any time', () => {
    const sight = simulate(RULE, { runs: 30, seed: 7, deletes: true });
    expect(faultsOf(sight)).toEqual(FAULTS);
    expect(sight.deletionsMeanwhile).toBeGreaterThan(500);
    expect(sight.shown).toBeGreaterThan(100_000);
  });
});

describe('the simulation', () => {
  const sightOf = (mutation: Partial<Rule>) =>
    simulate({ ...RULE, ...mutation }, { runs: 20, seed: 7, deletes: true });

  it('sees tombstones that are dropped while queries may still return what was deleted', () => {
    const sight = sightOf({ dropDueAt: (removedAt) => removedAt });
    expect(sight.wrong + sight.deleted).toBeGreaterThan(0);
  });

  it('sees tombstones that are dropped although a deletion was lost', () => {
    const sight = sightOf({ isRemoved: () => true });
    expect(sight.wrong + sight.deleted).toBeGreaterThan(0);
  });

  it('sees tombstones that are dropped although a deleted record may still appear', () => {
    const sight = sightOf({ isRemoved: ({ stored }) => stored === 0 });
    expect(sight.wrong + sight.deleted).toBeGreaterThan(0);
  });

  it('sees an edition that is shown before its records are', () => {
    expect(sightOf({ isIndexed: () => true }).lost).toBeGreaterThan(0);
  });

  it('sees an edition that is shown after a single count of 0', () => {
    const sight = sightOf({ isIndexed: ({ zeros }) => zeros >= 1 });
    expect(sight.lost).toBeGreaterThan(0);
  });

  it('sees a deletion that uses up the number of the next edition', () => {
    const sight = sightOf({
      deletionOf: ({ edition, highest }) => ({
        edition: edition + 1,
        highest: Math.max(highest, edition + 1),
        tombstone: edition + 1,
      }),
    });
    expect(sight.wrong + sight.deleted).toBeGreaterThan(0);
  });
});
