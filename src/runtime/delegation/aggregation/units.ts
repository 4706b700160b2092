/** Unit as written -> dimension, and how many base units it is. */
export const UNITS = new Map<string, readonly [string, number]>(
  Object.entries({
    time: 'ms 0.001 millisecond 0.001 milliseconds 0.001 s 1 sec 1 secs 1 second 1 seconds 1 min 60 mins 60 minute 60 minutes 60 h 3600 hr 3600 hrs 3600 hour 3600 hours 3600 day 86400 days 86400 week 604800 weeks 604800 month 2629800 months 2629800 year 31557600 years 31557600',
    size: 'kb 1e3 kib 1024 mb 1e6 mib 1048576 gb 1e9 gib 1073741824 tb 1e12 tib 1099511627776 bytes 1 byte 1',
    length:
      'mm 0.001 cm 0.01 m 1 km 1000 metre 1 metres 1 meter 1 meters 1 kilometres 1000 kilometers 1000 inch 0.0254 inches 0.0254 ft 0.3048 feet 0.3048 miles 1609.344 mile 1609.344',
    mass: 'mg 0.001 g 1 kg 1000 grams 1 gram 1 kilograms 1000 kilogram 1000 lb 453.592 lbs 453.592 pounds 453.592 oz 28.3495',
    volume: 'ml 0.001 l 1 litre 1 litres 1 liter 1 liters 1',
    power: 'w 1 watt 1 watts 1 kw 1000',
    energy: 'wh 1 kwh 1000',
    voltage: 'v 1 volt 1 volts 1 kv 1000',
    current: 'ma 0.001 amp 1 amps 1 ampere 1',
    frequency: 'hz 1 khz 1e3 mhz 1e6 ghz 1e9',
    speed: 'kbit/s 1e3 mbit/s 1e6 gbit/s 1e9 kbps 1e3 mbps 1e6 gbps 1e9',
    hashes: 'kh/s 1e3 mh/s 1e6 gh/s 1e9 th/s 1e12 ph/s 1e15',
    noise: 'db 1 dba 1 decibels 1',
    rotation: 'rpm 1',
    efficiency: 'j/th 1',
    pressure: 'bar 1 mbar 0.001 psi 0.0689476',
    share: '% 1 percent 1',
    pixels: 'px 1 pixels 1 pixel 1',
  }).flatMap(([dimension, list]) => {
    const words = list.split(' ');
    return words.flatMap((word, at) => (at % 2 === 0 ? [[word, [dimension, Number(words[at + 1])]] as const] : []));
  }),
);

/** Currency as written -> its code. */
export const CURRENCIES = new Map(
  Object.entries({
    '€': 'EUR',
    eur: 'EUR',
    euro: 'EUR',
    euros: 'EUR',
    $: 'USD',
    usd: 'USD',
    dollar: 'USD',
    dollars: 'USD',
    '£': 'GBP',
    gbp: 'GBP',
    chf: 'CHF',
    '¥': 'JPY',
    jpy: 'JPY',
    yen: 'JPY',
    btc: 'BTC',
  }),
);
/** Word or letter behind a number -> what it multiplies by. */
export const SCALES = new Map(Object.entries({ k: 1e3, thousand: 1e3, million: 1e6, mio: 1e6, billion: 1e9, bn: 1e9 }));
