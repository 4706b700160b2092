import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import type { CitableKnowledge } from '../../src/navigator/validate-navigator-response.ts';
import type { Article } from '../../src/search/article.ts';
import { buildEdition } from '../../src/search/build-edition.ts';
import { fitEdition } from '../../src/search/fit-edition.ts';
import { type Edition, openEdition } from '../../src/search/open-edition.ts';

const article = (id: string, title: string, text: string, devices: string[] = []): Article => ({
  id,
  title,
  url: `https://docs.example.com/${id}`,
  text,
  intents: [],
  devices,
  lastUpdated: '2026-01-01T00:00:00Z',
});

/** A dozen articles about a coffee machine in two models: steps, a table, code, a conflict, raw HTML. */
export const ARTICLES: Article[] = [
  article(
    'care/descale.md',
    'Descale the boiler',
    `Limescale slows the heating down.

## How often

Descale the boiler every 60 days, or every 30 days with hard water. The display shows the drop symbol when it is due.

## Steps

To descale the boiler:

1. Empty the water tank.
2. Pour in one sachet of citric acid and 1.2 litres of water.
3. Hold **Rinse** for 5 seconds.
4. Wait until the lamp goes out.

<script>alert(1)</script>
`,
  ),
  article(
    'care/grinder-i.md',
    'Clean the grinder of the Barista I',
    'The burrs of the grinder are cleaned with a brush. Remove the hopper and turn the upper burr to the left by 45 degrees to take it out.',
    ['Barista I'],
  ),
  article(
    'care/grinder-ii.md',
    'Clean the grinder of the Barista II',
    'The burrs of the grinder are cleaned with a brush. Remove the hopper and turn the upper burr to the left by 90 degrees to take it out.',
    ['Barista II'],
  ),
  article(
    'network/wifi.md',
    'Connect to Wi-Fi',
    `The machine joins wireless networks at 2.4 GHz.

## Settings

| Setting | Value |
| --- | --- |
| Band | 2.4 GHz |
| Encryption | WPA2 |
| Port | 8883 |

## From the command line

Join a network from a terminal:

\`\`\`sh
brewctl wifi join --ssid <name>
\`\`\`
`,
  ),
  article(
    'taste/temperature.md',
    'Brewing temperature',
    'The factory setting of the brewing temperature is 92 degrees. Raise the brewing temperature for light roasts, since they are harder to extract.',
  ),
  article(
    'taste/presets.md',
    'Presets',
    'The factory setting of the brewing temperature is 94 degrees. Presets keep amount, grind and temperature together.',
  ),
  article(
    'taste/milk.md',
    'Milk foam',
    'Cold milk foams best. Keep the steam wand just below the surface until the jug is warm, then <b>lower</b> the wand.',
  ),
  article(
    'parts/water-filter.md',
    'Water filter',
    'The water filter lasts for 50 litres or two months. Soak a new water filter for ten minutes before you insert it into the tank.',
  ),
  article(
    'parts/seals.md',
    'Seals',
    'Replace the seal of the brewing group once a year. A worn seal lets water drip beside the cup, because the pressure escapes.',
  ),
  article(
    'safety.md',
    'Safety',
    'Never open the boiler while it is under pressure. The boiler is under pressure until the gauge shows zero bar.',
  ),
  article(
    'service.md',
    'Service and warranty',
    'The warranty of the machine lasts for 24 months from the day of purchase. Send a broken machine to the workshop in its original box.',
  ),
  article(
    'beans.md',
    'Beans',
    'Keep roasted beans in a closed tin. Beans taste best between one and six weeks after roasting, as the gas has left them.',
  ),
];

/** The articles as an edition, open and fitted as a published one is. */
export const openSmallKb = (
  articles: readonly Article[] = ARTICLES,
): { edition: Edition; knowledge: CitableKnowledge } => {
  const entries = articles.map((each) => ({ article: each, chunks: chunkArticle(each) }));
  const edition = openEdition(
    fitEdition(buildEdition(entries, { id: 'e1', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' })),
  );
  return { edition, knowledge: { article: (file) => articles.find(({ id }) => id === file), edition: 'e1' } };
};
