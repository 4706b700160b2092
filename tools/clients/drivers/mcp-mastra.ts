import assert from 'node:assert/strict';
import { headers, load, tryAll, url } from './driver.ts';
import { answerOf, orThrown, toolActions } from './mcp-tools.ts';

interface Mastra {
  MCPClient: new (
    options: object,
  ) => {
    listTools(): Promise<
      Record<string, { execute(given: object, context: object): Promise<unknown> }>
    >;
  };
}
const { MCPClient } = await load<Mastra>('@mastra/mcp');
const connected = new MCPClient({
  servers: { constellation: { url: new URL(`${url}/mcp`), requestInit: { headers } } },
});
const tools = await connected.listTools();

await tryAll(
  toolActions(
    async () => Object.keys(tools),
    (name, given) =>
      orThrown(async () => {
        const tool = tools[`constellation_${name}`];
        assert(tool);
        const result = (await tool.execute(given, {})) as { error?: true; message?: string }; // a result, or its own form of an error
        if (result.error) throw new Error(result.message);
        return answerOf(result);
      }),
  ),
);
