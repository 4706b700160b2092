import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TrainingSource } from '../../../src/support/intents/intent-model.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { keptModel } from '../../../tools/release/kept-models.ts';
import { temporaryFolder } from '../folder-for-test.ts';

const taxonomyOf = (example: string): TrainingSource => ({
  intents: [
    { id: 'parcel', title: 'Parcels', examples: ['where is my parcel', example] },
    { id: 'lamp', title: 'Lamps', examples: ['the lamp stays dark', 'no light'] },
  ],
  out_of_scope_examples: [],
});

describe('keptModel()', () => {
  const all = temporaryFolder();
  let folder: string;
  const train = vi.fn((taxonomy: TrainingSource) => ({ packed: trainClassifier(taxonomy) }));
  const model = (taxonomy: TrainingSource, into = folder) =>
    keptModel(taxonomy, { folder: into, train });

  beforeEach(() => {
    folder = mkdtempSync(join(all, 'models-'));
    train.mockClear();
  });
  it('trains once for the same examples, and again for others', () => {
    const first = model(taxonomyOf('parcel is late'));
    expect(model(taxonomyOf('parcel is late'))).toEqual(first);
    expect(train).toHaveBeenCalledTimes(1);
    expect(model(taxonomyOf('parcel is lost'))).not.toEqual(first);
    expect(train).toHaveBeenCalledTimes(2);
  });
  it('retrains when the stored model is damaged', () => {
    const first = model(taxonomyOf('parcel is late'));
    const [file = ''] = readdirSync(folder);
    writeFileSync(join(folder, file), first.subarray(0, 100));
    expect(model(taxonomyOf('parcel is late'))).toEqual(first);
    expect(model(taxonomyOf('parcel is late'))).toEqual(first);
    expect(train).toHaveBeenCalledTimes(2);
  });
  it('works without a writable folder', () => {
    writeFileSync(join(folder, 'a-file'), '');
    expect(model(taxonomyOf('parcel is late'), join(folder, 'a-file'))).toEqual(
      trainClassifier(taxonomyOf('parcel is late')),
    );
  });
  it('stores eight models, and no incomplete one', () => {
    for (let count = 0; count < 10; count += 1) {
      for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1000, 1000);
      model(taxonomyOf(`parcel ${count}`));
    }
    expect(readdirSync(folder)).toHaveLength(8);
    model(taxonomyOf('parcel 9'));
    expect(train).toHaveBeenCalledTimes(10);
    expect(readdirSync(folder).every((name) => name.endsWith('.model'))).toBe(true);
  });
});
