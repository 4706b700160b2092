/** `npm run mcp`: a local MCP server that answers from a deployment. */

import { failUsage, readCommandLine } from '../../src/dev/command-line.ts';
import { bridgeMcp } from './mcp-bridge.ts';

const HELP = `Serves MCP over standard input and output, answering from a deployment.

  npm run --silent mcp

  CONSTELLATION_URL      address of the deployment (default http://127.0.0.1:8787)
  CONSTELLATION_API_KEY  an API key of it
  --help                 this text
`;

readCommandLine(HELP, { options: {} });
const { CONSTELLATION_URL: url = 'http://127.0.0.1:8787', CONSTELLATION_API_KEY: key = '' } = process.env;
if (key === '') failUsage('CONSTELLATION_API_KEY is not set');
if (!URL.canParse(url)) failUsage(`CONSTELLATION_URL is no address: ${url}`);
await bridgeMcp({ url, key, input: process.stdin, write: (line) => void process.stdout.write(line) });
