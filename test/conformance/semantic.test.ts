import { describe, it } from 'vitest';
import { createApp } from '../../src/agents/semantic/semantic-agent.ts';
import { describeLibrarian } from '../../src/contract/conformance/describe-librarian.ts';
import { DataSourceError } from '../../src/http/coded-error.ts';
import type { Edition } from '../../src/search/open-edition.ts';
import { openSmallKb } from '../navigator/small-kb.ts';
import { identityOf } from '../signing/callers.ts';
import { servedLibrarian } from './served-librarian.ts';

const { edition } = openSmallKb();
const identity = await identityOf('semantic');
const QUESTION = 'How often must the boiler be descaled?';

const reading = (editionFor: () => Promise<Edition>) =>
  servedLibrarian('semantic', (ai) => createApp({ ...identity, log: () => {}, editionFor, ai }));
const down = reading(() => Promise.reject(new DataSourceError('Cannot read the edition: status is 503')));

describeLibrarian(
  'the semantic agent, over signed HTTP,',
  reading(async () => edition),
  {
    answers: { query: QUESTION },
    fails: { query: QUESTION, librarian: down, code: 'DATA_SOURCE_ERROR' },
    declines: { query: 'Who won the football final in Madrid?' },
    delegates: 'never',
    waits: { query: QUESTION, librarian: reading(() => new Promise<never>(() => {})) },
  },
  { describe, it },
);
