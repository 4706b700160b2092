import { expect, it, vi } from 'vitest';

/** The secrets and tokens that a new process shares with its local helpdesks. */
const secretsOf = async (): Promise<string[]> => {
  vi.resetModules();
  const { startHelpdesks } = await import('../../../tools/stand-ins/helpdesks/start-helpdesks.ts');
  const helpdesks = await startHelpdesks();
  try {
    return Object.values(helpdesks.desks).flatMap(({ connection }) => [
      ...connection.secrets,
      connection.apiToken,
    ]);
  } finally {
    await helpdesks.stop();
  }
};

it('local helpdesks sign with secrets of their process, so that knowing the source is not enough to forge a ticket', async () => {
  const [one, other] = [await secretsOf(), await secretsOf()];
  expect(one.length).toBeGreaterThanOrEqual(10);
  for (const secret of one) expect(secret).toMatch(/^local-[a-z-]+-[\w-]{32}$/);
  expect(new Set([...one, ...other]).size).toBe(one.length + other.length);
});
