import assert from 'node:assert/strict';
import { headers, load, tryAll, url } from './driver.ts';
import { answerOf, orThrown, toolActions } from './mcp-tools.ts';

interface Adapters {
  MultiServerMCPClient: new (
    options: object,
  ) => {
    getTools(): Promise<{ name: string; invoke(given: object): Promise<unknown> }[]>;
  };
}
const { MultiServerMCPClient } = await load<Adapters>('@langchain/mcp-adapters');
const client = new MultiServerMCPClient({
  mcpServers: { constellation: { transport: 'http', url: `${url}/mcp`, headers } },
});
const tools = await client.getTools();

await tryAll(
  toolActions(
    async () => tools.map(({ name }) => name),
    (name, given) =>
      orThrown(async () => {
        const tool = tools.find((each) => each.name === name);
        assert(tool);
        const result = await tool.invoke(given);
        return answerOf(result);
      }),
  ),
);
