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

const PROGRAM = `import createClient from 'openapi-fetch';
import type { paths } from './paths.d.ts';
const client = createClient<paths, 'application/json'>({ baseUrl: ${JSON.stringify(url)} });
export const ask = async (query: string, headers: Record<string, string> = ${JSON.stringify(headers)}) => {
  const { data, error, response } = await client.POST('/v1/ask', { body: { query }, headers });
  if (data !== undefined) data.answer?.length;
  if (error !== undefined) error.error?.code.length;
  return { data, error, response };
};
`;

await tryAll({
  generate: async () => run('openapi-typescript', await description(), '-o', 'paths.d.ts'),
  compile: () => compile('program.ts', PROGRAM),
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

async function ask(query: string, sent?: object): Promise<Reply> {
  return (await load<Program>('./program.ts')).ask(query, sent);
}
