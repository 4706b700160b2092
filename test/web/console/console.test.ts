import { afterAll, afterEach, beforeAll } from 'vitest';
import { closePages, startConsole, stopConsole } from './console-for-test.ts';
import './describe-shell.ts';
import './describe-home.ts';
import './describe-ask.ts';
import './describe-answers.ts';
import './describe-charts.ts';
import './describe-checks.ts';
import './describe-gaps.ts';
import './describe-knowledge.ts';
import './describe-sync.ts';
import './describe-tickets.ts';
import './describe-panel.ts';
import './describe-librarians.ts';
import './describe-trace.ts';
import './describe-widget.ts';

/** One file, so that all views share a product and a browser: each view has its tests in a file `describe-<view>.ts`. */
beforeAll(startConsole, 240_000);
afterEach(closePages);
afterAll(stopConsole);
