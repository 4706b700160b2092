/** Header value of the basic scheme (RFC 7617), in UTF-8. */
export const basicAuth = (user: string, password: string): string => {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `Basic ${btoa(text)}`;
};
