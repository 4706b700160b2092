import assert from 'node:assert/strict';
import { ANSWERED, errorOf, headers, load, mode, tryAll, url } from './driver.ts';
import { calledOf, toolActions } from './mcp-tools.ts';

interface Sdk {
  Client: new (info: object, options: object) => SdkClient;
  StreamableHTTPClientTransport: new (url: URL, options: object) => object;
}
interface SdkClient {
  connect(transport: object): Promise<void>;
  getNegotiatedProtocolVersion(): string;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(
    call: { name: string; arguments: object },
    options?: { onprogress(progress: object): void },
  ): Promise<Parameters<typeof calledOf>[0]>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(wanted: { uri: string }): Promise<{ contents: { text?: string }[] }>;
}

const { Client, StreamableHTTPClientTransport } = await load<Sdk>('@modelcontextprotocol/client');

const connect = async (sent: object = headers): Promise<SdkClient> => {
  const connected = new Client({ name: 'clients', version: '1' }, { versionNegotiation: { mode } });
  await connected.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: sent } }),
  );
  return connected;
};

const sdk = await connect();
await tryAll({
  'the revision': async () =>
    assert.equal(sdk.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25'),
  ...toolActions(
    async () => (await sdk.listTools()).tools.map(({ name }) => name),
    async (name, given) => calledOf(await sdk.callTool({ name, arguments: given })),
  ),
  'a stream (progress)': async () => {
    let reports = 0;
    const onprogress = (): void => {
      reports += 1;
    };
    await sdk.callTool({ name: 'ask', arguments: { query: ANSWERED } }, { onprogress });
    assert(reports > 0);
  },
  articles: async () => {
    const [first] = (await sdk.listResources()).resources;
    assert((await sdk.readResource({ uri: first?.uri ?? '' })).contents[0]?.text);
  },
  'a wrong key': async () =>
    assert.match(
      (await errorOf(() => connect({ Authorization: 'Bearer wrong' }))).message,
      /401|UNAUTHORIZED/i,
    ),
});
