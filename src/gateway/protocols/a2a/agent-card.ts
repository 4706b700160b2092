import {
  type AgentSkill,
  AgentCard as CardCodec,
  canonicalizeAgentCard,
  type SecurityScheme,
} from '@a2a-js/sdk';
import type { LibrarianEntry } from '../../../contract/core/librarian.ts';
import {
  type A2aDeployment,
  EVIDENCE_EXTENSION,
  type UnsignedCard,
} from '../../../contract/wire/a2a.ts';
import { OUTPUT_MODES } from './parts.ts';
import { INPUT_MODES } from './read-message.ts';
import { LEGACY_VERSION, VERSION } from './serve.ts';

/** Version of the skills and what they give, not of the protocol. */
const CARD_VERSION = '1.0.0';

type Card = ReturnType<typeof CardCodec.fromJSON>;

/** The card of the deployment: one skill for each librarian. */
const cardOf = ({ origin, librarians, issuers }: A2aDeployment): Card => {
  const schemes: [string, SecurityScheme][] = [
    ['apiKey', httpBearer('An API key of this gateway: Authorization: Bearer ck_…')],
    ...issuers.map((issuer, at): [string, SecurityScheme] => [
      at === 0 ? 'oidc' : `oidc${at + 1}`,
      openId(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
    ]),
  ];
  return {
    name: 'Constellation',
    description:
      'Answers questions from a team’s own knowledge base, with a source for every statement. Says so when nothing answers a question.',
    version: CARD_VERSION,
    documentationUrl: `${origin}/docs`,
    provider: undefined,
    supportedInterfaces: [VERSION, LEGACY_VERSION].map((protocolVersion) => ({
      url: `${origin}/a2a`,
      protocolBinding: 'JSONRPC',
      protocolVersion,
      tenant: '',
    })),
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: true,
      extensions: [EVIDENCE],
    },
    securitySchemes: Object.fromEntries(schemes),
    securityRequirements: schemes.map(([name]) => ({ schemes: { [name]: { list: [] } } })),
    defaultInputModes: [...INPUT_MODES],
    defaultOutputModes: [...OUTPUT_MODES],
    skills: skillsOf(librarians),
    signatures: [],
  };
};

const EVIDENCE = {
  uri: EVIDENCE_EXTENSION,
  description:
    'Each statement of an answer with the exact words of its sources, their offsets and the probability that they state it.',
  required: false,
  params: undefined,
};

const httpBearer = (description: string): SecurityScheme => ({
  scheme: {
    $case: 'httpAuthSecurityScheme',
    value: { scheme: 'bearer', description, bearerFormat: '' },
  },
});
const openId = (openIdConnectUrl: string): SecurityScheme => ({
  scheme: { $case: 'openIdConnectSecurityScheme', value: { openIdConnectUrl, description: '' } },
});

/** A librarian that cannot answer now is no skill. Its id is what a message names as `metadata.librarian`. */
const skillsOf = (librarians: readonly LibrarianEntry[]): AgentSkill[] =>
  librarians
    .filter(({ unavailable }) => unavailable === undefined)
    .map(({ id, name, description, examples = [] }) => ({
      id,
      name,
      description: description ?? name,
      tags: ['questions', 'answers', 'sources'],
      examples: [...examples],
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    }));

/** The public card, to be signed. */
export function unsignedCard(deployment: A2aDeployment): UnsignedCard {
  const card = cardOf(deployment);
  // Always an object.
  return {
    card: { ...(CardCodec.toJSON(card) as object), ...legacyMembers(card) },
    canonical: canonicalizeAgentCard(card),
  };
}

/** By these members clients of 0.3 find the address. They are no members of 1.0, so that its signature leaves them out. */
const legacyMembers = ({ supportedInterfaces }: Card) => ({
  url: supportedInterfaces[0]?.url,
  preferredTransport: 'JSONRPC',
  protocolVersion: LEGACY_VERSION,
  supportsAuthenticatedExtendedCard: true,
});

/** The public card with the skills that a caller may use in place of the public ones. Not signed: its caller has got it over a connection of its own. */
export function extendedCard(publicCard: unknown, librarians: readonly LibrarianEntry[]): Card {
  return {
    ...CardCodec.fromJSON(publicCard),
    skills: skillsOf(librarians),
    signatures: [],
  };
}
