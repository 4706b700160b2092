import { appendFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepOnDisk } from '../../../research/eval/vectors-on-disk.ts';
import { fakeModel } from '../../knowledge/vectors-for-test.ts';
import { temporaryFolder } from '../../tools/folder-for-test.ts';

describe('keepOnDisk()', () => {
  const all = temporaryFolder();
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(all, 'one-'));
  });
  it('embeds a text once, also for the next reader of the folder', async () => {
    const model = fakeModel();
    const first = await keepOnDisk(model, { folder }).embedBatch([
      'red lamp',
      'blue lamp',
      'red lamp',
    ]);
    const second = await keepOnDisk(model, { folder }).embedBatch(['blue lamp', 'red lamp']);
    expect(model.texts).toEqual(['red lamp', 'blue lamp']);
    expect(second).toEqual([first[1], first[0]]);
  });
  it('returns the texts without a vector', async () => {
    const model = keepOnDisk(fakeModel(), { folder });
    await model.embed('red lamp');
    expect(model.missing(['red lamp', 'blue lamp', 'blue lamp'])).toEqual(['blue lamp']);
  });
  it.each([
    ['two models', { model: 'other' }, undefined],
    ['two sizes', { dimensions: 32 }, undefined],
    ['two services', {}, 'https://models.example/v1'],
  ])('separates the vectors of %s', async (_, changed, origin) => {
    const [one, other] = [fakeModel(), fakeModel(changed)];
    await keepOnDisk(one, { folder }).embed('red lamp');
    await keepOnDisk(other, { folder, origin }).embed('red lamp');
    expect(other.texts).toEqual(['red lamp']);
  });
  it('drops an incomplete record', async () => {
    const model = fakeModel();
    await keepOnDisk(model, { folder }).embed('red lamp');
    const [file = ''] = readdirSync(folder);
    appendFileSync(join(folder, file), 'half of a vector');
    await keepOnDisk(model, { folder }).embed('blue lamp');
    await keepOnDisk(model, { folder }).embedBatch(['red lamp', 'blue lamp']);
    expect(model.texts).toEqual(['red lamp', 'blue lamp']);
  });
  it('stores nothing when the model fails', async () => {
    const failing = fakeModel();
    failing.failures.push(new Error('down'));
    const model = keepOnDisk(failing, { folder });
    await expect(model.embed('red lamp')).rejects.toThrow('down');
    expect(model.missing(['red lamp'])).toEqual(['red lamp']);
  });
});
