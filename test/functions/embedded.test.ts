import { afterAll, beforeAll, describe } from 'vitest';
import type { Product } from '../../tools/run/product.ts';
import { describeAnswers } from './describe-answers.ts';
import { describeAudiences } from './describe-audiences.ts';
import { describeAudit } from './describe-audit.ts';
import { describeConversations } from './describe-conversations.ts';
import { describeLibrarians } from './describe-librarians.ts';
import { describeOpenAI } from './describe-openai.ts';
import { describeParallel } from './describe-parallel.ts';
import { describeSignIn, providersOf } from './describe-sign-in.ts';
import { describeSupport } from './describe-support.ts';
import { type LocalIdentityProvider, startIdentityProvider } from './identity-provider-for-test.ts';
import { startEmbedded } from './product-for-test.ts';

/** The sample product on its built-in stores: one for all of these, since a start compiles every function. */
let product: Product;
let provider: LocalIdentityProvider;
const logged: string[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider();
  const allVars = { OIDC_PROVIDERS: providersOf(provider.issuer) };
  product = await startEmbedded({
    webSearch: 'local',
    allVars,
    onLog: (line) => void logged.push(line),
  });
  await product.sync({ full: true });
});
afterAll(async () => {
  await product?.stop();
  provider?.stop();
});

const productOf = () => product;
describe('librarians', () => describeLibrarians(productOf, logged));
describe('conversations', () => describeConversations(productOf));
describe('the interface of OpenAI', () => describeOpenAI(productOf));
describe('signing in', () => describeSignIn(productOf, () => provider));
describe('support', () => describeSupport(productOf));
describe('kept answers', () => describeAnswers(productOf, logged));
describe('many at once', () => describeParallel(productOf));
describe('audiences', () => describeAudiences(productOf));
describe('the audit log', () => describeAudit(productOf));
