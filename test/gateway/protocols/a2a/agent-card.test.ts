import { expect, it, onTestFinished, vi } from 'vitest';
import { AgentCard } from '../../../../src/contract/wire/a2a.ts';
import { unsignedCard } from '../../../../src/gateway/protocols/a2a/agent-card.ts';
import { startGateway } from '../../gateway-for-test.ts';

it('caches the agent card only when every librarian of ours has described itself', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let isBusy = true;
  const { send } = await startGateway({
    infos: [{ id: 'navigator', name: 'Navigator', capabilities: ['kb:read'] }],
    onReply: (reply) => (isBusy ? new Response('busy', { status: 503 }) : reply),
    a2a: {
      card: async (deployment) => unsignedCard(deployment),
      answer: () => Promise.reject(new Error('is not asked')),
      erase: async () => 0,
    },
  });
  const readCard = async () => {
    const response = await send('/.well-known/agent-card.json');
    const { skills } = AgentCard.parse(await response.json());
    return [response.headers.get('cache-control'), skills.map(({ id }) => id)];
  };
  expect(await readCard()).toEqual(['no-cache', ['concierge']]);
  isBusy = false;
  vi.setSystemTime(Date.now() + 6000);
  expect(await readCard()).toEqual(['public, max-age=300', ['concierge', 'navigator']]);
});
