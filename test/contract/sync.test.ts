import { describe } from 'vitest';
import { KnowledgeSearchRequest, KnowledgeSearchResponse } from '../../src/contract/knowledge-search.ts';
import { Healthz, LibrarianDescription, LibrarianDirectory } from '../../src/contract/librarian-directory.ts';
import { SyncAccepted, SyncReport, SyncRequest, SyncStatus } from '../../src/contract/sync.ts';
import { ABSENT, itRefuses, itTakes } from './it-refuses.ts';

const REPORT = {
  run_id: 'r-7',
  full: true,
  forced: false,
  outcome: 'published',
  added: 1,
  changed: 2,
  removed: 0,
  unchanged: 20,
  skipped_count: 1,
  skipped: [{ id: 'kb-9', reason: 'Cannot take in the article: content is longer than 500000 characters' }],
  warning_count: 0,
  warnings: [],
  held_deletions: {
    count: 12,
    of: 35,
    limit: 0.3,
    ids: ['kb-1'],
    how_to_force: 'Send {"force": true} to POST /v1/sync to remove them.',
  },
  writes: 31,
  embeddings: 0,
  error: null,
  edition: 'e-8',
  started_at: '2024-12-15T10:00:00Z',
  finished_at: '2024-12-15T10:00:01.250Z',
};
const PROGRESS = {
  run_id: 'r-8',
  full: false,
  started_at: '2024-12-15T11:00:00Z',
  listed: 100,
  total: 250,
  processed: 0,
  to_process: 0,
};
const RUNNING = {
  state: 'listing',
  edition: 'e-8',
  articles: 23,
  chunks: 80,
  progress: PROGRESS,
  last_report: REPORT,
};
const FRESH = { state: 'idle', edition: null, articles: 0, chunks: 0, progress: null, last_report: null };

describe('SyncRequest', () => {
  itTakes(SyncRequest, { 'an incremental sync': {}, 'a forced one': { full: true, force: true } });
  itRefuses(SyncRequest, { full: true }, [
    ['full as a word', 'full', 'yes', /expected boolean/],
    ['an unknown member', 'forced', true, /not a known member/],
  ]);
});

describe('SyncStatus', () => {
  itTakes(SyncStatus, { 'a running sync': RUNNING, 'one that never ran': FRESH });
  itTakes(SyncAccepted, { 'a sync that was running already': { started: false, status: RUNNING } });
  itRefuses(SyncStatus, RUNNING, [
    ['another state', 'state', 'busy', /idle/],
    ['an empty edition', 'edition', '', />=1/],
    ['a count below 0', 'progress.listed', -1, />=0/],
  ]);
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
    ['another outcome', 'outcome', 'done', /published/],
    ['a skip without a reason', 'skipped.0.reason', ABSENT, /is missing/],
    ['held deletions that cannot be forced', 'held_deletions.how_to_force', ABSENT, /is missing/],
    ['an error of its own code', 'error', { code: 'OOPS', message: 'x' }, /INVALID_QUERY/, 'error.code'],
    ['no end', 'finished_at', ABSENT, /is missing/],
  ]);
});

describe('KnowledgeSearchRequest', () => {
  itTakes(KnowledgeSearchRequest, {
    'a bare query': { query: 'fan noise' },
    'a full one': { query: 'fan noise', limit: 50, filter: { intent: 'noise', device: 'Apollo II' } },
  });
  itRefuses(KnowledgeSearchRequest, { query: 'fan noise', limit: 10, filter: { device: 'Apollo' } }, [
    ['no query', 'query', ABSENT, /is missing/],
    ['a limit of 51', 'limit', 51, /<=50/],
    ['a limit of 0', 'limit', 0, />=1/],
    ['a limit as text', 'limit', '10', /expected/],
    ['an unknown filter', 'filter.workspace', 'other', /not a known member/],
    ['an unknown member', 'threshold', 0.5, /not a known member/],
  ]);
});

describe('KnowledgeSearchResponse', () => {
  const RESPONSE = {
    edition: 'e-8',
    hits: [
      {
        article_id: 'apollo/noise.md',
        title: 'Noise',
        url: 'https://docs.example.com/noise',
        heading: 'Fan > Speed',
        text: 'The fan ...',
        score: 12.3,
        relevance: 0.8,
        last_updated: '2024-12-15T10:00:00Z',
      },
    ],
  };
  itTakes(KnowledgeSearchResponse, { 'one hit': RESPONSE, 'no hit': { edition: 'e-8', hits: [] } });
  itRefuses(KnowledgeSearchResponse, RESPONSE, [
    ['no edition', 'edition', ABSENT, /is missing/],
    ['a relevance above 1', 'hits.0.relevance', 12.3, /<=1/],
  ]);
});

describe('LibrarianDirectory', () => {
  const ENTRY = {
    id: 'navigator',
    name: 'Navigator',
    description: 'Answers.',
    capabilities: ['kb:read'],
    health: 'ok',
  };
  itTakes(LibrarianDirectory, { 'one librarian': { librarians: [ENTRY] } });
  itRefuses(LibrarianDirectory, { librarians: [ENTRY] }, [
    ['an id in capitals', 'librarians.0.id', 'Navigator', /librarian id/],
    [
      'a capability that is a sentence',
      'librarians.0.capabilities',
      ['read all'],
      /capability/,
      'librarians.0.capabilities.0',
    ],
    ['no health', 'librarians.0.health', ABSENT, /ok/],
  ]);

  const { health: _health, ...info } = ENTRY;
  const DESCRIPTION = { ...info, access: 'signed', keys: [{ kid: 'navigator.1', x: 'A'.repeat(43) }] };
  itTakes(LibrarianDescription, { 'a description': DESCRIPTION });
  itRefuses(LibrarianDescription, DESCRIPTION, [
    ['another access', 'access', 'open', /public/],
    ['a key of 31 bytes', 'keys.0.x', 'A'.repeat(42), /32 bytes/],
  ]);
});

describe('Healthz', () => {
  itTakes(Healthz, { 'the adapters in use': { status: 'ok', adapters: { knowledge: 'embedded' } } });
});
