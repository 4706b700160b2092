import { describe, expect, it } from 'vitest';
import { prepareSource } from '../../src/grounding/support/prepare-source.ts';
import { checkSupport, SUPPORTED_FROM } from '../../src/grounding/support-check.ts';

const isSupportedBy = (answer: string, text: string, title = '') =>
  checkSupport(answer, [prepareSource({ text, title })]).score >= SUPPORTED_FROM;

describe('denials that only one of two sentences has', () => {
  it.each([
    ['Do not open the valve without gloves.', 'Open the valve without gloves.'],
    ['The device stops when the cover is not closed.', 'The device stops when the cover is closed.'],
    ['An order that has not been sent can be cancelled.', 'An order that has been sent can be cancelled.'],
    ['An order that has not been sent can be cancelled.', 'An order that has not been sent cannot be cancelled.'],
    [
      'The pump must not run when the tank is empty, and the lamp does not blink.',
      'The pump must run when the tank is empty, and the lamp does not blink.',
    ],
    ['We cannot see your balance, nor speed up a payment.', 'We can see your balance, nor speed up a payment.'],
  ])('of %j refuse %j', (source, answer) => {
    expect(isSupportedBy(source, source)).toBe(true);
    expect(isSupportedBy(answer, source)).toBe(false);
  });

  it.each([
    ['Do not use adapters with the old cable.', 'Adapters must not be used with the old cable.'],
    ['Do not use adapters with the old cable.', 'Never use adapters with the old cable.'],
  ])('of %j take %j', (source, answer) => {
    expect(isSupportedBy(answer, source)).toBe(true);
  });

  it('count the denial of a heading as said below it', () => {
    const text = 'Damage by liquids or lightning.';
    expect(isSupportedBy('Damage by lightning is not covered.', text, 'Not covered')).toBe(true);
    expect(isSupportedBy('Damage by lightning is not covered.', text, 'Covered')).toBe(false);
  });
});
