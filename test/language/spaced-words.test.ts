import { describe, expect, it } from 'vitest';
import { languageNamed } from '../../src/language/language.ts';
import { withSpacedWords } from '../../src/language/spaced-words.ts';

const words = (text: string, language = 'zh'): string =>
  withSpacedWords(text, languageNamed(language).stopWords).trim().split(/\s+/).join('|');

describe('words of scripts without spaces', () => {
  it.each([
    { text: '怎么关闭二次验证？', language: 'zh', expected: '怎么|关闭|二次|验证|？' },
    { text: '重置 admin 的密码', language: 'zh', expected: '重置|admin|密码' },
    { text: 'パスワードを変更', language: 'ja', expected: 'パスワード|変更' },
    { text: 'รหัสผ่าน', language: 'th', expected: 'รหัส|ผ่าน' },
  ])('are divided by a dictionary: $text', ({ text, language, expected }) =>
    expect(words(text, language)).toBe(expected),
  );
  it('stay together when no dictionary has them, and one character beside them goes', () => {
    expect(words('凇暘凇')).toBe('凇暘凇');
    expect(words('HTTP和HTTPS')).toBe('HTTP|HTTPS');
    expect(words('换手机')).toBe('手机');
  });
  it.each([
    { text: 'HTTP转HTTPS怎么设置', expected: 'HTTP|转|HTTPS|怎么|设置' },
    { text: 'MySQL换PostgreSQL', expected: 'MySQL|换|PostgreSQL' },
    { text: '茶', expected: '茶' },
    { text: '车 票', expected: '车|票' },
  ])('keeps one character that stands alone, as texts do: $text', ({ text, expected }) =>
    expect(words(text)).toBe(expected),
  );
  it.each(['How do I reset it?', 'Как сбросить пароль?', '비밀번호를 잊었어요', ''])(
    'leaves other text as it is: %s',
    (text) => expect(withSpacedWords(text, new Set(['it', 'do']))).toBe(text),
  );
});
