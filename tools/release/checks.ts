import { rerankerOf } from '../../src/ai/adapters/models.ts';
import {
  type AdapterVariables,
  readAdapters,
  readQuestionLimits,
} from '../../src/ai/adapters/settings.ts';
import { readProviders, type signInSettings } from '../../src/gateway/access/oidc.ts';
import type { LibraryVariables } from '../../src/knowledge/library/library-settings.ts';
import type { SourceVariables } from '../../src/knowledge/sources/source-settings.ts';
import { type maskSettings, readMaskKinds } from '../../src/language/privacy/mask-settings.ts';
import {
  attemptSettings,
  type DoctorCheck,
  readSettings,
  type Variables,
} from '../../src/platform/settings/settings.ts';
import type { HelpdeskVariables } from '../../src/support/tools/connections.ts';
import { CONFIGURATION } from './configuration.ts';
import {
  type CloudflareAI,
  examineHelpdesks,
  examineHybridIndex,
  examineModels,
  examineRedis,
  examineSources,
  examineVector,
  examineWorkersAI,
  type Finding,
  unusedFindings,
} from './examine.ts';
import { examineHosts } from './examine-host.ts';

type DoctorVariables = AdapterVariables &
  LibraryVariables &
  HelpdeskVariables &
  SourceVariables &
  Variables<typeof signInSettings & typeof maskSettings>;

interface Examined {
  variables: DoctorVariables;
  settings: ReturnType<typeof readAdapters>;
  cloudflare: CloudflareAI | undefined;
}

/** By the name that a setting gives. */
const CHECKS: Record<DoctorCheck, (examined: Examined) => Promise<Finding[]> | Finding[]> = {
  models: ({ settings, cloudflare }) =>
    settings.workersAI === undefined
      ? examineModels(settings)
      : examineWorkersAI(settings, cloudflare),
  vector: ({ settings }) =>
    settings.hybrid ? examineHybridIndex(settings) : examineVector(settings),
  redis: ({ settings }) => examineRedis(settings),
  hosts: ({ variables }) => examineHosts(variables),
  helpdesks: ({ variables }) => examineHelpdesks(variables),
  articles: ({ variables }) => examineSources(variables),
};

/** Why a variable of any function cannot be used, or two of them together. */
export function refusedVariables(variables: DoctorVariables): string[] {
  const texts = { ...variables, AI: undefined, SOURCES: undefined };
  const problems = CONFIGURATION.flatMap(
    ({ name, ...setting }) =>
      attemptSettings(() => readSettings({ [name]: setting }, texts)).problem ?? [],
  );
  if (problems.length > 0) return problems;
  const reads = [
    () => readQuestionLimits(variables, readAdapters(variables)),
    () => readProviders(variables),
    () => readMaskKinds(variables),
    // The binding of Workers AI is in deployed functions alone.
    () => rerankerOf({ ...variables, AI: { run: async () => ({}) } }),
  ];
  return reads.flatMap((read) => attemptSettings<unknown>(read).problem ?? []);
}

/**
 * Checks a configuration by calling its services. Writes and deletes one vector and one key.
 *
 * @param options.cloudflare Asked in place of the binding of Workers AI, which only deployed functions have.
 */
export async function examine(
  variables: DoctorVariables,
  { cloudflare }: { cloudflare?: CloudflareAI | undefined } = {},
): Promise<Finding[]> {
  const problems = refusedVariables(variables);
  if (problems.length > 0)
    return problems.map((reported) => ({ what: 'the variables', state: 'wrong', reported }));
  const settings = readAdapters(variables);
  const checks = Object.values(CHECKS).map((check) => check({ variables, settings, cloudflare }));
  return [
    { what: 'the variables', state: 'well', reported: 'every value can be read' },
    ...unusedFindings(variables, settings),
    ...(await Promise.all(checks)).flat(),
  ];
}
