import { describe, expect, it } from 'vitest';
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import { takeInArticle } from '../../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../../src/knowledge/edition/repeated-blocks.ts';
import { analyseQuery } from '../../../src/knowledge/search/analyse-query.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';

const ARTICLES: Readonly<Record<string, string>> = {
  'clock.md':
    '# Set the clock\n\nHold the knob for three seconds, then turn it to the hour and press it once.',
  'cpp.md':
    '# Call the library from C++\n\nInclude `heron.hpp` and link against the shared object of the library.',
  'csharp.md':
    '# Call the library from C#\n\nAdd the package `Heron` and create a client with the address of the server.',
  'it.md':
    '# Reach the IT desk\n\nThe desk answers extension 2300 between seven and nineteen o’clock on working days.',
  'adresse.md':
    '# Adresse der Rechnung ändern\n\nDie Rechnungsadresse lässt sich unter **Konto** ändern, solange die Bestellungen noch nicht verschickt wurden.',
  'akku.md':
    '# Akku pflegen\n\nDer Akku hält am längsten, wenn Sie ihn nicht ganz entladen. Laden Sie ihn alle drei Monate auf.',
  'mot-de-passe.md':
    '# Réinitialiser le mot de passe\n\nOuvrez la page de connexion, choisissez **Mot de passe oublié**, puis suivez le lien reçu par courriel.',
  'garantia.md':
    '# Garantía de los aparatos\n\nLa garantía dura dos años. Guarde la factura, porque la tienda la pide cuando usted devuelve un aparato.',
};

const UNSPACED: Readonly<Record<string, string>> = {
  'mima.md': '# 重置密码\n\n打开登录页面，点击**忘记密码**，然后按照邮件中的链接设置新密码。',
  'dianchi.md': '# 电池\n\n电池每三个月至少要充电一次。电池损坏时请联系客服更换。',
  'pasuwado.md':
    '# パスワードの変更\n\nログイン画面で**パスワードを忘れた場合**を選び、届いたリンクから変更します。',
};

const open = (ids: readonly string[] = Object.keys(ARTICLES)): Edition =>
  openAll(Object.fromEntries(ids.map((id) => [id, ARTICLES[id] ?? ''])));

const openAll = (articles: Readonly<Record<string, string>>): Edition =>
  openEdition(
    attachRepeatedBlocks(
      buildEdition(
        Object.entries(articles).map(([id, content]) =>
          takeInArticle(
            { id, title: '', url: `https://example.com/${id}`, content },
            { articleUrl: () => '' },
          ),
        ),
        { id: 'e1', workspace: 'test', createdAt: '2026-01-01T00:00:00Z' },
      ),
    ),
  );

const all = open();
const first = (edition: Edition, question: string): string | undefined => {
  const [hit] = searchEdition(edition, question).hits;
  return hit && edition.article(hit.article).id;
};

describe('a knowledge base in several languages', () => {
  it('knows its languages, and keeps the signs of a title', () => {
    expect([...all.languages].sort()).toEqual(['de', 'en', 'es', 'fr']);
    expect(all.article(all.findArticle('csharp.md')).title).toBe('Call the library from C#');
  });
  it.each([
    ['de', 'Wie ändere ich die Adressen meiner Rechnungen?', 'adresse.md', 'Aus '],
    ['de', 'Wie oft muss ich den Akku laden?', 'akku.md', 'Aus '],
    ['fr', 'Comment réinitialiser mes mots de passe ?', 'mot-de-passe.md', 'Extrait de '],
    ['es', '¿Cuántos años duran las garantías?', 'garantia.md', ''],
    ['en', 'How do I set the clocks?', 'clock.md', 'From '],
  ])('answers in %s: %s', (_language, question, id, frame) => {
    const { response } = answerFromEdition(all, question);
    expect(response.sources[0]?.file).toBe(id);
    expect(response.answer).toContain(frame);
    expect(response.answer).not.toMatch(
      /only in English|nur auf Englisch|qu'en anglais|solo están en inglés/,
    );
  });
  it.each([
    ['How do I call it from C++?', 'cpp.md'],
    ['Which package do I need for C#?', 'csharp.md'],
    ['What is the number of IT?', 'it.md'],
  ])('finds the name in %s', (question, id) => expect(first(all, question)).toBe(id));
  it.each([
    ['我的手机丢了，能不能先帮我把密码整个重置掉？', 'mima.md', '机丢'],
    ['电池坏了怎么办，充不进去电', 'dianchi.md', '池坏'],
    ['パスワードを忘れてしまったので変更したいのですが', 'pasuwado.md', 'ドを'],
  ])('finds the words of a script without spaces: %s', (question, id, acrossWords) => {
    const unspaced = openAll(UNSPACED);
    const words = analyseQuery(unspaced, question).terms.map(({ word }) => word);
    expect(words).not.toContain(acrossWords);
    expect(first(unspaced, question)).toBe(id);
  });
  it('finds the parts of a compound', () => {
    const german = open(['adresse.md', 'akku.md']);
    expect(first(german, 'Kontoadresse')).toBe('adresse.md');
    expect(first(open(['clock.md', 'it.md']), 'clockdesk')).toBeUndefined();
  });
  it('says that articles are only in English where they are', () => {
    const english = open(['clock.md', 'cpp.md', 'csharp.md', 'it.md']);
    expect(
      answerFromEdition(english, 'Wie lange hält die Batterie meines Geräts?').response.answer,
    ).toContain('nur auf Englisch');
    expect(
      answerFromEdition(all, 'Как долго держится батарея моего устройства?').response.answer,
    ).not.toMatch(/английск/);
  });
  it('is in the domain of no question about other subjects', () => {
    for (const question of ['Wie lange muss ein Ei kochen?', 'Combien de temps cuire un œuf ?'])
      expect(answerFromEdition(all, question).response.sources).toEqual([]);
  });
});
