import { describe, expect, it } from 'vitest';
import { languageOf } from '../../src/navigator/language-of.ts';

describe('languageOf()', () => {
  const CASES: [string, string | undefined][] = [
    ['How often must the boiler be descaled?', 'en'],
    ['Der Kessel muss alle 60 Tage entkalkt werden.', 'de'],
    ['Détartrez la chaudière tous les 60 jours.', 'fr'],
    ['Hay que descalcificar la caldera cada 60 días.', 'es'],
    ['La caldaia va decalcificata ogni 60 giorni.', 'it'],
    ['A caldeira deve ser descalcificada a cada 60 dias.', 'pt'],
    ['Ontkalk de boiler elke 60 dagen, of elke 30 dagen met hard water.', 'nl'],
    ['Kocioł należy odkamieniać co 60 dni, a w przypadku twardej wody co 30 dni.', 'pl'],
    ['Kazan her 60 günde bir ve sert su için 30 günde bir temizlenir.', 'tr'],
    ['Котел нужно чистить каждые 60 дней.', 'ru'],
    ['锅炉每60天除垢一次。', 'zh'],
    ['ボイラーは60日ごとに除去します。', 'ja'],
    ['보일러는 60일마다 청소합니다.', 'ko'],
    ['Descale the boiler every 60 days.', undefined],
    ['boiler descale', undefined],
    ['```sh\nfor f in the of and to is; do echo "$f"; done\n```', undefined],
    ['1234 5678', undefined],
    ['', undefined],
  ];
  it.each(CASES)('reads %j as %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });
});
