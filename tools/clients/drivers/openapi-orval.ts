import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { ANSWERED, DECLINED, headers, isAnswer, isDecline, load, tryAll, url } from './driver.ts';
import { compile, description, run } from './generated.ts';

interface Reply {
  status: number;
  data: { answer: string; error?: { code: string } };
}
interface Program {
  ask(query: string, sent?: object): Promise<Reply>;
}

const PROGRAM = `import { postAsk as send } from './generated/client.ts';
export const ask = async (query: string, headers: Record<string, string> = ${JSON.stringify(headers)}) => {
  const { status, data } = await send({ query }, undefined, { headers });
  return { status, data };
};
`;

await tryAll({
  generate: async () => {
    const input = await description();
    const output = { target: 'generated/client.ts', client: 'fetch', baseUrl: url };
    await writeFile(
      'orval.config.mjs',
      `export default ${JSON.stringify({ api: { input, output } })};`,
    );
    await run('orval', '--config', 'orval.config.mjs');
  },
  compile: () => compile('program.ts', PROGRAM),
  bundle: () => run('esbuild', 'program.ts', '--bundle', '--format=esm', '--outfile=program.js'),
  'a question answered': async () => isAnswer(`${(await ask(ANSWERED)).data.answer} [1]`),
  'a question declined': async () => isDecline((await ask(DECLINED)).data.answer),
  'a bad request': async () => {
    const { status, data } = await ask(' ');
    assert.deepEqual([status, data.error?.code], [400, 'INVALID_QUERY']);
  },
  'a wrong key': async () => {
    const { status, data } = await ask('Why?', { Authorization: 'Bearer wrong' });
    assert.deepEqual([status, data.error?.code], [401, 'UNAUTHORIZED']);
  },
});

async function ask(query: string, sent?: object): Promise<Reply> {
  return (await load<Program>('./program.js')).ask(query, sent);
}
