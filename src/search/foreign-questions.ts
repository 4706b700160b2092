/**
 * Questions and complaints of customers of unrelated services, by subject: negative examples by which a knowledge base
 * learns what is out of its domain. Written for this project; no evaluation set was used.
 *
 * The range of subjects matters more than the sentences. A knowledge base may cover one or two of them, so `fitEdition`
 * limits how many of its own questions may be refused. One question per line; ten per subject.
 */
export const FOREIGN_QUESTIONS: Record<string, string> = {
  banking: `
How long does a wire to another bank usually take?
My salary did not show up in my account this morning
Can I open a savings account for my daughter?
I was charged twice at the petrol station, can I get it back?
What interest do you pay on a fixed deposit?
The cash machine kept my money and gave me nothing
Why did you decline my mortgage application?
I want to stop a standing order before Friday
I forgot my PIN, what should I do now?
Is there a fee when I pay abroad in dollars?`,
  travel: `
Can I take two suitcases on the flight to Rome?
My train was cancelled, do I get a refund?
Do I need a visa for a stopover in Dubai?
What is the cheapest way from the airport into town?
My luggage never arrived, who do I call?
Can I change the name on my ticket?
Is breakfast included in the room price?
How early do I have to be at the gate?
I missed my connection because of snow
Are dogs allowed on the ferry?`,
  cooking: `
How long do I boil an egg so the yolk stays soft?
Can I freeze soup with cream in it?
What can I use instead of buttermilk?
My bread does not rise, what am I doing wrong?
How do I get the burnt taste out of a pan?
Is it safe to eat chicken that is a bit pink?
How much rice do I need for six people?
Why does my cake fall in the middle?
Which oil is best for frying potatoes?
I put too much salt in the sauce, help`,
  health: `
How many hours of sleep does a teenager need?
I have had a headache for three days, should I worry?
Can I take aspirin together with antibiotics?
What helps against a sore throat?
When can I book an appointment with the dentist?
My knee hurts when I climb stairs
Do I need a prescription for this cream?
How long is the flu contagious?
Which vaccinations does a baby get first?
I feel dizzy when I stand up quickly`,
  law: `
Can my landlord enter the flat without asking?
How much notice do I have to give when I resign?
Do I have to pay the parking fine if the sign was hidden?
Who inherits if there is no will?
My neighbour plays loud music at night, what can I do?
Can I return something I bought at a sale?
How do I contest a speeding ticket?
Is a spoken contract valid?
What happens if I do not show up in court?
I want to change my last name after the wedding`,
  sports: `
Who won the cup final last night?
How many players are on a volleyball team?
What shoes should I buy for my first marathon?
When does the next season start?
Explain the offside rule to me please
How often should a beginner lift weights?
Are there still tickets for Saturday's game?
My tennis elbow is back, can I still play?
How do I get a better golf swing?
What is a good time for ten kilometres?`,
  pets: `
Why does my cat scratch the sofa?
How often do I feed a puppy?
My hamster has not moved since yesterday
Which plants are poisonous for rabbits?
Can I bathe my dog with normal shampoo?
How do I get rid of fleas in the house?
My parrot pulls out its feathers
What does pet insurance cost a month?
How do I introduce a second cat?
The vet says he is too fat, what now?`,
  school: `
When are the autumn holidays this year?
My son was marked absent but he was there
How do I apply for a scholarship?
What grade do I need to pass the exam?
Can I hand in my essay a week late?
Where do I find the reading list for the course?
Which bus goes to the new school?
I lost my student card, where can I get another?
Do you offer evening classes in Spanish?
How do I help my daughter with fractions?`,
  shopping: `
Where is my parcel, it should have come on Monday
Can I exchange these trousers for a bigger size?
Do you deliver to the islands?
The vase arrived broken, I want my money back
Do you have this jacket in green?
My discount code does not work
How do I cancel an order I placed an hour ago?
When will the blue sofa be back in stock?
Can I pay when it is delivered?
I received someone else's package`,
  phone: `
How do I keep my number when I change provider?
My screen is cracked, what does the repair cost?
Why is my bill higher than last month?
How do I block unwanted calls?
There is no signal in my kitchen
Can I use my data plan in Canada?
My SIM does not fit into the new phone
How do I turn off roaming?
My battery is empty by noon
How can I get my deleted photos back?`,
  computers: `
My laptop does not turn on any more
How do I connect the printer to the wifi?
I forgot the password for my mail
How do I free up space on my disk?
My computer got very slow after the update
Which antivirus do you recommend?
How can I make the letters on the screen bigger?
The keyboard types the wrong characters
Can I recover a file I did not save?
Is my old monitor still good for games?`,
  car: `
When do I have to change the oil?
There is a strange noise when I brake
How much air belongs in the tyres?
My car does not start when it is cold
What does the yellow engine light mean?
Can I drive with a cracked windscreen?
How long does it take to charge an electric car?
Where can I rent a van for a day?
I scratched a parked car, what do I do?
Which fuel goes into this motorbike?`,
  home: `
How do I fix a dripping tap?
What paint do I need for a damp bathroom?
The radiator stays cold at the bottom
How do I get red wine out of a carpet?
My washing machine does not drain
Can I drill into this wall without hitting a pipe?
How do I unblock the kitchen sink?
What do I do about mould behind the wardrobe?
Why does the fuse blow when I use the oven?
How do I hang a heavy mirror?`,
  garden: `
When do I plant tomatoes outside?
Why are the leaves of my lemon tree yellow?
How do I keep snails away from the lettuce?
How often should I water a new lawn?
Can I prune roses in spring?
What grows well in the shade?
My orchid has lost all its flowers
How deep do tulip bulbs go?
Is ash good for the compost?
What can I do against moss in the grass?`,
  work: `
How many days of leave do I have left?
When do I get my payslip?
Can I work from home on Fridays?
How do I ask for a raise?
Who approves my travel expenses?
I am ill today, whom do I tell?
What should I write in a cover letter?
My colleague takes credit for my work
How do I prepare for a job interview?
When does the probation period end?`,
  money: `
Do I have to declare the rent I earn?
When is the deadline for my tax return?
How much should I put aside for retirement?
Can I deduct the cost of a desk?
How do I get out of debt?
What is better, renting or buying a house?
Why is my insurance more expensive this year?
How do I claim for a stolen bicycle?
Does my policy cover water damage?
I cannot pay the invoice this month`,
  family: `
My baby wakes up every two hours
How do I get my toddler to eat vegetables?
What present is good for a ten year old?
How do we plan a small wedding?
When do children lose their first tooth?
My teenager does not talk to me any more
Which kindergarten still has places?
How much pocket money is normal?
What can we do on a rainy Sunday?
How do I tell my parents that I am moving out?`,
  leisure: `
What is on at the cinema tonight?
Can you recommend a good crime novel?
How do I tune a guitar?
What time does the museum close?
How do I win at chess against a better player?
Which board game works for two people?
Do I need to book a table for Sunday?
How do I learn to draw faces?
My library book is overdue, what do I pay?
How do I knit a scarf?`,
  weather: `
Will it rain tomorrow afternoon?
What is the weather like in June there?
Why is the sky red in the evening?
When is the next full moon?
How cold does it get at night?
Is it safe to swim during a thunderstorm?
How do I dress for minus ten degrees?
Do I need an umbrella today?
What time does the sun set?
Is there a storm warning for the coast?`,
  smalltalk: `
Hi, how are you today?
Can you tell me a joke?
Are you a real person?
What is the meaning of life?
I want to talk to somebody
Thanks, that was not helpful at all
What can you do for me?
Who made you?
Do you speak German?
I am bored, tell me something`,
  accounts: `
How do I delete my account?
I do not get the confirmation code
Why was my profile blocked?
How do I change the address you have for me?
Somebody else is logged in with my name
I want to cancel my subscription
Which documents do you need to prove who I am?
Why do you need a photo of my passport?
How can I reach a human on the phone?
The app closes as soon as I open it`,
  city: `
When is the rubbish collected?
How do I register at my new address?
Where do I get a new passport?
How much is a yearly bus pass?
Which office do I go to with my birth certificate?
Is the swimming pool open on Sunday?
Who do I tell about a broken street light?
Where can I park near the station?
How do I vote by mail?
Can I have a barbecue in the park?`,
};
