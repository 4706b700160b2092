import { describe, expect, it } from 'vitest';
import { shortestFloat32 } from '../../../src/dev/stand-ins/vector/float32.ts';

describe('shortestFloat32()', () => {
  it.each([
    [0.1, 0.1],
    [1 / 3, 0.33333334],
    [0.99996454, 0.99996454],
    [0, 0],
    [16777217, 16777216],
    [3.4028234663852886e38, 3.4028235e38],
  ])('of %d is %d', (value, shortest) => {
    expect(shortestFloat32(value)).toBe(shortest);
  });

  it('gives back every number of six digits, also where floats lie farther apart than numbers of seven', () => {
    for (let value = 8.58994e9; value < 8.6e9; value += 1e4) expect(shortestFloat32(value)).toBe(value);
  });

  it('names the same float', () => {
    for (let at = 1; at < 2000; at++) {
      const value = Math.fround(Math.sin(at) * 10 ** (at % 30));
      expect(Math.fround(shortestFloat32(value))).toBe(value);
    }
  });
});
