/** A command of a checkout: `npx constellation <name>` runs its file, which reads its own options. */
interface CheckoutCommand {
  /** From the root of the checkout. */
  file: string;
  about: string;
  /** Whether the published command line has it too. */
  isPublished?: true;
}

/** What operators and contributors need now and then, beside the scripts of package.json. */
export const CHECKOUT_COMMANDS: Readonly<Record<string, CheckoutCommand>> = {
  start: {
    file: 'tools/run/start.ts',
    about: 'Runs the product on this machine: on a folder, a web site or a sample',
    isPublished: true,
  },
  ticket: {
    file: 'tools/run/ticket.ts',
    about: 'Writes as a customer into a local helpdesk of a running product',
    isPublished: true,
  },
  new: { file: 'tools/release/new-librarian.ts', about: 'Makes a new librarian' },
  services: {
    file: 'tools/run/services.ts',
    about: 'Starts local servers in place of Upstash and OpenAI',
  },
  'push-kb': {
    file: 'tools/transfer/push-kb.ts',
    about: 'Brings a folder of articles into a deployment',
  },
  export: { file: 'tools/transfer/export.ts', about: 'Writes what a workspace holds into a file' },
  import: { file: 'tools/transfer/import.ts', about: 'Restores what export has written' },
  digest: {
    file: 'tools/transfer/digest.ts',
    about: 'Writes what was asked and answered in the last days',
  },
  keys: { file: 'tools/release/keys.ts', about: 'Manages the signing keys of the functions' },
  'api-key': { file: 'tools/release/api-key.ts', about: 'Makes an API key' },
  taxonomy: {
    file: 'tools/release/taxonomy.ts',
    about: 'Checks a file of intents, and trains a classifier',
  },
  sbom: { file: 'tools/release/sbom.ts', about: 'Writes the bill of materials' },
  lock: { file: 'tools/release/complete-lock.ts', about: 'Completes package-lock.json' },
  contract: {
    file: 'tools/packages/build-contract.ts',
    about: 'Makes the package of the contract',
  },
  client: { file: 'tools/packages/build-client.ts', about: 'Makes the package of the client' },
  'command-line': {
    file: 'tools/packages/build-command-line.ts',
    about: 'Makes the package of the command line',
  },
  screenshots: {
    file: 'research/screenshots/screenshots.ts',
    about: 'Takes pictures of the console',
  },
  clients: { file: 'tools/clients/clients.ts', about: 'Tries clients of other makers' },
  chaos: { file: 'research/bench/chaos/chaos.ts', about: 'Delivers tickets while services fail' },
  mutate: {
    file: 'test/platform/context/mutate-verifier.ts',
    about: 'Disables each check of the signed context once',
  },
};
