/** A tag of BCP 47 (RFC 5646) as folders, front matter and pages write it: `pt_br` is `pt-BR`. Undefined for what is none. */
export function languageTag(name: string | undefined): string | undefined {
  const tag = name?.replaceAll('_', '-') ?? '';
  if (!/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(tag)) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}
