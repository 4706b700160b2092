import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorOf, key, tryAll, url } from './driver.ts';
import { toolActions } from './mcp-tools.ts';

const run = async (...args: string[]) => {
  const target = [
    '--cli',
    `${url}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${key}`,
  ];
  const { stdout } = await promisify(execFile)(
    'node_modules/.bin/mcp-inspector',
    [...target, ...args],
    {
      timeout: 25_000,
    },
  );
  return JSON.parse(stdout) as {
    tools?: { name: string }[];
    content?: { text?: string }[];
    isError?: boolean;
    resources?: { uri: string }[];
    contents?: { text?: string }[];
    prompts?: object[];
  }; // what the protocol says of a result
};

await tryAll({
  ...toolActions(
    async () => ((await run('--method', 'tools/list')).tools ?? []).map(({ name }) => name),
    async (name, given) => {
      const sent = Object.entries(given).flatMap(([member, value]) => [
        '--tool-arg',
        `${member}=${String(value)}`,
      ]);
      // It ends with 1 when a tool fails, in newer versions, with what the tool said on either output.
      try {
        const { content = [], isError } = await run(
          '--method',
          'tools/call',
          '--tool-name',
          name,
          ...sent,
        );
        return { text: content.map(({ text = '' }) => text).join('\n'), isError: isError === true };
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }; // as execFile documents
        return { text: `${stdout}\n${stderr}`, isError: true };
      }
    },
  ),
  articles: async () => {
    const [first] = (await run('--method', 'resources/list')).resources ?? [];
    assert(
      (await run('--method', 'resources/read', '--uri', first?.uri ?? '')).contents?.[0]?.text,
    );
  },
  prompts: async () => assert((await run('--method', 'prompts/list')).prompts?.length),
  'a wrong method': async () => void (await errorOf(() => run('--method', 'nothing/known'))),
});
