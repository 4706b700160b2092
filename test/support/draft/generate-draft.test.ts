import { describe, expect, it } from 'vitest';
import { Draft } from '../../../src/contract/support-response.ts';
import { createDraftComposer, createDraftGenerator } from '../../../src/support/draft/generate-draft.ts';
import { composeFor, knowledgeOf, passage, taxonomy, ticketOf } from './tickets.ts';

const LOUD = 'The fan of my Apollo II is loud. How do I make the fan quieter?';
const STEPS = passage('**Make it quieter**\n\n1. Choose Eco mode under **Miner > Power**.\n2. Clean the fan.');
const CLOSE = { title: 'Fans and noise', url: 'https://docs.example.com/care/fans', relevance: 0.6 };

interface Given {
  intent?: string;
  confidence?: number;
  knowledge?: ReturnType<typeof knowledgeOf>;
  isForeign?: boolean;
  passages?: (typeof STEPS)[];
  product?: string;
}
/** The draft for a message of an intent, with the given knowledge. */
const draftFor = (message: string, { intent = 'noise', confidence = 0.9, product, ...given }: Given = {}) => {
  const { knowledge = knowledgeOf(), isForeign = false, passages = [STEPS] } = given;
  const ticket = ticketOf(message, {}, { passages, hasPromptInjection: false });
  const compose = createDraftComposer({ taxonomy, ticket });
  const metadata = product === undefined ? undefined : { product };
  const found = { ...knowledge, language: 'en', isForeign };
  return compose({ primary_intent: intent, confidence }, 'Dana', metadata, found).draft;
};

describe('a draft with an answer', () => {
  it('greets, names the intent, quotes, closes and signs', () => {
    const { draft } = composeFor(LOUD, STEPS);
    expect(draft.text).toBe(
      [
        'Hello Dana Whitfield,',
        'thank you for your message about the noise of your Apollo II.',
        'This is what our documentation says:',
        'Make it quieter',
        '1. Choose Eco mode under Miner > Power.\n2. Clean the fan.',
        'If that does not help, just reply to this message.',
        'Brightseam Support',
      ].join('\n\n'),
    );
    expect(draft.html).toContain('<li>Choose Eco mode under <strong>Miner &gt; Power</strong>.</li>');
    expect(Draft.safeParse(draft).error).toBeUndefined();
  });
  it('lists its sources once, with public addresses', () => {
    const local = passage('Dust makes noise.', { title: 'Dust', url: 'http://127.0.0.1:8787/api/kb/text/dust.md' });
    const { draft } = composeFor(LOUD, STEPS, STEPS, local);
    expect(draft.references).toEqual([{ title: 'Fans and noise', url: 'https://docs.example.com/care/fans' }]);
    expect(draft.text).not.toMatch(/\[\d\]|https?:/);
  });
});

describe('a draft without an answer', () => {
  it('asks for missing facts, without mentioning the documentation', () => {
    const options = { passages: [], knowledge: knowledgeOf(CLOSE) };
    const { text, references, source_grounding } = draftFor('The fan does not stop rattling.', options);
    expect(text).toContain('please tell us:\n\n- ');
    expect(text).not.toMatch(/documentation|Fans and noise/);
    expect([references, source_grounding]).toEqual([[], null]);
  });
  it('asks for no facts about the device in reply to a question', () => {
    const { text } = draftFor('Is the fan of an Apollo III silent?', { passages: [] });
    expect(text).not.toContain('please tell us');
    expect(text).toContain('A colleague will look into it and reply to you.');
  });
  it('asks for more words when a question is too short to answer', () => {
    const { text } = draftFor('fan apollo 3?', { passages: [] });
    expect(text).toContain('tell us in a sentence or two what you would like to know');
  });
  it('names the covered products when the customer has another one, and asks nothing', () => {
    const message = 'The fan of my Apollo Nano does not stop rattling since the last update.';
    const { text } = draftFor(message, { passages: [], product: 'Apollo Nano' });
    expect(text).toContain(
      'the noise of your device.\n\nOur documentation is about Apollo, Apollo II, and Apollo III.',
    );
    expect(text).not.toMatch(/Nano|\n- /);
  });
  it('does not ask for a known product', () => {
    const options = { passages: [], confidence: 0.4, product: 'Apollo II', knowledge: knowledgeOf(CLOSE) };
    expect(draftFor('The fan of my Apollo II does not stop rattling.', options).text).not.toContain('which product');
  });
  it('does not mention an unlikely intent', () => {
    const { text, template } = draftFor('It rattles.', { passages: [], confidence: 0.49 });
    expect(template).toBe('general');
    expect(text).not.toContain('noise');
    expect(text).toContain('please tell us which product it is about');
    const answered = draftFor('It rattles.', { confidence: 0.49 }).text;
    expect(answered).toContain('Choose Eco mode');
    expect(answered).not.toMatch(/noise|A member of our team/);
  });
  it('replies to thanks in their language, and asks nothing', () => {
    expect(draftFor('That worked, thank you!').text).toBe(
      'Hello Dana,\n\nthank you for letting us know. If anything else comes up, just reply to this message.\n\nBrightseam Support',
    );
    expect(draftFor('Vielen Dank, es funktioniert jetzt wieder').text).toContain('vielen Dank für die Rückmeldung');
  });
});

describe('a draft in another language than the articles', () => {
  const options = { isForeign: true, knowledge: knowledgeOf(CLOSE, { ...CLOSE, title: 'Weather', relevance: 0.1 }) };
  it('states in the customer’s language that the articles are in another, and links the closest', () => {
    const draft = draftFor('Hola, ¿cómo puedo hacer que el ventilador de mi equipo sea más silencioso?', options);
    expect(draft.language).toBe('es');
    expect(draft.text).toContain('Nuestra documentación solo está disponible en inglés.');
    expect(draft.text).toContain('- Fans and noise (https://docs.example.com/care/fans)');
    expect(draft.text).not.toMatch(/Weather|Eco mode|thank you/);
  });
  it('uses the template in that language if there is one', () => {
    const draft = draftFor('Mein Gerät rechnet nicht mehr, was kann ich tun?', { ...options, intent: 'not_hashing' });
    expect(draft.language).toBe('de');
    expect(draft.text).toMatch(/^Hallo Dana,\n\nvielen Dank[\s\S]*nur auf Englisch/);
  });
  it('links only public addresses', () => {
    const knowledge = knowledgeOf({ ...CLOSE, url: 'http://localhost:8787/api/kb/text/fans.md' });
    const message = 'Le ventilateur de mon appareil est trop bruyant, que puis-je faire ?';
    const draft = draftFor(message, { ...options, knowledge });
    expect(draft.text).toContain('n’existe qu’en anglais');
    expect(draft.text).not.toMatch(/localhost|plus proches/);
  });
});

describe('a draft that may be sent automatically', () => {
  it('is only the template', () => {
    const message = 'How do I make a backup of my settings?';
    const sent = draftFor(message, { intent: 'backup_restore', confidence: 0.99 });
    expect(sent.auto_send).toBe(true);
    expect(sent.text).toContain('Open System > Backup.');
    expect(sent.text).not.toContain('Eco mode');
    const held = draftFor(message, { intent: 'backup_restore', confidence: 0.8 });
    expect(held.auto_send).toBe(false);
    expect(held.text).toContain('Eco mode');
  });
});

describe('createDraftGenerator()', () => {
  it('quotes nothing of knowledge without evidence', () => {
    const classification = { primary_intent: 'noise', confidence: 0.9 };
    const draft = createDraftGenerator({ taxonomy })(classification, undefined, {}, knowledgeOf(CLOSE));
    expect(draft.references).toEqual([]);
    expect(draft.text).not.toContain('Fans and noise');
  });
  it('is the same on every run', () => {
    expect(composeFor(LOUD, STEPS).draft).toEqual(composeFor(LOUD, STEPS).draft);
  });
});
