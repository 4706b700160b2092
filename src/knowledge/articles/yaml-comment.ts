/** What is asked of a line. */
type Characters = Pick<string, 'indexOf' | 'charAt'>;

/** Where a comment begins: at a `#` behind white space (YAML 1.2.2, section 6.6). Looks at no character more than twice. */
export const commentAt = (line: Characters): number | undefined => {
  for (let at = line.indexOf('#'); at >= 0; at = line.indexOf('#', at + 1))
    if (/\s/.test(line.charAt(at - 1))) return at;
  return undefined;
};
