import { headers, tryAll, url } from './driver.ts';
import { askActions, compile, description, run } from './generated.ts';

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
  ...askActions('./program.ts'),
});
