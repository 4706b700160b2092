/** A question about the sample knowledge base, and statements of a model that cite one section. */
export interface HostileCase {
  question: string;
  /** Beginning of the title of the cited section. */
  section: string;
  statements: readonly string[];
}

/** Statements that the cited section does not support: negations dropped or added, rows and columns mixed, parts of two sentences joined. */
export const FALSE_STATEMENTS: readonly HostileCase[] = [
  {
    question: 'May I return a device?',
    section: 'Returns',
    statements: [
      'A return is possible within 30 days of delivery, and the postage for the way back is ours.',
      'Refunds arrive within 10 business days of delivery.',
      'You may return a device within 30 business days of delivery.',
      'A device that has been mined with is not accepted.',
      'If the case is scratched, the device is accepted.',
      'Send it within 10 business days of our answer.',
      'You may return a device within 14 days of delivery, for whatever reason.',
      'Refunds go to the wrong item within 10 business days of arrival.',
    ],
  },
  {
    question: 'Does the warranty cover lightning?',
    section: 'Not covered',
    statements: [
      'The warranty covers damage by lightning.',
      'Damage by liquids is covered.',
      'Lost mining income is covered.',
      'Devices whose serial number was removed are covered.',
      'Taking off the heat sink does not affect the warranty.',
      'Cleaning or replacing a fan affects the warranty.',
      'Replacing a fan ends the warranty.',
      'Covered: damage by a power supply from another maker.',
    ],
  },
  {
    question: 'How long is the warranty for a refurbished device?',
    section: 'Warranty',
    statements: [
      'Refurbished devices have a warranty of 24 months.',
      'A refurbished device has 6 months from the day of delivery.',
      'A new device has 12 months and a refurbished device 24 months.',
      'Spare parts bought separately have a term of 12 months.',
      'A device replaced under warranty has at least 6 months.',
    ],
  },
  {
    question: 'What does the red solid LED mean?',
    section: 'Colours and patterns',
    statements: [
      'Solid red means that mining stopped because of overheating.',
      'Red blinking: hardware fault.',
      'Solid amber means throttled because of heat.',
      'When the LED is solid red, check cable and router.',
      'Solid green means that the node is synchronising.',
      'Purple solid: the password has been reset.',
      'Solid white: start mining in the dashboard, hardware fault.',
    ],
  },
  {
    question: 'How much power does Apollo II use in Turbo mode at the wall?',
    section: 'Consumption at the wall',
    statements: [
      'Apollo II takes 210 W in Turbo mode.',
      'In Turbo mode Apollo II needs 360 W.',
      'Apollo II needs 245 W in Turbo mode.',
      'In Balanced mode Apollo takes 245 W.',
      'Apollo takes 120 W in Eco mode, Apollo II 205 W.',
      'The consumption in Quiet mode is 150 W on Apollo II.',
    ],
  },
  {
    question: 'Can I use a PC power supply of my own?',
    section: 'Your own power supply',
    statements: [
      'A PC power supply has to deliver at least 450 W (Apollo) or 300 W (Apollo II).',
      'At least 300 W are needed for Apollo II.',
      'Damage caused by a supply from another maker is covered by the warranty.',
      'Connect two different supplies to the two sockets.',
      'A PC power supply does not work with Apollo and Apollo II.',
      'It has to deliver at most 450 W (Apollo II) on one 12 V rail.',
    ],
  },
  {
    question: 'Can I use adapters from 6-pin to 8-pin cables?',
    section: 'Connecting',
    statements: [
      'You can use adapters from 6-pin to 8-pin.',
      'Adapters from 6-pin to 8-pin can be used.',
      'Apollo and Apollo II do not need both cables.',
      'Plug the supply into a string of extension leads.',
    ],
  },
  {
    question: 'Can I mend damaged cables with tape?',
    section: 'Electricity',
    statements: [
      'Cables that are damaged can be mended with tape.',
      'Mend them with tape.',
      'A socket strip may be plugged into another strip.',
      'Do not pull the plug before you open the case.',
      'Do not replace damaged cables.',
    ],
  },
  {
    question: 'What do I do in case of smell or smoke?',
    section: 'In case of smell or smoke',
    statements: [
      'Cut the power at the device.',
      'Pour water on it.',
      'Do not use a CO2 extinguisher.',
      'Pour water on it, or use a CO2 extinguisher.',
    ],
  },
  {
    question: 'How do I update from firmware 2.x?',
    section: 'From firmware 2.x',
    statements: [
      'You can go from 2.x to 3.4.1 in one step.',
      'Pools and payout address are taken over.',
      'The blockchain does not stay on the disk.',
      'Install the current version first, then 3.0.0.',
    ],
  },
  {
    question: 'Who pays the postage of a repair?',
    section: 'Who pays the postage?',
    statements: [
      'Out of warranty Brightseam pays the way back to you.',
      'When no fault is found, Brightseam pays the postage back to you.',
      'Under warranty, later: Brightseam pays to us.',
      'Under warranty, within the first 30 days, you pay to us.',
    ],
  },
  {
    question: 'May I cancel an order?',
    section: 'Cancelling an order',
    statements: [
      'Orders that have been dispatched can be cancelled free of charge.',
      'An order cannot be cancelled free of charge.',
      'Pre-orders can be cancelled after the day of dispatch.',
    ],
  },
  {
    question: 'How much is postage to the United Kingdom?',
    section: 'Delivery times',
    statements: [
      'Postage to the United Kingdom is €12.',
      'Parcels to the United Kingdom take 4 to 7 business days after dispatch.',
      'Postage to the United States is €45.',
    ],
  },
  {
    question: 'Do you ship to post office boxes?',
    section: 'Damage in transport',
    statements: ['We ship to post office boxes.', 'Post office boxes are fine.'],
  },
  {
    question: 'What are the temperature limits of Apollo II chips?',
    section: 'Temperature limits',
    statements: [
      'Mining stops at 95 °C on Apollo II.',
      'Apollo II is throttled from 88 °C.',
      'Mining does not start again by itself when the chips are below 60 °C.',
      'Mining starts again when the chips are above 60 °C.',
    ],
  },
  {
    question: 'How often should I clean the fan?',
    section: 'Cleaning',
    statements: [
      'Clean it every month, in a home with pets every 3 months.',
      'Let the fan blades spin.',
      'Hold the fan blades with a finger, so that they spin.',
      'Blow compressed air from the inlet side towards the outlet side.',
    ],
  },
  {
    question: 'Are dashboard password and pools in a backup?',
    section: 'What is in a backup',
    statements: [
      'A backup includes the dashboard password.',
      'The payout address for solo mining is not included.',
      'There are private keys on the device.',
      'Included: API tokens and SSH keys.',
    ],
  },
  {
    question: 'Can you look into my payment?',
    section: 'When is the money there?',
    statements: [
      'We can see your balance.',
      'The reward of a found block can be spent at once.',
      'It is visible after 100 further blocks.',
    ],
  },
  {
    question: 'Which Wi-Fi bands does Apollo support?',
    section: 'What each model supports',
    statements: [
      'Apollo supports 2.4 GHz and 5 GHz.',
      'Other USB adapters are supported.',
      'Apollo II has WPA2 only.',
      'Networks with a login page work on either model.',
    ],
  },
];

/** Paraphrases of the same sections, which must not be removed. */
export const TRUE_STATEMENTS: readonly HostileCase[] = [
  {
    question: 'May I return a device?',
    section: 'Returns',
    statements: [
      'A device may be returned within 30 days of delivery.',
      'Refunds are paid to the original means of payment within 10 business days of arrival.',
      'You pay the postage for the way back, unless we sent the wrong item.',
      'A device is accepted even if it has been mined with.',
      'Do a factory reset and pack the device with all accessories in the original box.',
    ],
  },
  {
    question: 'Does the warranty cover lightning?',
    section: 'Not covered',
    statements: [
      'Damage by lightning is not covered.',
      'The warranty does not cover damage by liquids or lightning.',
      'Not covered is lost mining income.',
      'Replacing a fan does not affect the warranty.',
      'The warranty ends when you take off the heat sink.',
    ],
  },
  {
    question: 'How long is the warranty for a refurbished device?',
    section: 'Warranty',
    statements: [
      'The term of a refurbished device is 12 months.',
      'Refurbished devices have a term of 12 months from the day of delivery.',
      'A new device has 24 months and a refurbished device 12 months.',
    ],
  },
  {
    question: 'What does the red solid LED mean?',
    section: 'Colours and patterns',
    statements: [
      'A solid red LED means a hardware fault.',
      'Red and solid: hardware fault, note the error code in the dashboard.',
      'When it blinks red, mining stopped because of a fan fault or overheating.',
    ],
  },
  {
    question: 'How much power does Apollo II use in Turbo mode at the wall?',
    section: 'Consumption at the wall',
    statements: [
      'Apollo II takes 320 W in Turbo mode.',
      'In Turbo mode Apollo takes 210 W and Apollo II 320 W.',
      'The consumption of Apollo II in Turbo mode is 320 W.',
    ],
  },
  {
    question: 'Can I use a PC power supply of my own?',
    section: 'Your own power supply',
    statements: [
      'A PC power supply works when it delivers at least 300 W (Apollo) or 450 W (Apollo II) on one 12 V rail.',
      'The warranty does not cover damage caused by a supply from another maker.',
      'Two different supplies must never be connected to the two sockets.',
    ],
  },
  {
    question: 'Can I use adapters from 6-pin to 8-pin cables?',
    section: 'Connecting',
    statements: ['Adapters from 6-pin to 8-pin must not be used.', 'Never use adapters from 6-pin to 8-pin.'],
  },
  {
    question: 'Can I mend damaged cables with tape?',
    section: 'Electricity',
    statements: ['Damaged cables must not be mended with tape.', 'Replace damaged cables; do not mend them with tape.'],
  },
  {
    question: 'How do I update from firmware 2.x?',
    section: 'From firmware 2.x',
    statements: [
      'From 2.x to 3.4.1 you cannot go in one step: install 3.0.0 first, then the current version.',
      'Pools and payout address are not taken over.',
    ],
  },
  {
    question: 'Who pays the postage of a repair?',
    section: 'Who pays the postage?',
    statements: [
      'Under warranty, within the first 30 days, Brightseam pays the postage.',
      'Out of warranty you pay the postage to us and back to you.',
    ],
  },
  {
    question: 'May I cancel an order?',
    section: 'Cancelling an order',
    statements: [
      'You can cancel an order free of charge if it has not been dispatched.',
      'An order can be cancelled free of charge until it has been dispatched.',
      'Pre-orders can be cancelled up to the day of dispatch.',
    ],
  },
  {
    question: 'How much is postage to the United Kingdom?',
    section: 'Delivery times',
    statements: [
      'Postage for one device to the United Kingdom is €19.',
      'Spare parts such as fans may take 3 days longer.',
    ],
  },
  {
    question: 'What are the temperature limits of Apollo II chips?',
    section: 'Temperature limits',
    statements: [
      'On Apollo II mining stops at 100 °C.',
      'Mining starts again by itself as soon as the chips are below 60 °C.',
    ],
  },
  {
    question: 'How often should I clean the fan?',
    section: 'Cleaning',
    statements: [
      'Clean it every 3 months, or every month in a home with pets.',
      'Hold the fan blades, so that they do not spin.',
    ],
  },
  {
    question: 'Are dashboard password and pools in a backup?',
    section: 'What is in a backup',
    statements: ['The dashboard password is not included.', 'No private keys are on the device.'],
  },
  {
    question: 'Can you look into my payment?',
    section: 'When is the money there?',
    statements: ['We cannot see your balance.', 'The reward of a found block can be spent after 100 further blocks.'],
  },
  {
    question: 'Which Wi-Fi bands does Apollo support?',
    section: 'What each model supports',
    statements: ['Apollo II supports 2.4 GHz and 5 GHz.', 'Other USB adapters are not supported.'],
  },
];
