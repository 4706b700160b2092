import { convertV4MiniflareOptions, Miniflare, type MiniflareOptions } from 'miniflare';

type Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** workerd with one worker of these options, which is called `worker`. */
export function oneWorker(
  contents: string,
  options: object = {},
  shared: Partial<MiniflareOptions> = {},
): Miniflare {
  return new Miniflare(
    // The types do not accept options of unknown names; a wrong option fails its test.
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
}
