/** The words of a name that only a site generator resolves: `/admin/first-steps.html` is "first steps". */
export function titleFromName(name: string): string {
  const [path = '', fragment = ''] = name.split('#');
  const last =
    path
      .replace(/\.\w{2,5}$/, '')
      .split('/')
      .filter(Boolean)
      .at(-1) ?? fragment;
  return /^[\w.:-]+$/.test(last)
    ? (last.split(':').at(-1) || last).replace(/^_+/, '').replace(/[-_]+/g, ' ').trim()
    : last;
}
