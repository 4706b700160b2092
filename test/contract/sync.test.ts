import { describe } from 'vitest';
import { KnowledgeSearchRequest, KnowledgeSearchResponse } from '../../src/contract/knowledge.ts';
import { Healthz, LibrarianDescription, LibrarianDirectory } from '../../src/contract/librarian.ts';
import { SyncAccepted, SyncReport, SyncRequest, SyncStatus } from '../../src/contract/sync.ts';
import examples from './examples/sync.json' with { type: 'json' };
import { itRefuses, itTakes } from './it-refuses.ts';

const RUNNING = examples.running;
const REPORT = RUNNING.last_report;
const FRESH = { state: 'idle', edition: null, articles: 0, chunks: 0, progress: null, last_report: null };

describe('SyncRequest', () => {
  itTakes(SyncRequest, { 'an incremental sync': {}, 'a forced one': { full: true, force: true } });
  itRefuses(SyncRequest, { full: true }, [['full as a word', 'full', 'yes', /expected boolean/]]);
});

describe('SyncStatus', () => {
  itTakes(SyncStatus, { 'a running sync': RUNNING, 'one that never ran': FRESH });
  itTakes(SyncAccepted, { 'a sync that was running already': { started: false, status: RUNNING } });
  itRefuses(SyncStatus, RUNNING);
});

describe('SyncReport', () => {
  itTakes(SyncReport, {
    'a report with held deletions': REPORT,
    'a failed sync': {
      ...REPORT,
      outcome: 'failed',
      held_deletions: null,
      error: { code: 'DATA_SOURCE_ERROR', message: 'Cannot read the article list: status is 503' },
    },
  });
  itRefuses(SyncReport, REPORT, [
    ['an unknown error code', 'error', { code: 'OOPS', message: 'x' }, /INVALID_QUERY/, 'error.code'],
  ]);
});

describe('KnowledgeSearchRequest', () => {
  itTakes(KnowledgeSearchRequest, {
    'a bare query': { query: 'fan noise' },
    'a full one': { query: 'fan noise', limit: 50, filter: { intent: 'noise', device: 'Apollo II' } },
  });
  itRefuses(KnowledgeSearchRequest, { query: 'fan noise', limit: 10, filter: { device: 'Apollo' } });
});

describe('KnowledgeSearchResponse', () => {
  const RESPONSE = examples.searchResponse;
  itTakes(KnowledgeSearchResponse, { 'one hit': RESPONSE, 'no hit': { edition: 'e-8', hits: [] } });
  itRefuses(KnowledgeSearchResponse, RESPONSE, [['a relevance above 1', 'hits.0.relevance', 12.3, /<=1/]]);
});

describe('LibrarianDirectory', () => {
  itTakes(LibrarianDirectory, { 'one librarian': examples.directory });
  itRefuses(LibrarianDirectory, examples.directory, [
    ['an id in capitals', 'librarians.0.id', 'Navigator', /librarian id/],
    [
      'a capability that is a sentence',
      'librarians.0.capabilities',
      ['read all'],
      /capability/,
      'librarians.0.capabilities.0',
    ],
  ]);

  const DESCRIPTION = {
    ...examples.directory.librarians[0],
    health: undefined,
    access: 'signed',
    keys: [{ kid: 'navigator.1', x: 'A'.repeat(43) }],
  };
  itTakes(LibrarianDescription, { 'a description': DESCRIPTION });
  itRefuses(LibrarianDescription, DESCRIPTION, [['a key of 31 bytes', 'keys.0.x', 'A'.repeat(42), /32 bytes/]]);
});

describe('Healthz', () => {
  itTakes(Healthz, { 'the adapters in use': { status: 'ok', adapters: { knowledge: 'embedded' } } });
});
