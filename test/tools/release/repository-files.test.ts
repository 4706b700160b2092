import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { ROOT } from '../../../tools/functions.ts';

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const Workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      container: z.string(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
});

const ci = () => Workflow.parse(load(textOf('.github/workflows/ci.yml')));

it('pull requests run the same script as every change, with rights to read alone', () => {
  const { on, permissions, jobs } = ci();
  expect(Object.keys(on)).toEqual(['push', 'pull_request']);
  expect(permissions).toEqual({ contents: 'read' });
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run']);
  expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).not.toBe(0);
  for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
});

it('a dev container is the machine that CI runs on', () => {
  const { image } = z
    .object({ image: z.string() })
    .parse(JSON.parse(textOf('.devcontainer/devcontainer.json')));
  expect(Object.values(ci().jobs).map(({ container }) => container)).toEqual([image]);
});

it('templates of issues have the fields that forms of GitHub need', () => {
  const Form = z.object({
    name: z.string(),
    description: z.string(),
    body: z.array(
      z.object({
        type: z.enum(['textarea', 'input']),
        id: z.string(),
        attributes: z.object({ label: z.string() }),
      }),
    ),
  });
  for (const form of ['bug', 'idea'])
    Form.parse(load(textOf(`.github/ISSUE_TEMPLATE/${form}.yml`)));
});
