import { loopbackServer } from '../../platform/http/loopback-server.ts';

/** The reply of a path: HTML, or a whole response. */
export type LocalPage =
  | string
  | { status?: number; headers?: Record<string, string>; body?: string | Uint8Array };

/** A web site on this machine, whose pages can be changed while it runs. */
export interface LocalSite {
  origin: string;
  pages: Map<string, LocalPage>;
  /** Requested paths in order; those answered with 304 are marked. */
  requests: string[];
  sitemap(modified?: Readonly<Record<string, string>>): void;
  stop(): Promise<void>;
}

export async function startSite(): Promise<LocalSite> {
  const pages = new Map<string, LocalPage>();
  const requests: string[] = [];
  const { url: origin, close } = await loopbackServer(({ url = '/', headers }, response) => {
    const page = pages.get(url);
    const reply = typeof page === 'string' ? { body: page } : (page ?? { status: 404 });
    const { status = 200, headers: own = {}, body = '' } = reply;
    const isUnchanged = own.ETag !== undefined && headers['if-none-match'] === own.ETag;
    requests.push(isUnchanged ? `${url} (unchanged)` : url);
    response.writeHead(isUnchanged ? 304 : status, {
      'content-type': 'text/html; charset=utf-8',
      ...own,
    });
    response.end(isUnchanged ? undefined : body);
  });
  return {
    origin,
    pages,
    requests,
    sitemap: (modified = {}) => {
      const entries = [...pages.keys()]
        .filter((path) => !/\.(?:xml|txt|gz)$/.test(path))
        .map((path) => {
          const time = modified[path] === undefined ? '' : `<lastmod>${modified[path]}</lastmod>`;
          return `<url><loc>${origin}${path}</loc>${time}</url>`;
        });
      const body = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`;
      pages.set('/sitemap.xml', { headers: { 'content-type': 'application/xml' }, body });
    },
    stop: close,
  };
}

export function pageOf(title: string, text: string, more = ''): string {
  return `<!doctype html><html lang="en"><head><title>${title} | Acme</title>${more}</head><body><header>Acme <a href="/">Home</a></header><nav><a href="/other">Other</a></nav><main><h1>${title}</h1><p>${text}</p></main><footer>Imprint</footer></body></html>`;
}
