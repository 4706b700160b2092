import { describe, it } from 'vitest';
import { describeLibrarian, type LibrarianCases } from '../../src/contract/conformance/describe-librarian.ts';
import { DataSourceError } from '../../src/http/coded-error.ts';
import { createApp, createNavigator } from '../../src/navigator/navigator-librarian.ts';
import { openSmallKb } from '../navigator/small-kb.ts';
import { identityOf } from '../signing/callers.ts';
import { servedLibrarian } from './served-librarian.ts';

const { edition } = openSmallKb();
const log = () => {};
const identity = await identityOf('navigator');

const SOURCES = {
  ready: async () => edition,
  down: () => Promise.reject(new DataSourceError('Cannot read the edition: status is 503')),
  silent: () => new Promise<never>(() => {}),
};

/** The navigator with a knowledge base that is ready, down or silent. */
const casesOf = (navigator: (source: keyof typeof SOURCES) => ReturnType<typeof createNavigator>): LibrarianCases => ({
  answers: { query: 'How often must the boiler be descaled?' },
  fails: { query: 'How often must the boiler be descaled?', librarian: navigator('down'), code: 'DATA_SOURCE_ERROR' },
  declines: { query: 'Who won the football final in Madrid?' },
  delegates: 'never',
  waits: { query: 'How often must the boiler be descaled?', librarian: navigator('silent') },
});

const bare = (source: keyof typeof SOURCES) => createNavigator({ readEdition: SOURCES[source], log });
const served = (source: keyof typeof SOURCES) =>
  servedLibrarian('navigator', createApp({ ...identity, log, editionFor: SOURCES[source] }));

describeLibrarian('the navigator', bare('ready'), casesOf(bare), { describe, it });
describeLibrarian('the navigator, over signed HTTP,', served('ready'), casesOf(served), { describe, it });
