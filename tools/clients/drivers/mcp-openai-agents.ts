import { headers, load, tryAll, url } from './driver.ts';
import { calledOf, orThrown, toolActions } from './mcp-tools.ts';

type Content = Parameters<typeof calledOf>[0]['content'];
interface Agents {
  MCPServerStreamableHttp: new (
    options: object,
  ) => {
    connect(): Promise<void>;
    listTools(): Promise<{ name: string }[]>;
    callTool(name: string, given: object): Promise<Content & { isError?: boolean }>;
  };
}
const { MCPServerStreamableHttp } = await load<Agents>('@openai/agents');
const server = new MCPServerStreamableHttp({
  name: 'constellation',
  url: `${url}/mcp`,
  requestInit: { headers },
});
await server.connect();

await tryAll(
  toolActions(
    async () => (await server.listTools()).map(({ name }) => name),
    (name, given) =>
      orThrown(async () => calledOf({ content: await server.callTool(name, given) }).text),
  ),
);
