import { expect, it } from 'vitest';
import { serviceAddress } from '../../../src/platform/settings/settings.ts';

it('an address of a service names no port of another kind of service', () => {
  const read = (text: string) => serviceAddress(text, { name: 'KB_URL', isLocal: false });
  expect(read('https://kb.example.com:8443/api/')).toBe('https://kb.example.com:8443/api');
  expect(read('https://kb.example.com:443/')).toBe('https://kb.example.com');
  for (const port of [22, 25, 80, 1023])
    expect(() => read(`https://kb.example.com:${port}/`)).toThrow('its port');
});
