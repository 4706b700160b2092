import { describe, expect, it } from 'vitest';
import { questionPartsIn } from '../../src/language/split-questions.ts';

const partsIn = (message: string): string[] => questionPartsIn(message).map(({ text }) => text);

describe('the questions that a message asks at once', () => {
  it.each([
    [
      'How long is the warranty, and how do I reset it?',
      ['How long is the warranty', 'how do I reset it?'],
    ],
    [
      'Which ports do I open? how hot does it get',
      ['Which ports do I open?', 'how hot does it get'],
    ],
    [
      'The lamp blinks. What does the colour mean and where do I get a new one?',
      ['The lamp blinks. What does the colour mean', 'where do I get a new one?'],
    ],
    [
      'Wie lange gilt die Garantie und wie setze ich das Gerät zurück?',
      ['Wie lange gilt die Garantie', 'wie setze ich das Gerät zurück?'],
    ],
    [
      '¿Cuánto dura la garantía y cómo lo reinicio?',
      ['¿Cuánto dura la garantía', 'cómo lo reinicio?'],
    ],
    ['保修期多长？怎么重置设备？', ['保修期多长？', '怎么重置设备？']],
  ])('are each found: %s', (message, parts) => {
    expect(partsIn(message)).toEqual(parts);
  });

  it('are one for each code when it names nothing else', () => {
    expect(partsIn('E21 and E40?')).toEqual(['E21', 'E40']);
    expect(partsIn('What do E21 and E40 mean?')).toEqual(['E21', 'E40']);
    expect(partsIn('What does the lamp of E21 and E40 mean?')).toEqual([]);
  });

  it.each([
    'How do I install and run it on Linux?',
    'When I open the lid, what do I see and hear?',
    'The oven, which is hot, smells. What now?',
    'I was moved to the new version and can see no folder any more. How do I get them back?',
    'je me suis trompé plusieurs fois de mot de passe et maintenant mon adresse est bannie, comment la débloquer ?',
    'Kann ich sehen, wer meine Nachricht geöffnet hat?',
    'What does the oven cost, and why?',
  ])('are none but one: %s', (message) => {
    expect(partsIn(message)).toEqual([]);
  });

  it('have the one beside them as their context, and lack a subject where a pronoun or one word stands for it', () => {
    expect(questionPartsIn('How long is the warranty of the lamp, and how do I reset it?')).toEqual(
      [
        {
          text: 'How long is the warranty of the lamp',
          context: 'how do I reset it?',
          lacksSubject: false,
        },
        {
          text: 'how do I reset it?',
          context: 'How long is the warranty of the lamp',
          lacksSubject: true,
        },
      ],
    );
  });
});
