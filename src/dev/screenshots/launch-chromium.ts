import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

/** Chromium of this machine, without its calls to other hosts; `CHROMIUM_PATH` names another. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
    ],
  });
