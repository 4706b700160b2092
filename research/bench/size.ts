import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { unstable_readConfig } from 'wrangler';
import { bundleModules } from '../../tools/build/bundle-function.ts';
import { functionConfigs, ROOT } from '../../tools/functions.ts';

/** Limit of one function's compressed bundle, to catch accidents: 560 KiB, of which word lists and phrases are some 110 in the largest. */
export const MAX_GZIP_BYTES = 560 * 1024;
/** Functions that count tokens also contain the two vocabularies, one of which is loaded on first use: 1,500 KiB more. */
const COUNTING = new Set(['constellation-memory']);
/** Cloudflare's limit for a function, compressed, code and data together. */
export const MAX_UPLOAD_BYTES = 3 * 1024 * 1024;

export function maxGzipBytesOf(name: string): number {
  return (COUNTING.has(name) ? 4 : 1) * MAX_GZIP_BYTES;
}

export interface FunctionSize {
  name: string;
  bytes: number;
  gzipBytes: number;
  /** Limit of binary files: the table of word vectors. */
  dataGzipBytes: number;
}

/** The size of every function as it is uploaded: bundled, and minified where its configuration says so. */
export async function functionSizes(): Promise<FunctionSize[]> {
  return Promise.all(
    functionConfigs().map(async (file) => {
      const { name, main, minify } = unstable_readConfig({ config: join(ROOT, file) });
      const [code, ...data] = await bundleModules(main ?? '', { minify: minify === true });
      const bytes = Buffer.from(code?.contents ?? '');
      return {
        name: name ?? file,
        bytes: bytes.byteLength,
        gzipBytes: gzipSync(bytes).byteLength,
        dataGzipBytes: data.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0),
      };
    }),
  );
}

export async function benchSize(): Promise<void> {
  console.log('Size of each function, bundled for deployment');
  console.table(
    (await functionSizes()).map(({ name, bytes, gzipBytes, dataGzipBytes }) => ({
      function: name,
      KiB: (bytes / 1024).toFixed(1),
      'KiB gzip': (gzipBytes / 1024).toFixed(1),
      'data, KiB gzip': (dataGzipBytes / 1024).toFixed(1),
      limit: maxGzipBytesOf(name) / 1024,
    })),
  );
}
