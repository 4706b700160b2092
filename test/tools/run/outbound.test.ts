import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startLocalCloud } from '../../../tools/run/local-cloud.ts';
import { loopbackServer } from '../../platform/http/loopback-server.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

/** A server of this machine that no name of elsewhere may lead to. */
const reached: string[] = [];
const server = await loopbackServer((request, response) => {
  reached.push(request.headers.host ?? '');
  response.end('internal');
});
const { port } = new URL(server.url);
const named = await loopbackServer((_, response) => void response.end('named'));

const folder = temporaryFolder();
writeFiles(folder, {
  'probe.ts': `export default { fetch: async (request: Request): Promise<Response> => {
    const to = new URL(request.url).searchParams.get('to') ?? '';
    return fetch(to, { redirect: 'manual' }).catch((error) => new Response(error.message, { status: 599 }));
  } };`,
});
const cloud = await startLocalCloud({
  port: 0,
  functions: [],
  privateHosts: `kb.test,${hostname()}:${new URL(named.url).port}`,
  // In place of a function of the product.
  mains: { 'constellation-gateway': join(folder, 'probe.ts') },
  moreWorkers: [{ name: 'probe', main: join(folder, 'probe.ts') }],
});
afterAll(() => Promise.all([cloud.stop(), server.close(), named.close()]));
const fetchFromFunction = async (to: string, name = 'constellation-gateway') => {
  const worker = await cloud.miniflare.getWorker(name);
  const response = await worker.fetch(`http://probe/?to=${encodeURIComponent(to)}`);
  return { status: response.status, text: await response.text() };
};

/** The name of this machine leads to it, as names of others may by mistake or on purpose. */
const own = hostname();
const isOwnName = await lookup(own).then(
  () => true,
  () => false,
);

it('connects to this machine by an address that says so', async () => {
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await fetchFromFunction(`http://${host}:${port}/`)).toEqual({
      status: 200,
      text: 'internal',
    });
});

it.runIf(isOwnName)(
  'refuses a name that leads to this machine, whatever it is called',
  async () => {
    reached.length = 0;
    for (const worker of ['constellation-gateway', 'probe'])
      expect(await fetchFromFunction(`http://${own}:${port}/`, worker)).toEqual({
        status: 599,
        text: expect.stringContaining(
          `or to an address of this machine or a private network, which PRIVATE_HOSTS=${own}:${port} allows`,
        ),
      });
    expect(reached).toEqual([]);
  },
);

it.runIf(isOwnName)('connects to a host that a person has named, on that port only', async () => {
  const { port: namedPort } = new URL(named.url);
  expect(await fetchFromFunction(`http://${own}:${namedPort}/`)).toEqual({
    status: 200,
    text: 'named',
  });
});

it.each([
  '127.0.0.2',
  '127.1.2.3',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '[::ffff:127.0.0.1]',
  '[::]',
  '[fe80::1]',
  '[fd00::1]',
])('refuses %s', async (address) => {
  reached.length = 0;
  const { status, text } = await fetchFromFunction(`http://${address}:${port}/`);
  expect([status, text]).toEqual([
    599,
    expect.stringContaining('an address of this machine or a private network'),
  ]);
  expect(reached).toEqual([]);
});
