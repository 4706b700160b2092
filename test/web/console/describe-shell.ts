import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { grant } from '../../functions/product-for-test.ts';
import { expectAccessible } from './accessibility.ts';
import {
  askIn,
  changeReply,
  goTo,
  identityProvider,
  newPage,
  open,
  openAndAsk,
  product,
} from './console-for-test.ts';

const READER = 'ck_reader_0123456789abcdef';
const MAX_SCRIPT = 45 * 1024;
const MAX_STYLE = 10 * 1024;

describe('the shell', () => {
  it('requests a key, and explains why one is refused', async () => {
    const page = await open('/ask', { key: '', expected: /401/ });
    const key = page.getByLabel('API key');
    await key.fill('short');
    await key.press('Enter');
    await page.getByText('This is no key').waitFor();
    await key.fill('ck_unknown_0123456789abcdef');
    await key.press('Enter');
    await page.getByText('unknown or has expired').waitFor();
    await expectAccessible(page);
    await key.fill(` ${product.key} `);
    await key.press('Enter');
    await page.getByLabel('Your question').waitFor();
    await page.getByText('default', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('signs in at an identity provider, and returns to the same view', async () => {
    const { host } = new URL(identityProvider.issuer);
    const page = await open('/knowledge?q=fan', {
      key: '',
      expected: /request to http:\/\/127|401/,
    });
    const button = page.getByRole('button', { name: `Sign in at ${host}` });
    await button.waitFor();
    await expectAccessible(page);
    identityProvider.person = undefined;
    await button.click();
    await page.getByText('The identity provider did not sign you in').waitFor();
    identityProvider.person = { sub: 'kim' };
    await button.click();
    await page.getByRole('region', { name: 'Passages found' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=fan');
    const token = await page.evaluate(() => sessionStorage.getItem('constellation.key'));
    expect(token?.split('.')).toHaveLength(3);
    await page.getByRole('button', { name: 'Sign out' }).click();
    // A code of another user, in a link.
    await goTo(page, '/sign-in?code=theirs&state=theirs');
    await page.getByText('This sign-in was not begun in this tab').waitFor();
  });

  it('explains a missing right, and keeps the question', async () => {
    await grant(product, READER, { capabilities: ['kb:read'] });
    const page = await open('/ask', { key: READER, expected: /40[0-9]|50[0-9]/ });
    await askIn(page, 'Does the Apollo support Bluetooth headphones?');
    await page.getByRole('button', { name: 'Report as gap' }).click();
    await page.getByText('This needs the capability support:analyze').waitFor();
    expect(await page.locator('.question').textContent()).toBe(
      'Does the Apollo support Bluetooth headphones?',
    );
  });

  it.each([
    ['/gaps', 'kb:read', 'support:analyze', 'This needs the capability', 'en-GB'],
    ['/knowledge', 'support:analyze', 'kb:read', 'This needs the capability', 'en-GB'],
    ['/tickets', 'kb:read', 'helpdesk:write', 'Das braucht das Recht', 'de-DE'],
  ])(
    'explains at %s that a key with %s lacks %s: %s',
    async (path, capability, missing, text, locale) => {
      const key = `ck_only_${capability.replace(':', '_')}_0123456789`;
      await grant(product, key, { capabilities: [capability] });
      const page = await open(path, { key, locale, expected: /401|403/ });
      await page.getByText(text).filter({ hasText: missing }).first().waitFor();
    },
  );

  it('requests another key when this one is no longer accepted, and keeps the input', async () => {
    const page = await open('/ask', { expected: /401/ });
    await page.getByLabel('Your question').fill('How do I swap the fan?');
    const error = {
      code: 'UNAUTHORIZED',
      message: 'Cannot accept the API key',
      recoverable: false,
    };
    await page.route(/\/v1\/(ask|librarians)/, (route) =>
      route.fulfill({ status: 401, json: { error } }),
    );
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('no longer accepted').waitFor();
    await page.unroute(/\/v1\/(ask|librarians)/);
    await page.getByLabel('API key').fill(product.key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.statement').first().waitFor();
    expect(await page.locator('.question').textContent()).toBe('How do I swap the fan?');
  });

  it('reports when the server cannot be reached, and shows a view once the connection is back', async () => {
    const page = await open('/ask', { expected: /ERR_INTERNET_DISCONNECTED/ });
    await page.getByText('connected', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Cannot reach the server').waitFor();
    await page.getByRole('link', { name: 'Librarians' }).click();
    await page.getByText('It is shown once the connection is back.').waitFor();
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Librarians', level: 1 }).waitFor();
    await page.locator('.card').first().waitFor();
    await page.getByText('connected', { exact: true }).waitFor();
    expect(await page.getByText('Cannot reach the server').count()).toBe(0);
  });

  it('shows in a narrow window which view it is, at the end of the rail too', async () => {
    const page = await open('/settings', { viewport: { width: 390, height: 844 } });
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    const current = page.locator('.rail [aria-current]');
    await expect.poll(async () => (await current.boundingBox())?.x).toBeLessThan(340);
  });

  it('says without articles how to get some', async () => {
    const page = await open('/settings');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await changeReply(page, '**/v1/sync', () => ({ articles: 0, chunks: 0 }));
    await goTo(page, '/ask');
    await page.getByText('There are no articles yet').waitFor();
    await page.locator('.suggestions').getByRole('link', { name: 'Sync' }).click();
    await page.getByRole('heading', { name: 'Sync', level: 1 }).waitFor();
  });

  it('uses the language of the browser until another is chosen, and the chosen theme', async () => {
    const page = await open('/ask', { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Fragen', level: 1 }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByRole('heading', { name: 'Ask' }).waitFor();
    await page.getByRole('button', { name: 'Colours of the system' }).click();
    await page.getByRole('button', { name: 'Light colours' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Ask' }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  it('serves the page with a policy at every address of a view, and its files as immutable', async () => {
    const { url } = product;
    const get = (path: string, accept = 'text/html') =>
      fetch(new URL(path, url), { headers: { accept } });
    for (const path of ['/', '/ask/abc', '/no/such/view']) {
      const page = await get(path);
      expect([path, page.status, page.headers.get('Cache-Control')]).toEqual([
        path,
        200,
        'no-cache',
      ]);
      expect(page.headers.get('Content-Security-Policy')).toContain("trusted-types 'none'");
      expect(page.headers.get('X-Content-Type-Options')).toBe('nosniff');
    }
    const [script = ''] = /\/console\/app-[A-Z0-9]+\.js/.exec(await (await get('/')).text()) ?? [];
    expect((await get(script, '*/*')).headers.get('Cache-Control')).toContain('immutable');
    // Missing files and addresses of the API are no pages.
    for (const path of ['/console/app-OLD.js', '/console/index.html', '/nothing.js', '/v1/nothing'])
      expect((await get(path)).headers.get('Content-Type')).toContain('application/json');
    expect((await get('/ask', 'application/json')).status).toBe(404);
    const nowhere = await open('/no/such/view');
    await nowhere.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });

  describe('a link that brings a key', () => {
    const OTHER = 'ck_another_owner_00000000';
    const heldBy = (page: Page) => page.evaluate(() => sessionStorage.getItem('constellation.key'));
    const dialogOf = (page: Page) =>
      page.getByRole('dialog', { name: 'A link brings another key' });

    it('replaces no key without a question that names both workspaces', async () => {
      await grant(product, OTHER, { workspaces: ['acme'], capabilities: ['kb:read'] });
      // The other key holds no right to gaps.
      const page = await open('/ask', { expected: /401/ });
      await goTo(page, `/gaps#key=${OTHER}`);
      await dialogOf(page).getByText('The key of the link has the workspace: acme.').waitFor();
      await dialogOf(page).getByText('Your key has the workspace: default').waitFor();
      expect([await heldBy(page), new URL(page.url()).hash]).toEqual([product.key, '']);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Keep my key' }).click();
      await dialogOf(page).waitFor({ state: 'detached' });
      await page.reload();
      expect(await heldBy(page)).toBe(product.key);

      await goTo(page, `/gaps?again#key=${OTHER}`);
      await page.getByRole('button', { name: 'Use the key of the link' }).click();
      await page.locator('header').getByText('acme').waitFor();
      expect(await heldBy(page)).toBe(OTHER);
    });

    it('that the deployment does not know cannot be used', async () => {
      const page = await open('/ask', { expected: /401/ });
      await goTo(page, `/gaps#key=${OTHER}x`);
      await dialogOf(page).getByText('does not accept the key of the link').waitFor();
      expect(await page.getByRole('button', { name: 'Use the key of the link' }).isDisabled()).toBe(
        true,
      );
    });

    it('signs no one in at a deployment without a question', async () => {
      const page = await newPage({ expected: /Cross-Origin-Opener-Policy/ });
      await page.route('http://gateway.example/**', async (route) => {
        const url = route.request().url().replace('http://gateway.example', product.url.origin);
        await route.fulfill({ response: await route.fetch({ url }) });
      });
      await page.goto(`http://gateway.example/#key=${encodeURIComponent(product.key)}`);
      await dialogOf(page).waitFor();
      expect(await dialogOf(page).textContent()).toContain('You are not signed in');
      expect(await heldBy(page)).toBeNull();
      await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
      await page.getByLabel('API key').waitFor();
    });
  });

  it('transfers a first view within its limits', async () => {
    const page = await open('/', { key: '' });
    await page.waitForLoadState('networkidle');
    const files: Promise<{ type: string; bytes: number }>[] = [];
    page.on('response', (response) => {
      const type = response.request().resourceType();
      if (type === 'script' || type === 'stylesheet')
        files.push(response.body().then((body) => ({ type, bytes: gzipSync(body).length })));
    });
    await goTo(page, `/?again#key=${encodeURIComponent(product.key)}`);
    await page.locator('.home section').first().waitFor();
    await page.waitForLoadState('networkidle');
    const transferred = await Promise.all(files);
    const total = (wanted: string) =>
      transferred.filter(({ type }) => type === wanted).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total('script')).toBeGreaterThan(10 * 1024);
    expect(total('script')).toBeLessThan(MAX_SCRIPT);
    expect(total('stylesheet')).toBeLessThan(MAX_STYLE);
  });

  it('copies a request as a command that repeats it', async () => {
    const page = await openAndAsk("What's the Apollo's E30?");
    await page.getByRole('button', { name: 'Show request' }).click();
    await page.locator('.requests button', { hasText: '/v1/ask' }).click();
    expect(await page.getByRole('tabpanel').textContent()).toContain(
      String.raw`"What'\''s the Apollo'\''s E30?"`,
    );
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    expect(await page.getByRole('tabpanel').textContent()).toContain('client.askStream({');
    await page.getByRole('tab', { name: 'MCP' }).click();
    const call = JSON.parse((await page.getByRole('tabpanel').textContent()) ?? '');
    expect(call.params).toMatchObject({
      name: 'ask',
      arguments: { query: "What's the Apollo's E30?" },
    });
    await expectAccessible(page);
  });
});
