/** `npm run build`: makes the static files that are deployed with the gateway. */
import { readCommandLine } from '../command-line.ts';
import { buildAssets } from './build-assets.ts';

const HELP = `Makes the console, the description of the API and the page that shows it, in dist/assets. npm start and npm run deploy do it
themselves.

  npm run build

  --help  this text
`;

readCommandLine(HELP, { options: {} });

console.log(`wrote ${await buildAssets()}`);
