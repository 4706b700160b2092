import assert from 'node:assert/strict';
import { ANSWERED, errorOf, headers, load, tryAll, url } from './driver.ts';
import { calledOf, toolActions } from './mcp-tools.ts';

interface Sdk {
  Client: new (info: object) => SdkClient;
}
interface SdkClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(
    call: { name: string; arguments: object },
    schema?: undefined,
    options?: { onprogress(progress: object): void },
  ): Promise<Parameters<typeof calledOf>[0]>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(wanted: { uri: string }): Promise<{ contents: { text?: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(wanted: { name: string; arguments: object }): Promise<{ messages: object[] }>;
}
interface Transport {
  StreamableHTTPClientTransport: new (url: URL, options: object) => object;
}

const { Client } = await load<Sdk>('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = await load<Transport>(
  '@modelcontextprotocol/sdk/client/streamableHttp.js',
);

const connect = async (sent: object = headers): Promise<SdkClient> => {
  const connected = new Client({ name: 'clients', version: '1' });
  await connected.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: sent } }),
  );
  return connected;
};

const sdk = await connect();
await tryAll({
  ...toolActions(
    async () => (await sdk.listTools()).tools.map(({ name }) => name),
    async (name, given) => calledOf(await sdk.callTool({ name, arguments: given })),
  ),
  'a stream (progress)': async () => {
    let reports = 0;
    const onprogress = (): void => {
      reports += 1;
    };
    await sdk.callTool({ name: 'ask', arguments: { query: ANSWERED } }, undefined, { onprogress });
    assert(reports > 0);
  },
  articles: async () => {
    const [first] = (await sdk.listResources()).resources;
    assert((await sdk.readResource({ uri: first?.uri ?? '' })).contents[0]?.text);
  },
  prompts: async () => {
    const [first] = (await sdk.listPrompts()).prompts;
    const { messages } = await sdk.getPrompt({
      name: first?.name ?? '',
      arguments: { question: 'Why?' },
    });
    assert.equal(messages.length, 1);
  },
  'a wrong key': async () =>
    assert.match(
      (await errorOf(() => connect({ Authorization: 'Bearer wrong' }))).message,
      /401|UNAUTHORIZED/i,
    ),
});
