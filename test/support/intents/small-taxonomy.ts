import { Taxonomy } from '../../../src/contract/taxonomy.ts';

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  shipping: [
    'Where is my parcel?',
    'When will my order arrive?',
    'The tracking number does not work',
    'My package has not been delivered',
    'How long does delivery take?',
    'The parcel is late',
    'Has my order been shipped yet?',
    'Delivery to another address',
  ],
  password: [
    'I forgot my password',
    'How do I reset the password?',
    'The login is locked',
    'My password is not accepted',
    'I cannot log in any more',
    'Change my password please',
    'Password reset link does not work',
    'Locked out of my account',
  ],
  noise: [
    'The fan is too loud',
    'How do I make the device quieter?',
    'It makes a rattling noise',
    'The noise keeps me awake at night',
    'Is there a quiet mode?',
    'A whining sound comes from the box',
    'The fan rattles',
    'Loud buzzing since yesterday',
  ],
  refund: [
    'I want my money back',
    'How do I return the device?',
    'Please refund my purchase',
    'Can I send it back?',
    'When is the refund paid?',
    'Return policy for opened boxes',
    'I would like to return it',
    'Cancel and refund please',
  ],
};

/** Four intents with eight examples each, as a team without much time writes them. */
export const smallTaxonomy = (changes: Partial<Taxonomy> = {}): Taxonomy => ({
  ...Taxonomy.parse({
    version: 1,
    name: 'Small',
    intents: Object.entries(EXAMPLES).map(([id, examples]) => ({
      id,
      title: id,
      examples,
      reply_template: 'Hello {customer_name},\n\n{knowledge}',
    })),
    general_template: 'Hello {customer_name},\n\n{knowledge}',
  }),
  ...changes,
});
