import { headers, tryAll, url } from './driver.ts';
import { askActions, compile, description, run } from './generated.ts';

const PROGRAM = `import { postAsk as send } from './generated/index.ts';
import { client } from './generated/client.gen.ts';
client.setConfig({ baseUrl: ${JSON.stringify(url)} });
export const ask = async (query: string, headers: Record<string, string> = ${JSON.stringify(headers)}) => {
  const { data, error, response } = await send({ body: { query }, headers });
  return { data, error, response };
};
`;

await tryAll({
  generate: async () =>
    run('openapi-ts', '-i', await description(), '-o', 'generated', '-c', '@hey-api/client-fetch'),
  compile: () => compile('program.ts', PROGRAM),
  bundle: () => run('esbuild', 'program.ts', '--bundle', '--format=esm', '--outfile=program.js'),
  ...askActions('./program.js'),
});
