import { describe, expect, it } from 'vitest';
import { createKit } from './attack-kit.ts';
import { ATTACKS, CONTROLS, outcomeOf } from './attacks.ts';
import { realRuntime } from './real-runtime.ts';

const kit = await createKit(realRuntime);

describe('verifyContext() accepts', () => {
  for (const { number, name, run, gives, expected } of CONTROLS) {
    it(`${number} ${name}`, async () => {
      expect(gives(await run(kit))).toEqual(expected);
    });
  }
});

describe('verifyContext() and the senders refuse', () => {
  for (const { number, name, refused, run } of ATTACKS) {
    it(`${number} ${name}: ${refused[0]}`, async () => {
      expect(await outcomeOf(run(kit))).toEqual(refused);
    });
  }
});
