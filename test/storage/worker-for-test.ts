import { convertV4MiniflareOptions, Miniflare, type MiniflareOptions } from 'miniflare';

type Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** workerd with one worker of these options, which is called `worker`. */
export const oneWorker = (contents: string, options: object = {}, shared: Partial<MiniflareOptions> = {}): Miniflare =>
  new Miniflare(
    // Its types know each option of a worker; a test that names a wrong one fails.
    convertV4MiniflareOptions({
      telemetry: { enabled: false },
      ...shared,
      workers: [
        {
          name: 'worker',
          compatibilityDate: '2026-11-01',
          modules: [{ type: 'ESModule', path: 'index.mjs', contents }],
          ...options,
        },
      ],
    } as Options),
  );
