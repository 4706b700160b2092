import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { functionConfigs, ROOT } from '../../../tools/functions.ts';
import { deployOrder } from '../../../tools/release/deploy-order.ts';

describe('deployOrder()', () => {
  it('puts every function after the ones that it calls', () => {
    const functions = functionConfigs().map((file) => {
      const { name = '', services = [] } = unstable_readConfig({ config: join(ROOT, file) });
      return { name, calls: services.map(({ service }: { service: string }) => service) };
    });
    const order = deployOrder(functions).map(({ name }) => name);
    expect([...order].sort()).toEqual(functions.map(({ name }) => name).sort());
    expect(order.at(-1)).toBe('constellation-gateway');
    for (const { name, calls } of functions)
      for (const called of calls) expect(order.indexOf(called)).toBeLessThan(order.indexOf(name));
  });
  it('names the functions of a cycle', () => {
    const circle = [
      { name: 'a', calls: ['b'] },
      { name: 'b', calls: ['a'] },
      { name: 'c', calls: [] },
    ];
    expect(() => deployOrder(circle)).toThrow('a, b call one another');
  });
});
