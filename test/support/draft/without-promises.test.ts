import { describe, expect, it } from 'vitest';
import type { PickedSteps } from '../../../src/support/draft/pick-steps.ts';
import { withoutPromises } from '../../../src/support/draft/without-promises.ts';
import { passage } from './tickets.ts';

const PROMISE = 'We will refund the full price tomorrow.';
const steps = (more: Partial<PickedSteps>): PickedSteps => ({
  ...{ passage: passage('Clean the fan.'), kind: 'prose', isOrdered: false, intro: undefined, isCut: false },
  ...{ quotes: ['Clean the fan.', PROMISE] },
  ...more,
});

describe('withoutPromises()', () => {
  it('leaves out a sentence that promises what its source does not', () => {
    expect(withoutPromises([steps({})])).toEqual({
      kept: [steps({ quotes: ['Clean the fan.'] })],
      promises: [PROMISE],
    });
  });

  it('leaves out steps in an order whole', () => {
    expect(withoutPromises([steps({ kind: 'list', isOrdered: true })]).kept).toEqual([]);
  });

  it('keeps what the source says', () => {
    const own = steps({ passage: passage(PROMISE) });
    expect(withoutPromises([own])).toEqual({ kept: [own], promises: [] });
  });
});
