import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

/** Debian's packages of the same engine: the first has no windows, and opens a page in a third of the time. */
const COMMANDS = ['chromium-headless-shell', 'chromium'];

/**
 * Chromium of this machine, without its calls to other hosts; `CHROMIUM_PATH` names another.
 *
 * @throws {Error} When there is none.
 */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? chromiumPath(),
    args: [
      ...[
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
      ],
      ...['--disable-component-update', '--disable-sync'],
    ],
  });
}

const chromiumPath = (): string => {
  for (const command of COMMANDS) {
    const path = spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim();
    if (path !== '') return path;
  }
  throw new Error(
    `Cannot find Chromium: install one of ${COMMANDS.join(', ')}, or set CHROMIUM_PATH to another`,
  );
};
