import assert from 'node:assert/strict';
import { ANSWERED, DECLINED, headers, isAnswer, isDecline, load, tryAll, url } from './driver.ts';
import { compile, description, run } from './generated.ts';

interface Reply {
  data?: { answer: string };
  error?: { error: { code: string } };
  response: Response;
}
interface Program {
  ask(query: string, sent?: object): Promise<Reply>;
}

await tryAll({
  generate: async () => run('openapi-ts', '-i', await description(), '-o', 'generated', '-c', '@hey-api/client-fetch'),
  compile: () => compile('program.ts', PROGRAM()),
  bundle: () => run('esbuild', 'program.ts', '--bundle', '--format=esm', '--outfile=program.js'),
  'a question answered': async () => isAnswer(`${(await ask(ANSWERED)).data?.answer} [1]`),
  'a question declined': async () => isDecline((await ask(DECLINED)).data?.answer ?? ''),
  'a bad request': async () => {
    const { error, response } = await ask(' ');
    assert.deepEqual([response.status, error?.error.code], [400, 'INVALID_QUERY']);
  },
  'a wrong key': async () => {
    const { error, response } = await ask('Why?', { Authorization: 'Bearer wrong' });
    assert.deepEqual([response.status, error?.error.code], [401, 'UNAUTHORIZED']);
  },
});

function PROGRAM(): string {
  return `import { postAsk as send } from './generated/index.ts';
import { client } from './generated/client.gen.ts';
client.setConfig({ baseUrl: ${JSON.stringify(url)} });
export const ask = async (query: string, headers: Record<string, string> = ${JSON.stringify(headers)}) => {
  const { data, error, response } = await send({ body: { query }, headers });
  return { data, error, response };
};
`;
}

async function ask(query: string, sent?: object): Promise<Reply> {
  return (await load<Program>('./program.js')).ask(query, sent);
}
