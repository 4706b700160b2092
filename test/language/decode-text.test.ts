import { expect, it } from 'vitest';
import { decodeText } from '../../src/language/decode-text.ts';

/** Bytes of a text in an encoding of one or two bytes a character, found by decoding all of them. */
const encode = (text: string, label: string): Uint8Array => {
  const decoder = new TextDecoder(label);
  const bytesOf = new Map<string, number[]>();
  for (let byte = 0; byte < 256; byte += 1) {
    const one = decoder.decode(Uint8Array.of(byte));
    if (one.length === 1 && one !== '\ufffd' && !bytesOf.has(one)) bytesOf.set(one, [byte]);
  }
  if (
    ![
      'windows-1250',
      'windows-1251',
      'windows-1252',
      'windows-1253',
      'iso-8859-2',
      'koi8-r',
    ].includes(label)
  )
    for (let lead = 0x81; lead < 0xff; lead += 1)
      for (let trail = 0x40; trail < 0xff; trail += 1) {
        const two = decoder.decode(Uint8Array.of(lead, trail));
        if ([...two].length === 1 && two !== '\ufffd' && !bytesOf.has(two))
          bytesOf.set(two, [lead, trail]);
      }
  return Uint8Array.from(
    [...text].flatMap((character) => {
      const bytes = bytesOf.get(character);
      if (bytes === undefined) throw new Error(`${label} has no ${character}`);
      return bytes;
    }),
  );
};

const TEXTS: Readonly<Record<string, string>> = {
  german:
    'Öffnen Sie den Behälter und füllen Sie Wasser ein. Danach schließen Sie den Deckel wieder fest zu.',
  polish:
    'Otwórz pokrywę i wlej wodę do zbiornika. Następnie zamknij pokrywę i włącz urządzenie, wciśnij przycisk, żeby zaczęło działać.',
  czech: 'Stiskněte tlačítko Uložit a počkejte pět minut.',
  russian:
    'Откройте крышку и налейте воду в бак. Затем закройте крышку и включите устройство кнопкой.',
  greek:
    'Ανοίξτε το καπάκι και γεμίστε το δοχείο με νερό. Μετά κλείστε το καπάκι και ενεργοποιήστε τη συσκευή.',
  chinese:
    '打开盖子并将水倒入水箱。然后关闭盖子，按下按钮启动设备。请每个月更换一次滤芯，并清洗水箱。',
  japanese:
    'ふたを開けて、タンクに水を入れてください。その後、ふたを閉めてボタンを押すと、装置が動き始めます。',
  korean: '뚜껑을 열고 물통에 물을 채우십시오. 그런 다음 뚜껑을 닫고 단추를 눌러 장치를 켜십시오.',
};

it.each([
  ['german', 'windows-1252'],
  ['polish', 'iso-8859-2'],
  ['polish', 'windows-1250'],
  ['czech', 'windows-1250'],
  ['russian', 'windows-1251'],
  ['russian', 'koi8-r'],
  ['greek', 'windows-1253'],
  ['chinese', 'gbk'],
  ['japanese', 'shift_jis'],
  ['japanese', 'euc-jp'],
  ['korean', 'euc-kr'],
] as const)('recognises %s in %s', (language, label) => {
  const text = TEXTS[language] ?? '';
  expect(decodeText(encode(text, label))).toBe(text);
});

it.each([
  ['a page', `<html><head><meta charset="gb2312"></head><body>更换滤芯</body></html>`, 'gbk'],
  [
    'a page by its http-equiv',
    `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">Да`,
    'windows-1251',
  ],
  ['an XML declaration', `<?xml version="1.0" encoding="iso-8859-2"?><p>Zażółć</p>`, 'iso-8859-2'],
])('believes the declaration of %s', (_, text, label) =>
  expect(decodeText(encode(text, label))).toBe(text),
);

it('prefers UTF-8 where the bytes are valid, whatever is declared', () => {
  const text = '<meta charset="latin1">Grüße';
  expect(decodeText(new TextEncoder().encode(text))).toBe(text);
});

it('reads UTF-16 with and without its mark', () => {
  const wide = (text: string): Uint8Array =>
    new Uint8Array(Uint16Array.from([...text].map((each) => each.charCodeAt(0))).buffer);
  expect(decodeText(wide('\ufeffAn umlaut: ü'))).toBe('An umlaut: ü');
  expect(decodeText(wide('An umlaut: ü'))).toBe('An umlaut: ü');
});

it('believes the host before it guesses', () => {
  expect(decodeText(encode('Да', 'windows-1251'), 'windows-1251')).toBe('Да');
});

it('does not read what is no text, or in doubt', () => {
  expect(
    decodeText(Uint8Array.from({ length: 400 }, (_, at) => (at * 7919) % 256)),
  ).toBeUndefined();
});

it('reads UTF-8 in which single bytes are none, or control characters stand for signs of Windows', () => {
  const german = new TextEncoder().encode('Größe der Düse, Öl und ');
  expect(decodeText(Uint8Array.of(...german, 0x92, 0x20, 0x61))).toBe(
    'Größe der Düse, Öl und \ufffd a',
  );
  expect(decodeText(new TextEncoder().encode('Größe 5 \u0096 7 mm für Düsen'))).toBe(
    'Größe 5 – 7 mm für Düsen',
  );
});
