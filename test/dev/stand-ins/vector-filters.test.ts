import { describe, expect, it } from 'vitest';
import { startVector } from './vector-clients.ts';

const CITIES = {
  istanbul: {
    name: 'Istanbul',
    population: 15460000,
    capital: false,
    area: null,
    geography: { continent: 'Asia', coordinates: { latitude: 41.0 } },
    tags: ['bridge', 'port', 'old'],
    digits: [1, 2],
    'with-dash': 'yes',
  },
  ankara: { name: 'Ankara', population: 5700000, capital: true, geography: { continent: 'Asia' }, tags: ['inland'] },
  oslo: { name: "O'slo", population: -5.5, capital: true, tags: [], code: '1' },
  nowhere: {},
};
const all = Object.keys(CITIES);

const start = async () => {
  const { server, index } = await startVector({ indexes: [{ dimension: 1 }] });
  await index.upsert(Object.entries(CITIES).map(([id, metadata]) => ({ id, vector: [1], metadata })));
  await index.upsert({ id: 'bare', vector: [1] });
  const find = async (filter: string) => (await index.query({ vector: [1], topK: 10, filter })).map(({ id }) => id);
  return { server, index, find };
};

describe('filters', () => {
  it.each([
    ["name = 'Ankara'", ['ankara']],
    ['name = "O\'slo"', ['oslo']],
    ["name != 'Ankara'", ['istanbul', 'oslo']],
    ['population > 5700000', ['istanbul']],
    ['population >= 5700000', ['istanbul', 'ankara']],
    ['population < 0', ['oslo']],
    ['population = -5.5', ['oslo']],
    ["name > 'A'", 'refused'],
    ['code < 5', []],
    ['capital = true', ['ankara', 'oslo']],
    ['capital = 1', ['ankara', 'oslo']],
    ['capital = FALSE', ['istanbul']],
    ["code = '1'", ['oslo']],
    ['code = 1', []],
    ["name GLOB 'A*'", ['ankara']],
    ["name GLOB 'a*'", []],
    ["name GLOB '?[a-n]kara'", ['ankara']],
    ["name glob '[^A]*l*'", ['istanbul', 'oslo']],
    ["name GLOB '*nk*k*'", []],
    ["name GLOB '*k*a'", ['ankara']],
    ["name NOT GLOB 'A*'", ['istanbul', 'oslo']],
    ["name IN ('Ankara', 'Berlin')", ['ankara']],
    ['population IN (5700000, -5.5)', ['ankara', 'oslo']],
    ["name NOT IN ('Ankara')", ['istanbul', 'oslo']],
    ["tags CONTAINS 'port'", ['istanbul']],
    ['digits CONTAINS 2', ['istanbul']],
    ["tags NOT CONTAINS 'port'", ['ankara', 'oslo']],
    ["geography.continent = 'Asia'", ['istanbul', 'ankara']],
    ['geography.coordinates.latitude > 40', ['istanbul']],
    ["tags[0] = 'bridge'", ['istanbul']],
    ["tags[#-1] = 'old'", ['istanbul']],
    ["tags[#-1] = 'inland'", ['ankara']],
    ["with-dash = 'yes'", ['istanbul']],
    ["tags#-1] = 'old'", []],
    ["(name = 'Ankara' OR name = \"O'slo\") AND population > 0", ['ankara']],
    ["name = 'Istanbul' OR name = 'Ankara' AND population < 0", ['istanbul']],
    ["name = 'Istanbul' or (capital = true and population < 0)", ['istanbul', 'oslo']],
  ])('%s', async (filter, expected) => {
    const { find } = await start();
    if (expected === 'refused') await expect(find(filter)).rejects.toThrow('Invalid filter');
    else expect(await find(filter)).toEqual(expected);
  });

  it('let a missing field meet no condition, and a null one only HAS FIELD', async () => {
    const { find } = await start();
    for (const condition of ["!= 'x'", '= 1', '> 0', '< 0', "NOT GLOB 'x'", "NOT IN ('x')", "NOT CONTAINS 'x'"]) {
      expect(await find(`missing ${condition}`), condition).toEqual([]);
      expect(await find(`area ${condition}`), condition).toEqual([]);
    }
    expect(await find('HAS FIELD area')).toEqual(['istanbul']);
    expect(await find('has not field area')).toEqual([...all.slice(1), 'bare']);
    expect(await find('HAS FIELD geography.continent')).toEqual(['istanbul', 'ankara']);
    expect(await find('HAS FIELD tags[2]')).toEqual(['istanbul']);
  });

  it('let a quote in a value end it, so that what follows is read as conditions', async () => {
    const { find } = await start();
    const value = "x' OR capital = true OR name = 'x";
    expect(await find(`population > 1e0 AND name = '${value}'`).catch(() => 'refused')).toBe('refused');
    expect(await find(`population > 99999999 AND name = '${value}'`)).toEqual(['ankara', 'oslo']);
  });

  it.each([
    'name',
    'name =',
    "= 'x'",
    "name == 'x'",
    "name <> 'x'",
    "name = 'x",
    "name = 'it''s'",
    'name = x',
    'name = null',
    'population > 1e-10',
    "NOT name = 'x'",
    "NOT (name = 'x')",
    "name NOT = 'x'",
    "(name = 'x'",
    "name = 'x')",
    "name = 'x' AND",
    "name = 'x' name = 'y'",
    'name IN ()',
    "name IN ('x',)",
    'name GLOB 5',
    'HAS name',
    "tags[] = 'x'",
    "tags[ = 'x'",
    "tags[x] = 'x'",
    ".name = 'x'",
    "a..b = 'x'",
    "AND = 'x'",
    "1name = 'x'",
    "größe = 'x'",
    "name = 'x'; DROP",
  ])('are refused with 400 when they are not of the language: %s', async (filter) => {
    const { server, index } = await start();
    const body = JSON.stringify({ vector: [1], filter });
    const headers = { authorization: `Bearer ${server.token}` };
    expect((await fetch(`${server.url}/query`, { method: 'POST', headers, body })).status).toBe(400);
    await expect(index.query({ vector: [1], topK: 1, filter })).rejects.toThrow('Invalid filter');
  });

  it('may have 30 conditions, and not 1,000 texts in a list', async () => {
    const { find } = await start();
    const clauses = Array.from({ length: 30 }, (_, at) => `name != 'city-${at}'`).join(' AND ');
    expect(await find(clauses)).toEqual(['istanbul', 'ankara', 'oslo']);
    const list = Array.from({ length: 1000 }, (_, at) => `'city-${at}'`).join(', ');
    await expect(find(`name IN (${list})`)).rejects.toThrow('filter is longer');
  });

  it('match patterns in time that does not explode', async () => {
    const { index } = await startVector({ indexes: [{ dimension: 1 }] });
    await index.upsert({ id: 'long', vector: [1], metadata: { text: 'a'.repeat(20_000) } });
    const filter = `text GLOB '${'*a'.repeat(50)}*b'`;
    expect(await index.query({ vector: [1], topK: 1, filter })).toEqual([]);
  });
});
