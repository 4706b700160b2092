import assert from 'node:assert/strict';
import { headers, load, tryAll, url } from './driver.ts';
import { calledOf, orThrown, toolActions } from './mcp-tools.ts';

interface Mcp {
  createMCPClient(options: object): Promise<{ tools(): Promise<Record<string, Tool>> }>;
}
interface Tool {
  execute(given: object, options: object): Promise<Parameters<typeof calledOf>[0]>;
}
const { createMCPClient } = await load<Mcp>('@ai-sdk/mcp');
const connected = await createMCPClient({
  transport: { type: 'http', url: `${url}/mcp`, headers },
});
const tools = await connected.tools();

await tryAll(
  toolActions(
    async () => Object.keys(tools),
    async (name, given) => {
      const tool = tools[name];
      assert(tool);
      let failed = false;
      const called = await orThrown(async () => {
        const { text, isError } = calledOf(
          await tool.execute(given, { toolCallId: '1', messages: [] }),
        );
        failed = isError;
        return text;
      });
      return { ...called, isError: called.isError || failed };
    },
  ),
);
