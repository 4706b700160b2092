import { describe, expect, it } from 'vitest';
import { checkModelStatement } from '../../../src/answering/check/check-model-statement.ts';
import { placeQuotes } from '../../../src/answering/check/quote-evidence.ts';
import { ageOf } from '../../../src/answering/model/page-age.ts';
import { needsQueries } from '../../../src/answering/understand/search-queries.ts';

const TABLE =
  '| Code | Model A | Model B |\n| --- | --- | --- |\n| E21 | fan | filter |\n| E22 | cable | supply |\n| E23 | chip | clock |';

/** The check of a statement that quotes a text of the passage. */
const check = (
  text: string,
  source: string,
  { quote = source, question = 'What now?', devices = [] as string[] } = {},
) => {
  const passages = [{ id: 'p1', title: 'Care', headings: [], text: source, devices }];
  const quotes = placeQuotes({ part: 1, text, quotes: [{ passage: 'p1', quote }] }, passages);
  return checkModelStatement(text, quotes, { question, passages });
};

describe('a number of a statement', () => {
  it.each([
    ['in another notation', 'Sie zieht 1.440 W.', 'It draws 1,440 W.'],
    ['with spaces between groups', 'Elle consomme 1 440 W.', 'It draws 1440 W.'],
    ['with a decimal comma', 'Das sind 6,65 kg.', 'It weighs 6.65 kg.'],
    ['of a version', 'Use version 3.2.0.', 'Needs v3.2.0 or newer.'],
    ['in other digits', 'انتظر ٣٠ ثانية.', 'Wait for 30 seconds.'],
    ['that the source has as a word', 'Es gibt 3 Stufen.', 'Es gibt drei Stufen.'],
    ['of a month that the source names', 'Seit dem 04.11.2026.', 'Since November 4, 2026.'],
    ['that is the same time in another unit', 'Set it to 30 days.', 'It is deleted after a month.'],
    ['of a time in another language', '可设为 14 天。', 'Sie gilt zwei Wochen.'],
    [
      'of a sum that is written out',
      'That makes 2 x 48 = 96 ports for 2 units.',
      'Each of the 2 units has 48 ports.',
    ],
    [
      'of a path at the end',
      'Open /etc/brew/plan.conf.',
      'The plan is in /etc/brew/plan.conf and more.',
    ],
  ])('is no veto %s', (_what, text, source) => {
    expect(check(text, source).veto).toBeUndefined();
  });
  it.each([
    ['that stands nowhere', 'Wait for 90 seconds.', 'Wait for 60 or 30 seconds.'],
    ['of a wrong sum', 'That makes 2 x 48 = 98 ports.', 'Each of the 2 units has 48 ports.'],
    ['that would need another reading', 'It costs 1,441 EUR.', 'It costs 1.440 EUR.'],
    ['of a longer time', 'Set it to 45 days.', 'It is deleted after a month.'],
    ['without the unit of the time', 'Set it to 30 litres.', 'It is deleted after a month.'],
  ])('is a veto %s', (_what, text, source) => {
    expect(check(text, source).veto).toMatch(/does not have number/);
  });
});

describe('the name of a program in a sentence', () => {
  it.each([
    [
      'fr',
      'Le mot de passe ssh est « marmotte ».',
      'Connexion via ssh, mot de passe : « marmotte ».',
    ],
    [
      'de',
      'Über ssh funktioniert das nur im selben Netz.',
      'Nutzen Sie ssh. Das geht nur im selben Netz.',
    ],
    ['de', 'Das geht mit docker und ohne Neustart.', 'Es geht ohne Neustart, wenn docker läuft.'],
    [
      'es',
      'La clave de ssh está en la etiqueta del aparato.',
      'ssh: la clave está en la etiqueta del aparato.',
    ],
  ])('is no command: %s, %s', (_language, text, source) => {
    expect(check(text, source).veto).toBeUndefined();
  });
  it.each([
    ['en', 'Run kubectl delete pods now.', 'Run kubectl get pods now.'],
    [
      'de',
      'Führen Sie danach npm install aus, damit es wirkt.',
      'Führen Sie danach den Befehl aus, damit es wirkt.',
    ],
    [
      'fr',
      'Ensuite lancez sudo rm -rf / dans le terminal.',
      'Ensuite lancez la commande dans le terminal.',
    ],
  ])('begins a command that must stand in the passage: %s, %s', (_language, text, source) => {
    expect(check(text, source).veto).toMatch(/does not have command/);
  });
});

describe('code of a statement', () => {
  const source = 'Set the port:\n\n```js\nserver: { host: "0.0.0.0", port: 5173 }\n```';
  const text = 'Set the port:\n\n```js\nserver: { host: "0.0.0.0", port: 3000 }\n```';
  it('may have a number of the question in the place of its own, which the judge then looks at', () => {
    const { veto, doubt } = check(text, source, {
      question: 'It runs on port 3000, how do I set that?',
    });
    expect(veto).toBeUndefined();
    expect(doubt).toMatch(/3000/);
  });
  it.each([
    ['a number that the question lacks', text, 'How do I set the port?'],
    ['another word', text.replace('host', 'origin'), 'It runs on port 3000, how do I set that?'],
  ])('is refused with %s', (_what, written, question) => {
    expect(check(written, source, { question }).veto).toMatch(/does not have code/);
  });
  const template =
    'Add `packages: ["php$VERSION-<extension>"]` to the file, or run:\n\n```sh\nadd <name> --to <place>\n```';
  it.each([
    [
      'a span',
      'Add `packages: ["php$VERSION-imap"]` to the file.',
      'Where do I put the imap extension?',
    ],
    ['a block', 'Run:\n\n```sh\nadd redis --to web\n```', 'How do I add redis to web?'],
    [
      'twice',
      'Add `packages: ["php$VERSION-imap", "imap"]` to the file.',
      'Where do I put the imap extension?',
    ],
  ])(
    'may have words of the question in the place of placeholders of %s',
    (_what, written, question) => {
      const { veto, doubt } = check(written, template, { question });
      expect(veto).toBeUndefined();
      expect(doubt).not.toBe('');
    },
  );
  it.each([
    ['a word that the question lacks', 'Add `packages: ["php$VERSION-ldap"]` to the file.'],
    ['something else around it', 'Add `modules: ["php$VERSION-imap"]` to the file.'],
  ])('is refused in the place of a placeholder with %s', (_what, written) => {
    const { veto } = check(written, template, { question: 'Where do I put the imap extension?' });
    expect(veto).toMatch(/does not have code/);
  });
});

describe('code of an example', () => {
  const example =
    'Write `#template 10000 by 2025-12`, or run `git reset --soft HEAD` and `SELECT count FROM users`.\n\n' +
    'Log with `log /l*v install.log`. Another mode of `git reset` is `--mixed`. To turn the limit off, set it to zero: `config limit.count 1000`.\n\n' +
    'Open http://box.local:70/#/?lp=1 for the first.\n\n' +
    "```sh\nregex-test ads.example.org '(^|\\.)ads'\nPASSWORD='correct horse'\n```";
  it.each([
    [
      "the asker's amount, and capitals for a year",
      'Write `#template 1200 by YYYY-12`.',
      'I want to save 1200 by December',
    ],
    ["the asker's name", 'Run `SELECT count FROM orders`.', 'How many rows has my orders table?'],
    ['placeholders', "Run `regex-test <your domain> '<your regex>'`.", 'Is my domain blocked?'],
    [
      'a placeholder that the sentence names',
      "Run `regex-test <your domain> '<your regex>'` with `<your domain>`.",
      'Is it?',
    ],
    [
      'a number that the quotes name',
      'Turn it off with `config limit.count 0`.',
      'How do I turn the limit off?',
    ],
    ['marks that Markdown has too', 'Run `log /l*v <file>`.', 'How do I log it?'],
    ['an option that the text lists', 'Run `git reset --mixed HEAD`.', 'How do I keep my changes?'],
    [
      'an option of the asker',
      'Run `regex-test --quiet <your domain>`.',
      'Nothing is shown with regex-test --quiet',
    ],
    ['placeholders alone', 'Write `<your address> <your name>`.', 'What do I write there?'],
    ['a placeholder before a port', 'Set `<your host>:70`.', 'Which port?'],
    [
      'a value that the text names',
      'Write `config limit.count off`.',
      'How do I turn the limit off?',
    ],
    ['a form that the text describes', 'Write `reset|zero`.', 'How do I write it?'],
    ['parameters of an address', 'Open `http://box.local:70/#/?lp=2`.', 'A link to charger 2?'],
    [
      'a placeholder for words in quotes',
      "Write `PASSWORD='<your password>'`.",
      'How do I set a password?',
    ],
  ])('may be filled in with %s, which the judge then looks at', (_what, written, question) => {
    const { veto, doubt } = check(written, example, { question });
    expect(veto).toBeUndefined();
    expect(doubt).not.toBe('');
  });
  it.each([
    [
      'another amount than the asker has',
      'Write `#template 1300 by YYYY-12`.',
      'I want to save 1200 by December',
    ],
    ['another option', 'Run `git reset --hard HEAD`.', 'How do I do a hard reset?'],
    [
      'a number that the quotes lack',
      'Turn it off with `config limit.count 7`.',
      'How do I turn the limit off?',
    ],
    [
      'a placeholder for an option',
      'Run `git reset --<option> HEAD`.',
      'How do I do a hard reset?',
    ],
    [
      'another command before a placeholder',
      'Run `regex-drop <your domain>`.',
      'Is my domain blocked?',
    ],
    ['another word in capitals', 'Run `DELETE count FROM users`.', 'How many users are there?'],
    ['mostly words of the asker', 'Run `drop table orders FROM it`.', 'drop table orders'],
    [
      'a path made of words of the passages',
      'Write `PASSWORD=/git/users`.',
      'How do I set a password?',
    ],
    [
      'a made-up host',
      'Open `https://config.example.org/?count=<n>`.',
      'How do I turn the limit off?',
    ],
  ])('is refused with %s', (_what, written, question) => {
    expect(check(written, example, { question }).veto).toMatch(/does not have/);
  });
});

describe('code that follows a pattern of the passages', () => {
  const pattern =
    'In `plugin.yaml` each box has a section with `instance: fb6360`; an item names it as `avm_type@fb6360: wan`.\n\n' +
    'In crontab, `17:00<sunset<20:00` is at sunset, from 17:00 to 20:00; `06:30<sunrise` is at sunrise from 06:30 on.\n\n' +
    'hysteresis_upper: <threshold> [; <seconds>]\n\n' +
    'A struct of structs/test.yaml is named `my.test.individual`.\n\n' +
    '`shtime.is_holiday(date)` is True on holidays, `shtime.tomorrow()` is the next day. Use 123.45, not 123,45: `#template 123.45`.\n\n' +
    'Leave out titles with `-intitle:word`, take the last days with `date:P4D/`, wrap in `{{#One}}`. Texts: `app/i18n/fr/`.\n\n' +
    '| Occitan | oc |\n| --- | --- |\n\n' +
    'Name it after your plugin, `my-plugin-role-view-persons`. Look for the `listen_auth`key at `http://127.0.0.1:8090/console`. Clone `https://git.example/{your-name}/shop.git`. Every `ConfigMap`s is stored. Do not run `rm -rf build/cache`. 请勿彻底删除文件，点击**备份**按钮. 将`application.yaml`放在工作目录，`config.json`파일.';
  it.each([
    ["the asker's number in a name", 'Write `instance: fb6591`.', 'I have a 6591 and a 7530'],
    [
      'times of the asker',
      "Write `crontab: '06:30<sunrise<08:00'`.",
      'Not before half past 6, at 8 at the latest',
    ],
    [
      'seconds for minutes',
      'Write `hysteresis_upper: 40000 ; 300`.',
      'Longer than 5 minutes above 40000 lux',
    ],
    [
      "a name with points of the asker's words",
      'It is **my.blinds.standard**.',
      'struct standard of structs/blinds.yaml',
    ],
    ["the asker's word behind a prefix", 'Type `-intitle:soccer`.', 'How do I hide soccer?'],
    ["the asker's number within a name", 'Type `date:P3D/`.', 'Only the last 3 days'],
    [
      "the asker's words between marks",
      'Write `{{#Word}}` before `{{/Word}}`.',
      'I have a field Word',
    ],
    ['another last part of a path', 'They are in `./app/i18n/oc/`.', 'Where is Occitan?'],
    ['marks of the asker', 'Type `/<iframe/`.', '<iframe finds nothing'],
    [
      'words that join',
      'Write `eval: shtime.is_holiday(shtime.tomorrow()) or True`.',
      'An eval for tomorrow?',
    ],
    ['a number in another notation', 'Write `#template 1250.50`.', '#template 1.250,50 fails'],
    ['code that is joined to a word', 'Set `listen_auth`.', 'How do I log in?'],
    ['code between Chinese words', 'Put `application.yaml` there.', 'Where is it?'],
    ['the plural of code', 'All `ConfigMaps` stay.', 'What stays?'],
    ['a label in Chinese', '点击`备份`。', 'Where?'],
    ['code before a Korean ending', 'Open `config.json`.', 'Where is it?'],
    ['placeholders in a name', 'Call it `<plugin>-role-view-<things>`.', 'What is its name?'],
    ['a placeholder for one in braces', 'Run `git.example/<you>/shop.git`.', 'Where from?'],
    [
      'a word of the passages for one in braces',
      'Run `git.example/instance/shop.git`.',
      'Where from?',
    ],
    ['a placeholder in an address', 'Open `http://<your host>:8090/console`.', 'Where is it?'],
  ])('may have %s', (_what, written, question) => {
    expect(check(written, pattern, { question }).veto).toBeUndefined();
  });
  it.each([
    ['another name with the number', 'Write `instance: box6591`.', 'I have a 6591'],
    ['another number', 'Write `instance: fb6592`.', 'I have a 6591'],
    [
      'another function',
      'Write `eval: shtime.is_weekday(shtime.tomorrow())`.',
      'An eval for tomorrow?',
    ],
    ['another prefix', 'Type `-inurl:soccer`.', 'How do I hide soccer?'],
    ['another number within a name', 'Type `date:P5D/`.', 'Only the last 3 days'],
    ['another stem of a path', 'They are in `app/date/oc/`.', 'Where is Occitan?'],
    ['another last part that stands nowhere', 'They are in `app/i18n/de/`.', 'Where is German?'],
    [
      'a word for another one than in braces',
      'Run `git.example/shop/instance.git`.',
      'Where from?',
    ],
    ['placeholders in another name', 'Call it `<plugin>-view-role-<things>`.', 'Its name?'],
    ['another path behind a placeholder', 'Open `http://<host>/plugin/console`.', 'Where is it?'],
    ['a place of signs alone', 'Run `rm -rf /`.', 'How do I clear it?'],
    ['a part of Chinese words', '使用`删除`。', 'How do I remove it?'],
    ['a part of a word', 'Set `listen_aut`.', 'How do I log in?'],
    ['a common word in a name', 'Write `shtime.is_holiday.after`.', 'When is a holiday?'],
    ['a word with a number of another name', 'Open `fb6360/structs`.', 'Where are the structs?'],
    ['another last part of a name', 'Write `shtime.is_tomorrow()`.', 'Is tomorrow a holiday?'],
    ['a host with another last part', 'See **my.test.oc**.', 'Where is it?'],
    ['a host of the passages put together', 'See **sunset.shtime.holiday**.', 'Where is it?'],
    [
      'seconds of no minutes',
      'Write `hysteresis_upper: 40000 ; 420`.',
      'Longer than 5 minutes above 40000 lux',
    ],
  ])('is refused with %s', (_what, written, question) => {
    expect(check(written, pattern, { question }).veto).toMatch(/does not have/);
  });
  it('may name a file of another passage that was shown', () => {
    const passages = [
      {
        id: 'p1',
        title: 'Proxies',
        headings: [],
        text: 'Set `trustedProxies` to your proxy.',
        devices: [],
      },
      {
        id: 'p2',
        title: 'Files',
        headings: [],
        text: 'Settings stand in `config.json`.',
        devices: [],
      },
    ];
    const text = 'Set `trustedProxies` in `config.json` to your proxy.';
    const quotes = placeQuotes(
      { part: 1, text, quotes: [{ passage: 'p1', quote: passages[0]?.text ?? '' }] },
      passages,
    );
    const vetoOf = (shown: typeof passages) =>
      checkModelStatement(text, quotes, { question: 'Which?', passages: shown }).veto;
    expect(vetoOf(passages)).toBeUndefined();
    expect(vetoOf(passages.slice(0, 1))).toMatch(/does not have/);
  });
});

it('reads code of many names with placeholders in time that grows with their number', () => {
  const names = Array.from({ length: 100 }, (_, at) => `<x${at}>-<y>-<z>-end-b`).join(' ');
  const source = `Run \`start ${'a-'.repeat(5000)}x-y-z-end-b\` first.`;
  expect(check(`Run:\n\n\`\`\`\nstart ${names}\n\`\`\``, source).veto).toMatch(/does not have/);
});

it('reads code of ten placeholders without trying all combinations of their lengths', () => {
  const names = Array.from({ length: 10 }, (_, at) => `<n${at}>`).join('.');
  const source = `Run \`start ${'a.'.repeat(39)}a\` first.`;
  for (const end of ['end', 'a.start'])
    expect(check(`Run \`start ${names}.${end}\`.`, source).veto).toMatch(/does not have/);
});

describe('a number that stands nowhere', () => {
  const source = 'Tickets can be reopened for 2 weeks. A job sends 10 mails.';
  it.each([
    ['the factor of a sum that is written out', 'Enter 14 days (2 weeks x 7 = 14 days).', true],
    ['a factor without a sum', 'Enter 7 days.', false],
    ['another factor', 'Enter 16 days (2 weeks x 8 = 16 days).', false],
  ])('may be %s or not', (_what, written, isFine) => {
    expect(check(written, source, { question: 'older than two weeks?' }).veto === undefined).toBe(
      isFine,
    );
  });
});

describe('a doubt for the judge', () => {
  it.each([
    ['a denial that is lost', 'The pump can be opened.', 'The pump can not be opened.', /denies/],
    [
      'a denial that is added',
      'Die Pumpe wird nicht geöffnet.',
      'Die Pumpe wird geöffnet.',
      /denies/,
    ],
    [
      'a number that the quote lacks',
      'That makes 2 x 48 = 96 ports for 2 units.',
      'Each of the 2 units has 48 ports.',
      /96/,
    ],
  ])('names %s', (_what, text, source, expected) => {
    expect(check(text, source).doubt).toMatch(expected);
  });
  it('is not raised for the words of a row and its header', () => {
    expect(
      check('E21 is the fan on Model A.', TABLE, { quote: '| E21 | fan | filter |' }).doubt,
    ).toBe('');
  });
});

it('a page is old only beside one that is at least two years newer', () => {
  const now = new Date('2026-11-29');
  expect(ageOf('2021-11-02', { now, others: ['2021-11-02', '2026-01-01'] })).toEqual({
    years: 5,
    isOld: true,
  });
  expect(ageOf('2021-11-02', { now, others: ['2021-11-02', '2022-12-01'] })).toEqual({
    years: 5,
    isOld: false,
  });
  expect(ageOf('2024-11-02', { now, others: ['2026-11-28'] })).toEqual({ years: 2, isOld: false });
  expect(ageOf('some day', { now, others: [] })).toBeUndefined();
});

it.each([
  ['a weak search', 'How often is it descaled?', { probability: 0.3 }, true],
  ['a sure search', 'How often must the boiler be descaled?', {}, false],
  ['another language than the articles', 'Wie oft muss der Kessel entkalkt werden?', {}, true],
  ['two questions', 'How often is it descaled? And what does it cost?', {}, true],
])('queries of a model are asked for %s: %s', (_what, question, more, expected) => {
  expect(
    needsQueries(question, { probability: 0.9, history: [], languages: ['en'], ...more }),
  ).toBe(expected);
});
