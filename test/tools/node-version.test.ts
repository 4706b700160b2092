import { describe, expect, it } from 'vitest';
import { productProblem, sourcesProblem } from '../../tools/node-version.js';

describe('sourcesProblem()', () => {
  it.each(['18.20.8', '20.20.2', '22.17.1', '23.0.0', '23.5.0'])(
    'names %s and what is needed',
    (version) => {
      const problem = `This is Node ${version} (/bin/node), and the sources need 22.18 or later (of 23, 23.6 or later).`;
      expect(sourcesProblem(version, '/bin/node')).toContain(problem);
    },
  );
  it.each(['22.18.0', '22.22.1', '23.6.0', '24.0.0', '26.1.0'])('takes %s', (version) => {
    expect(sourcesProblem(version, '/bin/node')).toBeUndefined();
  });
});

describe('productProblem()', () => {
  it.each(['20.20.2', '22.12.0', '23.3.0'])('names %s and what is needed', (version) => {
    const problem = `constellation start needs Node 22.13 or later (of 23, 23.4 or later) to run the product, and this is ${version} (/bin/node).`;
    expect(productProblem('start', version, '/bin/node')).toContain(problem);
  });
  it.each(['22.13.0', '23.4.0', '24.0.0', '25.0.0'])('takes %s', (version) => {
    expect(productProblem('start', version, '/bin/node')).toBeUndefined();
  });
});
