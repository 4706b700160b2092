import { describe, expect, it } from 'vitest';
import { checkStatement } from '../../src/grounding/check-statement.ts';

const EVIDENCE = [
  {
    headings: ['Power and Wi-Fi', 'Supplies'],
    text: `The pump needs 12 V and draws 1,200 mA. It runs for 24 months in Outlook 2016.

Two steps are needed:

1. Hold **Rinse** for 5 seconds.
2. Run \`brewctl wifi join --ssid <name>\` on port 8883, see https://docs.example.com/wifi.

| Mode | Noise (dBA) |
| --- | --- |
| Quiet | 32 |
| Turbo | 45 |`,
  },
  { headings: ['Warranty', 'Not covered'], text: '- Damage by lightning.\n- Lost income, in whatever case.' },
];
const QUESTION = 'Does my Barista II run on 110 volts?';
const check = (statement: string) => checkStatement(statement, EVIDENCE, { question: QUESTION });

describe('literals', () => {
  it.each([
    ['a unit without its space', 'It needs 12V.'],
    ['a unit in full', 'It needs 12 volts.'],
    ['no thousands separator', 'It draws 1200 mA.'],
    ['digits for a word', 'There are 2 steps.'],
    ['the numbers of a list', '1. Hold **Rinse** for 5 s.\n2. Use port 8883.\n3. Run it for 24 months.'],
    ['a number from a column whose header has the unit', 'Turbo makes 45 dBA.'],
    ['what the question says', 'Yes, your Barista II needs 12 V and not 110 volts.'],
    ['a name from a heading', 'It joins over Wi-Fi.'],
    ['a name without its hyphen', 'It joins over WiFi.'],
    ['the plural of a name', 'All Baristas need 12 V.'],
    ['code as it stands', 'Run `brewctl wifi join --ssid <name>`.'],
    ['an address as it stands', 'See https://docs.example.com/wifi.'],
    ['capitals of a heading at the beginning', '**Power Supply Noise**: it needs 12 V.'],
    ['capitals of common words', 'The Power Mode needs 12 V.'],
    ['the first word of a sentence behind code', 'Ejecute `brewctl wifi join --ssid <name>`. Después espere.'],
    ['the first word of a sentence behind brackets', 'Pulse **Rinse** (12 V). Después espere… Luego siga.'],
    ['the first word of a sentence behind quotation marks', 'Mantenga «Rinse». Después espere.'],
    ['the nouns of German', 'Die Pumpe braucht 12 V und das Gerät läuft nicht mit der anderen Spannung.'],
  ])('may be written with %s', (_what, statement) => {
    expect(check(statement).literals).toEqual([]);
  });

  it.each([
    ['a number', 'It needs 13 V.', '13 V'],
    ['a unit', 'It needs 12 A.', '12 A'],
    ['a version', 'It runs in Outlook 2019.', '2019'],
    ['a name', 'It needs a Zitronex filter for 12 V.', 'zitronex'],
    ['a name in brackets', 'It needs a filter (Zitronex). Then wait.', 'zitronex'],
    ['a command', 'Run `brewctl reset`.', 'brewctl reset'],
    ['an option', 'Add --force behind it.', '--force'],
    ['a path', 'It stands in /etc/brew/plan.conf.', '/etc/brew/plan.conf'],
    ['an address', 'See https://evil.example/wifi.', 'https://evil.example/wifi'],
    ['a host', 'See evil.example for it.', 'evil.example'],
    ['a mail address', 'Write to a@evil.example.', 'a@evil.example'],
  ])('make a statement unsupported where %s stands nowhere', (_what, statement, literal) => {
    expect(check(statement)).toMatchObject({ verdict: 'unsupported', probability: 0 });
    expect(check(statement).literals).toContain(literal);
  });
});

describe('identifiers', () => {
  it('are compared as whole words when one is a prefix of another', () => {
    const evidence = [{ headings: [], text: 'The CD4 co-receptor recognises it, and CD40 ligand gives a signal.' }];
    const said = 'The CD4 co-receptor recognises it, and CD40 ligand gives a signal to it.';
    expect(checkStatement(said, evidence, { question: '' }).literals).toEqual([]);
  });
});

describe('names', () => {
  it('are not compared across languages, since any word may have a capital there', () => {
    const spanish =
      'Para empezar, llena el depósito con agua. La bomba necesita 12 V, y Después la puedes encender de nuevo.';
    expect(check(spanish).verdict).toBe('doubtful');
    expect(check('The pump needs 12 V, and Acme can switch it on again.')).toMatchObject({
      verdict: 'unsupported',
      literals: ['acme'],
    });
  });
});

describe('the words of a statement', () => {
  it.each([
    ['stands literally in the evidence', 'The pump needs 12 V and draws 1,200 mA.', 1],
    ['says it in other words', 'You need a pump with 12 V that draws 1,200 mA.', 0.5],
    ['denies what a heading denies', 'Damage by lightning is not covered.', 0.5],
  ])('support one that %s', (_what, statement, probability) => {
    const result = check(statement);
    expect(result).toMatchObject({ verdict: 'supported', negationDiffers: false, reason: '' });
    expect(result.probability).toBeGreaterThanOrEqual(probability);
  });

  it.each([
    ['has a negation more', 'The pump does not need 12 V.', 'only one of statement and evidence denies'],
    ['drops the negation of a heading', 'Damage by lightning is covered.', 'only one of statement and evidence denies'],
    ['comes from elsewhere', 'Limescale is dissolved with weak acids.', 'the evidence does not have'],
    ['states nothing', 'Yes.', 'it states nothing by itself'],
  ])('doubt one that %s', (_what, statement, reason) => {
    const result = check(statement);
    expect(result.verdict).toBe('doubtful');
    expect(result.reason).toContain(reason);
  });

  it('are covered by the share of its worst sentence', () => {
    expect(check('Hold Rinse for 5 seconds.').coverage).toBe(1);
    const { coverage } = check('Hold Rinse for 5 seconds. Weak acids dissolve limescale.');
    expect(coverage).toBeLessThan(0.3);
  });

  it.each(['Follow these steps:', 'Then run this command:', "We don't have information about this."])(
    'need no evidence in %j',
    (statement) => {
      expect(check(statement).verdict).toBe('supported');
    },
  );
});
