import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { type ConsoleForTest, startConsole } from './console-for-test.ts';
import { describeAnswers } from './describe-answers.ts';
import { describeAsk } from './describe-ask.ts';
import { describeCharts } from './describe-charts.ts';
import { describeGaps } from './describe-gaps.ts';
import { describeKnowledge } from './describe-knowledge.ts';
import { describeLibrarians } from './describe-librarians.ts';
import { describePanel } from './describe-panel.ts';
import { describeShell } from './describe-shell.ts';
import { describeSync } from './describe-sync.ts';
import { describeTickets } from './describe-tickets.ts';
import { describeTrace } from './describe-trace.ts';
import { describeWidget } from './describe-widget.ts';

/** One file, so that all views share a product and a browser: each view has its tests in a file `describe-<view>.ts`. */
describe('the console in Chromium', () => {
  let started: ConsoleForTest;
  beforeAll(async () => {
    started = await startConsole();
  }, 240_000);
  afterEach(() => started.closePages());
  afterAll(() => started?.stop());

  describeShell(() => started);
  describeAsk(() => started);
  describeAnswers(() => started);
  describeCharts(() => started);
  describeGaps(() => started);
  describeKnowledge(() => started);
  describeSync(() => started);
  describeTickets(() => started);
  describePanel(() => started);
  describeLibrarians(() => started);
  describeTrace(() => started);
  describeWidget(() => started);
});
