import { expect, it } from 'vitest';
import { HostKbError } from '../../../src/knowledge/library/fetch-host-listing.ts';
import { readLibrarySettings } from '../../../src/knowledge/library/library-settings.ts';

it('opens a library whose hosts cannot be read: syncs alone fail', () => {
  const settings = readLibrarySettings({
    KB_URL: 'https://kb.example/api',
    KB_SOURCES: '{"acme": 1}',
  });
  expect(settings.history).toBe(0);
  expect(() => settings.sourceOf('default')).toThrow(HostKbError);
  expect(() => settings.workspaces()).toThrow('Cannot use KB_SOURCES');
});
