import { expect, it } from 'vitest';
import { impersonalSentences } from '../../../src/support/message/impersonal-sentences.ts';

it.each([
  [
    'en',
    'Carla Bruni',
    ['Hi Carla, please type the name as it is.', 'Best regards,', 'Tom from Example support'],
    ['Please type the name as it is.'],
  ],
  [
    'en',
    'Dana Ortiz',
    ['Dear Ms Ortiz,', 'If it is red, hold the button.', 'Kind regards, Tom'],
    ['If it is red, hold the button.'],
  ],
  [
    'de',
    undefined,
    ['Sehr geehrte Frau Ortiz,', 'Bitte halten Sie den Knopf.', 'Mit freundlichen Grüßen', 'Tom'],
    ['Bitte halten Sie den Knopf.'],
  ],
  ['fr', 'Carla', ['Bonjour Carla, appuyez dix secondes.'], ['Appuyez dix secondes.']],
  ['it', 'Carla', ['Ciao Carla, tenga premuto il pulsante.'], ['Tenga premuto il pulsante.']],
  ['en', 'Carla', ['Carla, it is on the invoice.'], ['It is on the invoice.']],
])('leaves out salutation, farewell and signature (%s)', (language, customerName, sent, said) => {
  expect(impersonalSentences(sent, { customerName, language })).toEqual(said);
});

it('keeps clauses that address no one, and short steps', () => {
  const steps = ['To reset it, hold the button.', 'In Windows, open Settings.', 'Choose Network'];
  expect(impersonalSentences(steps, { customerName: 'Carla', language: 'en' })).toEqual(steps);
});

it('marks a name within a sentence', () => {
  const sent = ['As Ortiz Ltd is a partner, it is free.'];
  expect(impersonalSentences(sent, { customerName: 'Dana Ortiz', language: 'en' })).toEqual([
    'As [name] Ltd is a partner, it is free.',
  ]);
});

it('has nothing of a reply that only thanks', () => {
  const sent = ['Hi Carla,', 'Thanks for your message.'];
  expect(impersonalSentences(sent, { customerName: 'Carla', language: 'en' })).toEqual([]);
});

it.each([
  ['en', 'Hold the button of the lamp.', ['Let me know if that helps!', 'Best regards,', 'Tom']],
  ['en', 'Hold the button of the lamp.', ['Feel free to reach out at any time.', 'Did it work?']],
  ['de', 'Halten Sie den Knopf gedrückt.', ['Melden Sie sich gerne, wenn etwas unklar ist.']],
  ['fr', 'Appuyez sur le bouton.', ["N'hésitez pas à nous recontacter si besoin."]],
  ['es', 'Pulse el botón.', ['Quedo a su disposición para cualquier duda.', 'Saludos']],
])('leaves out words that close a reply (%s)', (language, said, closing) => {
  expect(
    impersonalSentences([said, ...closing], { customerName: 'Dana', language, about: said }),
  ).toEqual([said]);
});

it('keeps a last sentence about the matter, and one with a figure or a code', () => {
  const sent = [
    'Reset the lamp.',
    'It takes 10 minutes.',
    'Then `E40` is gone.',
    'The timer stays.',
  ];
  const addressed = { customerName: 'Dana', language: 'en', about: 'Does my timer keep its time?' };
  expect(impersonalSentences(sent, addressed)).toEqual(sent);
});
