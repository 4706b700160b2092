/** A sentence of a source, a sentence that it supports, and minimal changes of that one which it does not support. */
export interface SupportPair {
  source: string;
  supported: string;
  /** The kind of change, and what it leads to. */
  changed: readonly (readonly [kind: string, sentence: string])[];
}

export const SUPPORT_PAIRS: readonly SupportPair[] = [
  {
    source: 'The warranty lasts for 24 months from the day of purchase.',
    supported: 'The warranty lasts 24 months.',
    changed: [
      ['number', 'The warranty lasts 36 months.'],
      ['unit', 'The warranty lasts 24 days.'],
      ['negation', 'The warranty does not last 24 months.'],
    ],
  },
  {
    source: 'You can return unopened packages within 30 days of delivery.',
    supported: 'Unopened packages can be returned within 30 days of delivery.',
    changed: [
      ['number', 'Unopened packages can be returned within 90 days of delivery.'],
      ['unit', 'Unopened packages can be returned within 30 hours of delivery.'],
      ['antonym', 'Opened packages can be returned within 30 days of delivery.'],
      ['negation', 'Unopened packages cannot be returned within 30 days of delivery.'],
    ],
  },
  {
    source: 'Refunds are paid only if the receipt is included.',
    supported: 'Refunds are paid only if the receipt is included.',
    changed: [
      ['condition', 'Refunds are paid.'],
      ['negation', 'Refunds are not paid only if the receipt is included.'],
    ],
  },
  {
    source: 'Turn off the machine before you open the cover.',
    supported: 'Before opening the cover, turn off the machine.',
    changed: [
      ['order', 'Open the cover before you turn off the machine.'],
      ['antonym', 'Turn on the machine before you open the cover.'],
    ],
  },
  {
    source: 'Press the power button, then hold the reset key for ten seconds.',
    supported: 'Press the power button, then hold the reset key for 10 seconds.',
    changed: [
      ['number', 'Press the power button, then hold the reset key for 15 seconds.'],
      ['order', 'Hold the reset key for ten seconds, then press the power button.'],
      ['unit', 'Press the power button, then hold the reset key for ten minutes.'],
    ],
  },
  {
    source: 'Some customers receive the update in March 2024.',
    supported: 'Some customers get the update in March 2024.',
    changed: [
      ['quantifier', 'All customers receive the update in March 2024.'],
      ['date', 'Some customers receive the update in May 2024.'],
      ['date', 'Some customers receive the update in March 2023.'],
      ['negation', 'Some customers never receive the update in March 2024.'],
    ],
  },
  {
    source: 'Restarting the router may fix the connection.',
    supported: 'Restarting the router may fix the connection.',
    changed: [
      ['modality', 'Restarting the router will definitely fix the connection.'],
      ['negation', 'Restarting the router may not fix the connection.'],
      ['name', 'Restarting the modem may fix the connection.'],
    ],
  },
  {
    source: 'The Pro plan costs 20 euros a month and the Basic plan costs 8 euros a month.',
    supported: 'The Basic plan costs 8 euros a month.',
    changed: [
      ['swap', 'The Basic plan costs 20 euros a month.'],
      ['number', 'The Basic plan costs 12 euros a month.'],
      ['unit', 'The Basic plan costs 8 dollars a month.'],
    ],
  },
  {
    source: 'Nordwind acquired Seeblick in 2019.',
    supported: 'Seeblick was acquired by Nordwind in 2019.',
    changed: [
      ['swap', 'Seeblick acquired Nordwind in 2019.'],
      ['date', 'Nordwind acquired Seeblick in 2017.'],
      ['name', 'Nordwind acquired Bergluft in 2019.'],
      ['antonym', 'Nordwind sold Seeblick in 2019.'],
    ],
  },
  {
    source: 'Only administrators can delete a workspace.',
    supported: 'Only administrators can delete a workspace.',
    changed: [
      ['quantifier', 'All users can delete a workspace.'],
      ['negation', 'Administrators cannot delete a workspace.'],
      ['antonym', 'Only administrators can create a workspace.'],
    ],
  },
  {
    source: 'The new battery lasts longer than the old battery.',
    supported: 'The new battery lasts longer than the old battery.',
    changed: [
      ['comparison', 'The new battery lasts shorter than the old battery.'],
      ['swap', 'The old battery lasts longer than the new battery.'],
      ['negation', 'The new battery does not last longer than the old battery.'],
    ],
  },
  {
    source: 'Enabling the cache increases the memory that the server needs.',
    supported: 'Enabling the cache raises the memory that the server needs.',
    changed: [
      ['antonym', 'Enabling the cache decreases the memory that the server needs.'],
      ['antonym', 'Disabling the cache increases the memory that the server needs.'],
      ['negation', 'Enabling the cache does not increase the memory that the server needs.'],
    ],
  },
  {
    source: 'Backups are kept for 14 days and then deleted automatically.',
    supported: 'Backups are automatically deleted after 14 days.',
    changed: [
      ['number', 'Backups are automatically deleted after 41 days.'],
      ['antonym', 'Backups are manually deleted after 14 days.'],
      ['unit', 'Backups are automatically deleted after 14 weeks.'],
    ],
  },
  {
    source: 'The Aurora 3 supports wireless charging, but the Aurora 2 does not.',
    supported: 'The Aurora 3 supports wireless charging.',
    changed: [
      ['name', 'The Borealis 3 supports wireless charging.'],
      ['antonym', 'The Aurora 3 supports wired charging.'],
      ['negation', 'The Aurora 3 does not support wireless charging.'],
    ],
  },
  {
    source: 'Import the contacts from the old phone to the new tablet.',
    supported: 'Import the contacts from the old phone to the new tablet.',
    changed: [
      ['swap', 'Import the contacts from the new tablet to the old phone.'],
      ['antonym', 'Export the contacts from the old phone to the new tablet.'],
      ['name', 'Import the messages from the old phone to the new tablet.'],
    ],
  },
  {
    source: 'The office in Hamburg closes at 18:00 on Fridays.',
    supported: 'On Fridays the office in Hamburg closes at 18:00.',
    changed: [
      ['number', 'On Fridays the office in Hamburg closes at 16:00.'],
      ['date', 'On Mondays the office in Hamburg closes at 18:00.'],
      ['name', 'On Fridays the office in Munich closes at 18:00.'],
      ['antonym', 'On Fridays the office in Hamburg opens at 18:00.'],
    ],
  },
  {
    source: 'Passwords must contain at least twelve characters.',
    supported: 'Passwords must have at least 12 characters.',
    changed: [
      ['number', 'Passwords must contain at least eight characters.'],
      ['comparison', 'Passwords must contain at most twelve characters.'],
      ['negation', 'Passwords must not contain at least twelve characters.'],
    ],
  },
  {
    source: 'Customers in Norway usually receive their parcels within five days.',
    supported: 'Customers in Norway usually get their parcels within 5 days.',
    changed: [
      ['quantifier', 'Customers in Norway always receive their parcels within five days.'],
      ['name', 'Customers in Sweden usually receive their parcels within five days.'],
      ['number', 'Customers in Norway usually receive their parcels within three days.'],
    ],
  },
  {
    source: 'Clean the filter with warm water unless it is made of paper.',
    supported: 'Clean the filter with warm water unless it is made of paper.',
    changed: [
      ['condition', 'Clean the filter with warm water.'],
      ['antonym', 'Clean the filter with cold water unless it is made of paper.'],
    ],
  },
  {
    source: 'The fee is 2.5 % of the amount, and at most 15 euros.',
    supported: 'The fee is 2.5 percent of the amount.',
    changed: [
      ['number', 'The fee is 3.5 % of the amount.'],
      ['unit', 'The fee is 2.5 euros of the amount.'],
    ],
  },
  {
    source: 'About 3 million people used the service in 2021.',
    supported: 'Around 3,000,000 people used the service in 2021.',
    changed: [
      ['number', 'About 3 billion people used the service in 2021.'],
      ['date', 'About 3 million people used the service in 2022.'],
    ],
  },
  {
    source: 'Install the driver first and connect the printer afterwards.',
    supported: 'Install the driver first and connect the printer afterwards.',
    changed: [
      ['antonym', 'Uninstall the driver first and connect the printer afterwards.'],
      ['antonym', 'Install the driver first and disconnect the printer afterwards.'],
    ],
  },
  {
    source: 'Our support team answers every message within two working days.',
    supported: 'The support team replies to every message within two working days.',
    changed: [
      ['number', 'Our support team answers every message within four working days.'],
      ['words', 'Our support team answers every message within two working days and refunds the shipping.'],
    ],
  },
  {
    source: 'The discount is optional and ends on 31 August.',
    supported: 'The discount ends on August 31.',
    changed: [
      ['date', 'The discount ends on July 31.'],
      ['antonym', 'The discount starts on 31 August.'],
      ['antonym', 'The discount is mandatory.'],
    ],
  },
  {
    source: 'The pump was designed by Ilse Brandt and built by Karl Meier.',
    supported: 'Ilse Brandt designed the pump.',
    changed: [
      ['name', 'Otto Lang designed the pump.'],
      ['negation', 'Ilse Brandt did not design the pump.'],
    ],
  },
  {
    source: 'The lamp weighs less than 2 kg and needs no battery.',
    supported: 'The lamp needs no battery.',
    changed: [
      ['negation', 'The lamp needs a battery.'],
      ['comparison', 'The lamp weighs more than 2 kg.'],
      ['unit', 'The lamp weighs less than 2 mg.'],
    ],
  },
];
