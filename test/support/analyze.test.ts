import { describe, expect, it } from 'vitest';
import { unavailableRetrieval } from '../../src/contract/wire/knowledge.ts';
import {
  type IntentClassification,
  type SupportRequest,
  SupportResponse,
} from '../../src/contract/wire/support-response.ts';
import { createMask } from '../../src/language/privacy/mask.ts';
import { type AnalysisParts, analyze } from '../../src/support/analyze.ts';
import PHRASES from '../../src/support/message/phrases.json' with { type: 'json' };
import type { Knowledge } from '../../src/support/retrieval/knowledge.ts';
import type { KnowledgeRetriever } from '../../src/support/retrieval/retrieve-knowledge.ts';
import { composeNote } from '../../src/support/tickets/compose-note.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { userContext } from '../platform/context/callers.ts';
import PASSAGES from './drafts/answer-passages.json' with { type: 'json' };
import { editionOf, foundIn, knowledgeOf, passage, taxonomy } from './drafts/tickets.ts';
import { retrieved } from './retrieval/sample-edition.ts';

/** The analysis of a message with this classification, its note, and the options of the knowledge search. */
const analysed = async (
  classification: IntentClassification | ((words: string) => IntentClassification),
  message = 'The fan is loud and hot.',
  {
    knowledge = unavailableRetrieval(),
    wordVectors,
    ...request
  }: Partial<SupportRequest> & Pick<AnalysisParts, 'wordVectors'> & { knowledge?: Knowledge } = {},
) => {
  let searched: Parameters<KnowledgeRetriever>[1] | undefined;
  const response = await analyze(
    { message, ...request },
    { context: userContext(), waitUntil: () => {}, timeLeftMs: () => 1000, now: 0 },
    {
      taxonomyFor: async () => ({
        taxonomy: {
          ...taxonomy,
          intents: taxonomy.intents.map((each) => ({ ...each, article_intents: ['care'] })),
        },
        classifier: {
          threshold: 0.4,
          classify: typeof classification === 'function' ? classification : () => classification,
          likeliest: () => [],
        },
      }),
      retrieveKnowledge: async (_, options) => {
        searched = options;
        return knowledge;
      },
      mask: createMask([]),
      wordVectors,
    },
  );
  const { draft, agent_guidance: guidance } = SupportResponse.parse(response);
  return {
    draft,
    guidance,
    searched,
    response,
    saved: composeNote(response, { marker: 'cnote0123456789abcdef0123' }),
  };
};

it.each([
  [0.7, ['care', 'overheating']],
  [0.6, ['care']],
])(
  'also searches the articles of an intent that is nearly as likely: %d',
  async (confidence, articleIntents) => {
    const secondary_intents = [{ intent: 'overheating', confidence }];
    const { searched } = await analysed({
      primary_intent: 'noise',
      confidence: 0.8,
      secondary_intents,
    });
    expect(searched?.articleIntents).toEqual(articleIntents);
  },
);

describe('a question that would be declined', () => {
  const message = 'What is your VAT number? I need it for the invoice.';
  const asked = async (confidence: number) => {
    const classification = { primary_intent: 'warranty_claim', confidence };
    const knowledge = await retrieved({ intent: 'warranty_claim', message, include_weak: true });
    expect(knowledge.coverage).toBe('high');
    return analysed(classification, message, { knowledge, wordVectors: shippedWordVectors });
  };
  it('gets no quotes for the label of an unsure intent, and a hint to check', async () => {
    const { draft, guidance } = await asked(0.4);
    expect(draft.evidence ?? []).toEqual([]);
    expect(guidance.quoted_articles).toBeUndefined();
    expect(guidance.risks).toEqual([expect.stringContaining('The draft quotes nothing')]);
  });
  it('is none where the message has a code that the articles have, however unsure its intent', async () => {
    const report = 'Hi, my Apollo III shows E30 since yesterday, I restarted it twice. What next?';
    const classification = { primary_intent: 'overheating', confidence: 0.4 };
    const knowledge = await retrieved({
      intent: 'overheating',
      message: report,
      include_weak: true,
    });
    const options = { knowledge, wordVectors: shippedWordVectors };
    const { draft } = await analysed(classification, report, options);
    expect(draft.evidence).not.toEqual([]);
    expect(draft.text).toContain('E30');
  });
  it('gets the quotes of a sure intent, with a hint that they may not answer it', async () => {
    const { guidance } = await asked(0.9);
    expect(guidance.quoted_articles).toHaveLength(1);
    expect(guidance.risks).toContain(
      'The articles may not answer the question: asked by itself it would be declined.',
    );
  });
});

describe('a draft by what the message is', () => {
  const repair = { primary_intent: 'warranty_claim', confidence: 0.9 };
  it('regrets, and names the number that a person looks up, where an angry customer waits for a team', async () => {
    const { draft } = await analysed(
      repair,
      'This is unacceptable. My repair RMA-208811 takes months, and no one replies.',
    );
    expect(draft.text).toMatch(/I am sorry [^\n]+\n\nA member of our team looks up RMA-208811/);
  });
  it('regrets a third message, and no second one', async () => {
    const textAfter = async (...earlier: string[]) => {
      const history = earlier.map((text) => ({ from: 'customer' as const, text }));
      return (
        await analysed({ primary_intent: 'noise', confidence: 0.9 }, 'The fan still rattles.', {
          history,
        })
      ).draft.text;
    };
    expect(await textAfter('The fan rattles.', 'It rattles at night.')).toContain('I am sorry');
    expect(await textAfter('The fan rattles.')).not.toContain('I am sorry');
  });
  it('looks nothing up for thanks in words of any kind', async () => {
    const { draft, searched } = await analysed(repair, 'Danke, das beantwortet meine Frage.');
    expect(draft.text).toContain('vielen Dank für die Rückmeldung');
    expect(searched).toBeUndefined();
  });
});

it('quotes the warning about the case to a message of several questions, and no procedure against it', async () => {
  const { others, warning } = PASSAGES.articles;
  const edition = editionOf({ ...others, ...warning } as unknown as Parameters<
    typeof editionOf
  >[0]);
  const message = '1. The update got stuck, what now? 2. The LED is blue, can I pull the plug?';
  const { knowledge } = await foundIn(edition, message, { intent: 'firmware_update' });
  const { draft } = await analysed(
    { primary_intent: 'firmware_update', confidence: 0.9 },
    message,
    { knowledge },
  );
  expect(draft.text).toContain('Do not pull the plug while the LED is blue.');
  expect(draft.text).not.toContain('Pull the mains plug');
});

describe('a message that looks like spam', () => {
  it.each([
    [0.9, undefined, [expect.stringContaining('nothing was looked up')]],
    // No article answers.
    [0.58, expect.anything(), [expect.stringContaining('It may be from a customer all the same')]],
  ])(
    'gets no draft, and a search only when the classification is uncertain: %d',
    async (...row) => {
      const [confidence, isSearched, risks] = row;
      const { draft, guidance, searched, saved } = await analysed({
        primary_intent: 'spam',
        confidence,
      });
      expect([draft.text, draft.markdown, draft.html, draft.auto_send]).toEqual([
        '',
        '',
        '',
        false,
      ]);
      expect(searched).toEqual(isSearched);
      const percent = Math.round(confidence * 100);
      expect(guidance.summary).toBe(
        `Looks like "Spam or phishing" (${percent} % sure): no reply is proposed.`,
      );
      expect(guidance.auto_send).toEqual({
        allowed: false,
        reasons: [expect.stringContaining('Spam or phishing')],
      });
      expect(guidance.risks).toEqual(risks);
      expect(saved.note.text).toContain(guidance.summary);
      expect(saved.draft).toBeUndefined();
    },
  );
  it.each([
    ['spam is unlikely', 0.45, []],
    ['another intent is nearly as likely', 0.6, [{ intent: 'noise', confidence: 0.55 }]],
  ])('gets the general reply when %s', async (_, confidence, secondary_intents) => {
    const { draft, guidance } = await analysed({
      primary_intent: 'spam',
      confidence,
      secondary_intents,
    });
    expect(draft).toMatchObject({
      template: 'general',
      text: expect.stringContaining('thank you for writing'),
    });
    expect(guidance.auto_send.allowed).toBe(false);
  });
  it('gets a reply when it reports danger', async () => {
    const spam = { primary_intent: 'spam', confidence: 0.99 };
    expect((await analysed(spam, 'There is smoke coming out of my Apollo.')).draft.text).not.toBe(
      '',
    );
  });
});

describe('a message that reports danger', () => {
  const foreign = {
    ...knowledgeOf(passage('Push both plugs in until they click, then switch it on.')),
    language: 'en',
    isForeign: true,
  };
  it.each([
    ['en', 'There is smoke coming out of my Apollo II!'],
    ['de', 'Mein Apollo II raucht und riecht verbrannt!'],
    ['fr', 'Mon Apollo II sent le brûlé et il y a de la fumée !'],
    ['es', 'Mi Apollo II echa humo y huele a quemado, ¿qué hago?'],
    ['it', 'Dal mio Apollo II esce del fumo e sento puzza di bruciato!'],
    ['pt', 'O meu Apollo II está a deitar fumo e cheira a queimado!'],
    ['nl', 'Mijn Apollo II rookt en het ruikt verbrand!'],
    // Too short to tell its language otherwise.
    ['fr', 'Il fume !'],
    ['de', 'Akku aufgebläht'],
  ] as const)(
    'gets the safety reply in its language, whatever its intent and its articles: %s',
    async (language, text) => {
      for (const primary_intent of ['noise', 'safety', 'spam', 'backup_restore', 'unknown'])
        for (const knowledge of [foreign, unavailableRetrieval()]) {
          const { draft, guidance, response } = await analysed(
            { primary_intent, confidence: 0.99 },
            text,
            {
              knowledge,
            },
          );
          expect(draft.text).toContain(PHRASES[language].safety.split('\n')[0]);
          expect(draft).toMatchObject({
            language,
            auto_send: false,
            references: [],
            template: 'general',
          });
          expect(`${draft.markdown}${draft.html}`).not.toMatch(
            /https?:|<a |\[|^\s*(?:\d+[.)]|[-*]) /m,
          );
          expect(guidance.recommended_steps).toEqual([]);
          expect(guidance.escalation).toMatchObject({ needed: true, to: 'Safety team' });
          expect(response.intent_classification.danger).toBeDefined();
        }
    },
  );
  it.each([
    ['I live in a smoke-free home and want to return the unit', 'noise'],
    ['There is no smoke, I want to return the unit', 'noise'],
    ['Wir sind ein Nichtraucherhaushalt, es raucht nichts, ich will es zurückgeben', 'noise'],
    ['Does a smoke detector have to hang above it?', 'noise'],
  ])('is not classified by words that deny danger: %s', async (text, intent) => {
    const classify = (words: string): IntentClassification => ({
      primary_intent: /smoke|burns|rauch/i.test(words) ? 'safety' : 'noise',
      confidence: 0.8,
    });
    const { draft, guidance, response } = await analysed(classify, text);
    expect(response.intent_classification).toMatchObject({ primary_intent: intent });
    expect(guidance.escalation.to).not.toBe('Safety team');
    expect(draft.template).not.toBe('safety');
  });
  it('keeps the words of another intent', async () => {
    const read: string[] = [];
    const classify = (words: string): IntentClassification => {
      read.push(words);
      return { primary_intent: 'noise', confidence: 0.8 };
    };
    await analysed(classify, 'How do I burn an SD card?');
    expect(read).toEqual([expect.stringContaining('burn an SD card')]);
  });
  it('gets it for thanks that mention it, and in English where there are no phrases', async () => {
    const { draft } = await analysed(
      { primary_intent: 'noise', confidence: 0.9 },
      'Thanks, it still smells burnt',
    );
    expect(draft.text).toContain('your safety comes first');
    const polish = await analysed(
      { primary_intent: 'noise', confidence: 0.9 },
      'Dzień dobry, z mojego urządzenia wydobywa się dym, smoke is coming out, co mam teraz zrobić?',
    );
    expect(polish.draft).toMatchObject({
      language: 'en',
      text: expect.stringContaining('your safety comes first'),
    });
  });
  it('asks for the facts of the team that sees every such ticket, and for no others', async () => {
    const asked = async (primary_intent: string) =>
      (await analysed({ primary_intent, confidence: 0.9 }, 'It smokes')).guidance
        .missing_information;
    expect(await asked('safety')).toContain('Is anybody hurt, and is the power to the device cut?');
    expect(await asked('not_hashing')).toEqual([]);
  });
});

it.each([
  ['How do I restore a backup?', true, /lets its template go out alone/],
  ['I forgot the passphrase of my backup', false, /template does not speak of "forgot"/],
  [
    'Wie kann ich meine Einstellungen sichern und wiederherstellen?',
    false,
    /writes in German, the template is in English/,
  ],
])(
  'sends a template by itself only to a question that it answers: %s',
  async (message, allowed, reason) => {
    const sure = { primary_intent: 'backup_restore', confidence: 0.999 };
    const { draft, guidance, response } = await analysed(sure, message);
    expect(guidance.auto_send).toEqual({ allowed, reasons: [expect.stringMatching(reason)] });
    expect(draft.auto_send).toBe(allowed);
    expect(response.intent_classification.needs_person).toEqual(
      allowed ? [] : guidance.auto_send.reasons,
    );
  },
);

describe('automatic mail', () => {
  it.each<[string, Partial<SupportRequest>]>([
    ['its header', { headers: { 'auto-submitted': 'auto-replied' } }],
    [
      'its header, even where it quotes danger',
      { message: 'smoke!', headers: { Precedence: 'auto_reply' } },
    ],
    ['its sender', { from: 'MAILER-DAEMON@mx.example' }],
    [
      'its words',
      {
        subject: 'Automatische Antwort: Ihre Anfrage',
        message: 'Ich bin bis Montag nicht im Büro und antworte danach.',
      },
    ],
  ])(
    'is recognised by %s, and gets no draft, search or intent',
    async (_, { message, ...request }) => {
      const sure = { primary_intent: 'backup_restore', confidence: 0.999 };
      const { draft, guidance, searched, saved, response } = await analysed(sure, message, request);
      expect(draft).toMatchObject({ text: '', auto_send: false });
      expect(searched).toBeUndefined();
      expect(response.intent_classification).toMatchObject({
        primary_intent: 'unknown',
        automatic: expect.any(String),
      });
      expect(guidance).toMatchObject({
        risks: [guidance.summary],
        auto_send: { allowed: false },
        escalation: { needed: false },
      });
      expect(saved.draft).toBeUndefined();
    },
  );
  it('is no message about danger with such a subject', async () => {
    const { draft } = await analysed(
      { primary_intent: 'noise', confidence: 0.9 },
      'The supply smokes!',
      {
        subject: 'Out of office: urgent',
      },
    );
    expect(draft.text).toContain('your safety comes first');
  });
});
