/** An address that requests to a service go to. */
export interface ServiceAddress {
  /** Without a slash at its end. */
  baseURL: string;
  /** Only for a dated API of Azure: its client sends the key in a header of its own, and names the deployment in the path. */
  apiVersion?: string | undefined;
  /** The deployment that the address names; otherwise the model is one. */
  deployment?: string | undefined;
}

/**
 * The addresses to try, in order: as given, without an endpoint that was pasted along, and with `/v1` where the address names no version.
 * An address of Azure without a version means its v1 API, one of a deployment the last dated API.
 *
 * @param baseURL Checked: an http address, its query `?api-version=` or none.
 * @param options.keepsDeployment A deployment in the address is meant. It is one of a chat model, so embeddings do without.
 */
export function serviceAddresses(
  baseURL: string,
  { keepsDeployment }: { keepsDeployment: boolean },
): [ServiceAddress, ...ServiceAddress[]] {
  const url = new URL(baseURL);
  const path = url.pathname.replace(/\/+$/, '').replace(ENDPOINT, '');
  const version = url.searchParams.get('api-version') ?? undefined;
  const isAzure = AZURE.test(url.hostname);
  const [, before = '', deployment] = /^(.*)\/deployments\/([^/]+)$/.exec(path) ?? [];
  if (deployment !== undefined && (isAzure || version !== undefined)) {
    const named = keepsDeployment ? { deployment: decodeURIComponent(deployment) } : {};
    return [
      { baseURL: `${url.origin}${before}`, apiVersion: version ?? LAST_DATED_VERSION, ...named },
    ];
  }
  if (version !== undefined && !/\/v\d/.test(path))
    return [{ baseURL: `${url.origin}${path === '' ? '/openai' : path}`, apiVersion: version }];
  if (isAzure && (path === '' || path === '/openai'))
    return [{ baseURL: `${url.origin}/openai/v1` }];
  const given = { baseURL: `${url.origin}${path}` };
  return /\/v\d/.test(path) ? [given] : [given, { baseURL: `${given.baseURL}/v1` }];
}

const ENDPOINT = /\/(?:chat\/completions|completions|embeddings|responses|models)$/;
const AZURE = /\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.(?:com|us|cn)$/;
/** The last dated version of Azure's API that is generally available; the v1 API has followed it. */
const LAST_DATED_VERSION = '2024-10-21';
