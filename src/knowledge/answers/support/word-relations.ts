import { stem } from '../../search/stem.ts';

/**
 * Groups of words that exclude one another; what stands between slashes means nearly the same. Written by hand for what
 * help articles and their readers say; far from complete on purpose: a missing pair costs little, a wrong one an answer.
 */
const CONTRASTS = `
increase/rise/grow/raise/gain/growth/climb/boost/expand decrease/reduce/fall/drop/decline/lower/shrink/lessen/diminish/loss/cut
begin/start/open/commence/launch/initiate/onset end/finish/stop/close/cease/conclude/terminate
accept/allow/permit/approve/agree/authorize refuse/reject/deny/decline/forbid/prohibit/ban/block/disallow
enable/activate disable/deactivate
install uninstall
include/contain/comprise/with exclude/omit/lack/without
succeed/success/successful fail/failure/unsuccessful
win/won/victory/victorious/winner/defeat lose/lost/losing/loser
before/prior/previous/previously/earlier after/following/subsequent/subsequently/later/next
first last/final
early late
high low
large/big/huge/great/vast/massive/major small/little/tiny/minor
larger/bigger/greater smaller/lesser
largest/biggest smallest
long short
longer shorter
longest shortest
tall short
old/elderly/ancient young/new/modern
older/elder younger/newer
oldest youngest/newest
more/over/above/exceed fewer/less/under/below
most/majority few/minority/least
maximum minimum
best worst
better worse
good/positive/favorable/excellent bad/negative/poor/unfavorable/terrible
easy/simple/effortless hard/difficult/complex/complicated/challenging
cheap/inexpensive/affordable expensive/costly
fast/quick/rapid/swift/quickly/rapidly slow/gradual/slowly/gradually
hot/warm cold/cool
hotter/warmer colder/cooler
strong/powerful weak/feeble
true/correct/right/accurate false/incorrect/wrong/inaccurate
same/identical/similar/alike different/distinct/dissimilar/unlike
like/love/enjoy/admire/favor/adore dislike/hate/despise/detest
support/favor/endorse/advocate/defend oppose/condemn/criticize/against/denounce
attack defend
friend/ally/friendly enemy/opponent/rival/hostile
male/man/men/boy/masculine female/woman/women/girl/feminine
father/dad mother/mom
son daughter
brother sister
husband wife/widow
king queen
uncle aunt
actor/actors actress
he/him/his/himself she/her/hers/herself
buy/purchase/acquire sell/sold
borrow lend
import export
upload download
push pull
add/append/attach/insert remove/delete/detach/subtract
appear/emerge disappear/vanish
arrive leave/depart
enter/entrance exit
inside/internal/indoor/inner outside/external/outdoor/outer
upper/top bottom
front rear/back
left right
north/northern south/southern
east/eastern west/western
northeast southwest northwest southeast
public private
rural urban
domestic foreign/international
local/regional national global/worldwide/international
legal/lawful illegal/unlawful
guilty innocent
alive/live/living/survive dead/die/died/death/deceased/kill
born died
marry/married single/unmarried/divorced
rich/wealthy poor
healthy sick/ill
happy/glad/pleased/satisfied sad/unhappy/upset/disappointed/dissatisfied
safe/secure dangerous/unsafe/insecure/risky
clean dirty
dry wet
full empty
heavy light
thick thin
wide/broad narrow
deep shallow
hard soft
rough smooth
dark bright
day night
morning afternoon evening
daily/everyday weekly monthly quarterly yearly/annual/annually
hour/hourly minute day week month year decade century second
single/sole multiple/several/many/various/numerous
alone/solo/solely together/jointly/group
all/every/entire/whole/each some/part/partial none/no
always/constantly/invariably sometimes/occasionally never
often/frequent/frequently/usually/common/commonly/typically rare/rarely/seldom/uncommon/infrequent
mandatory/required/must/compulsory/obligatory optional/voluntary
necessary/essential/needed unnecessary/needless
possible/able impossible/unable
likely/probable unlikely/improbable
certain/sure/definite uncertain/unsure/doubtful
known/famous/popular/renowned/well unknown/obscure/unpopular
important/significant/key/crucial unimportant/insignificant/trivial
permanent/permanently temporary/temporarily
complete/completed/full incomplete/unfinished
visible/shown hidden/invisible
active inactive/passive
online offline
automatic/automatically manual/manually
free paid/charged
wired wireless
encrypt decrypt
lock unlock
connect disconnect
login/sign-in logout/sign-out
expand collapse
ascending descending
horizontal vertical
static dynamic
synchronous asynchronous
primary secondary
main/principal side
individual/personal team/collective
teacher student
employer employee
customer/client/buyer seller/vendor/merchant
parent child/children
adult child/minor
predecessor successor
cause effect
rise set
profit loss
gain loss
liberal conservative
democratic/democrat republican
victory defeat
peace war
hero villain
comedy/comedic drama/dramatic horror thriller documentary
fiction/fictional nonfiction/factual
novel film/movie album/record song/single play book/poem
singer/vocalist actor drummer guitarist bassist pianist
director producer writer/author
football basketball baseball hockey tennis golf cricket rugby
red blue green yellow black white orange purple pink brown grey/gray
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep oct nov dec
monday tuesday wednesday thursday friday saturday sunday
spring summer autumn/fall winter
english/british/england/britain/uk american/america/us french/france german/germany italian/italy spanish/spain russian/russia chinese/china japanese/japan indian/india canadian/canada australian/australia irish/ireland mexican/mexico korean/korea dutch/netherlands swedish/sweden polish/poland greek/greece turkish/turkey
europe/european asia/asian africa/african america/american
christian/catholic/protestant muslim/islamic jewish hindu buddhist
city/town village/country state/province county island/continent
gold silver bronze
iron steel copper wood/wooden stone/marble/concrete plastic glass
kilogram/kg gram/g pound/lb ounce/oz tonne/ton
meter/metre/m kilometer/kilometre/km mile foot/feet/ft inch centimeter/cm millimeter/mm
celsius fahrenheit kelvin
kb mb gb tb
dollar/usd euro/eur pound/gbp yen
mitigate/alleviate/ease/relieve exacerbate/worsen/aggravate
improve/enhance/upgrade worsen/degrade/deteriorate/impair
prevent/avoid/stop/hinder/inhibit cause/lead/trigger/promote/enable/facilitate
protect/preserve/save destroy/damage/harm/ruin
build/construct/create/establish/found/form destroy/demolish/dissolve/disband
join/enroll/enlist leave/quit/resign/withdraw
hire/recruit/employ fire/dismiss/lay-off
praise/acclaim/applaud criticize/pan/blame
positive negative neutral
outperform/surpass/exceed/superior underperform/inferior
supervised unsupervised
trust distrust/mistrust
advantage/benefit/pro disadvantage/drawback/con
strength weakness
attentive inattentive
reliable/dependable unreliable
remember/recall forget
continue/resume/keep/remain stop/halt/cease/pause/discontinue
ignore/neglect/overlook notice/heed/consider/mention
mention/state/note omit/ignore
interested uninterested/bored/indifferent
efficient/effective inefficient/ineffective
flexible rigid/inflexible
transparent opaque
novice/beginner expert/advanced/experienced
old-fashioned modern
latest/newest/recent oldest
direct/directly indirect/indirectly
explicit/explicitly implicit/implicitly
linear nonlinear
local remote
input output
send receive
give take
teach learn
ask answer
question answer
lead follow
rise sink
reward punish
accept decline`;

/** Words that a reader takes for one another. */
const SYNONYMS = `
movie/film/picture
company/firm/business/organization/corporation/enterprise
begin/start/commence
finish/complete
buy/purchase
get/obtain/receive/acquire
show/display/present/demonstrate/exhibit/reveal/indicate
help/assist/aid/support
use/utilize/employ/usage/leverage
make/create/produce/build/manufacture/develop
give/provide/offer/supply/grant
need/require/necessitate
want/wish/desire
fix/repair/mend/resolve/solve
pick/choose/select/opt
change/modify/alter/adjust/edit/amend
update/upgrade
keep/retain/maintain/preserve
allow/permit/let/enable
stop/halt/cease
happen/occur/take
think/believe/consider/feel/regard
tell/inform/notify/advise/say/state
talk/speak/discuss/conversation
ask/request/inquire/query
answer/reply/respond/response
big/large/huge/great
small/little/tiny
quick/fast/rapid/swift
important/crucial/essential/vital/key/significant/critical
main/primary/principal/chief/major/central
many/numerous/multiple/several/various
different/various/diverse/distinct
new/latest/recent/novel/newest
old/elderly/aged
special/unique/exclusive/particular/specific
whole/entire/complete/full/comprehensive
price/cost/pricing/fee/charge/expense
employee/worker/staff/personnel
customer/client/buyer/purchaser/consumer
car/automobile/vehicle
house/home/residence/dwelling
child/kid/children/youth
person/people/individual/human
country/nation/state
job/work/occupation/career/profession/position/role
teacher/instructor/educator
doctor/physician
author/writer/novelist/write/written/penned
song/track/tune/single
singer/vocalist/sing
actor/actress/act/star/starred/performer/portray
film/shoot/shot
release/publish/issue/launch/debut/premiere
title/name/call/entitle/designate
known/famous/renowned/popular/celebrated/noted
die/death/pass/deceased/dead
kill/murder/assassinate/slay
marry/wed/spouse/wife/husband/marriage
born/birth/native
live/reside/dwell/inhabit
locate/situate/lie/based
found/establish/create/form/start
win/earn/gain/receive/award
lead/head/direct/guide
member/part/belong
show/program/series/programme
sport/game
team/club/squad
city/town/metropolis
begin/origin/originate
method/approach/technique/way/procedure
problem/issue/difficulty/trouble
result/outcome/effect/consequence
goal/aim/objective/purpose/target
part/portion/section/piece/component
group/team/band/set
range/variety/selection/array/collection
kind/type/sort/form
plan/scheme/package/policy
feature/function/functionality/capability
option/choice/alternative
fit/match/suit/tailor/tailored/meet
cover/include/encompass/contain/comprise/incorporate/consist/involve/feature
describe/explain/outline/detail/illustrate
introduce/present/unveil
propose/suggest/recommend/advise
reach/contact/call/approach
schedule/arrange/book
fill/complete
join/enroll/register/sign
error/fault/failure/bug
delete/remove/erase/eliminate
add/append/insert/include
connect/link/attach/join
send/dispatch/ship/deliver/transmit
save/store
check/verify/confirm/ensure/validate/examine/inspect
turn/switch/toggle
click/press/tap/hit/select
run/execute/perform/conduct/carry
machine/device/appliance/unit
email/mail/e-mail
website/site/webpage
picture/photo/photograph/image
fight/battle/combat
soldier/troop/military/army
law/legal/legislation
money/fund/finance/financial
rich/wealthy/affluent
beautiful/pretty/attractive
smart/intelligent/clever
ill/sick/unwell/disease/illness
hospital/clinic
school/college/university
area/region/zone/territory
near/close/nearby/adjacent
reduce/decrease/lower/lessen/diminish/cut/decline/drop/fall
increase/raise/rise/grow/expand/boost
improve/enhance/better
often/frequently/commonly/usually/typically/generally/normally
about/approximately/around/roughly/nearly/almost
quarter/fourth
yearly/annual/annually
monthly/month
daily/day
currently/presently/now
since/because/due
additional/extra/further
free/complimentary
trial/test
discover/find/detect/identify
observe/see/notice/note
understand/comprehend/learn/grasp
simple/easy/straightforward/uncomplicated
difficult/hard/challenging/onerous
easily/simply
interested/intrigued/curious/keen
agent/representative/rep/salesperson
manager/executive
goods/product/item/merchandise
defeat/beat/overcome
famous/celebrity
adapt/adaptation/adapted/convert/turn
base/basis
successor/follow/succeed
surround/around
remain/stay
quit/resign/leave/depart/retire
refuse/decline/reject
condemn/criticize/denounce/oppose
original/initial/first
final/last
tv/television
us/usa/america/american
uk/britain/british
father/dad/parent
mother/mom/parent
son/daughter/child
brother/sister/sibling
play/player/played/compete
movie/cinema/cinematic/blockbuster
musical/music/musician/song/band
band/group/duo/trio/quartet
career/job/professional
win/defeat/beat/triumph/champion
receive/win/earn/accept
grow/raise/rear/upbringing
pass/die
conflict/war/battle/fighting
happen/place/occur/event
army/force/troop/military/soldier
leader/ruler/king/president/head/chief
govern/government/rule/reign
story/tale/plot/narrative
plot/scheme/conspiracy
evidence/proof
tool/software/application/app/program
participate/join/compete/involve
discuss/discussion/talk/debate
suggest/imply/recommend/propose
guarantee/assure/ensure/promise/warrant
cheap/low-cost/affordable/inexpensive
remove/drop/eliminate/omit/skip/leave
lower/reduce/cheap
inquire/enquire/ask/question
potential/possible/prospective/likely
determine/decide/establish/ascertain
identify/recognize/detect/discern
expedite/speed/accelerate/quick
characteristic/attribute/property/trait/aspect/quality
detail/information/info/data
mechanism/system/device
begin/become
hold/held/host/organize
injury/casualty/wound/hurt
steal/theft/rob/robbery
holiday/vacation
visit/tour/tourist/travel/trip
university/college/academy
professional/pro
nominate/nomination/nominee
crown/coronation
treaty/agreement/pact/accord
influence/inspire/impact/affect/effect
appear/feature/cameo
couple/pair/two
century/hundred
assault/attack/raid/invade/invasion
protest/demonstration/riot
vote/ballot/elect/election
prison/jail/imprison/incarcerate
crime/offense/felony
religion/faith/religious
pope/papal/papacy
priest/clergy/clergyman/cleric/minister
poem/poet/poetry
paint/painter/painting/artist
science/scientist/researcher/scientific
exclusively/only/solely/just
legally/lawfully/legal
copyright/protect
abandon/desert/leave
restore/recover/reinstate
backup/back-up
login/log-in/sign-in
setup/configure/configuration/setting/set
folder/directory
wipe/clean/wash/rinse
warranty/guarantee
shipping/delivery
refund/reimburse/reimbursement
renew/extend
cancel/terminate
button/key
faulty/defective/broken
damage/harm
hot/heat
worldwide/globally/global
portray/depict/represent
locate/find
approximately/approx
permanent/everlasting
novice/beginner
expert/advanced
convert/transform
translate/translation
various/range/variety
last/endure
span/last/run
measure/size/long
length/long
height/tall/high
width/wide
weight/weigh/heavy
distance/far
population/populous/inhabitant/resident
capital/city
border/neighbor/adjacent
coast/shore/beach
ship/vessel/boat
plane/aircraft/airplane
rail/train/railway/railroad
road/street/highway
language/speak/tongue
money/cash/currency
tax/levy
profit/earnings/revenue
invest/investment/investor
stock/share
sick/illness/disease
drug/medicine/medication
surgery/operation/operate
food/meal/dish
drink/beverage
animal/creature/species
plant/vegetation
tree/forest/wood
sea/ocean
mountain/peak/summit
cold/winter
rain/storm`;

/** A word's place in the contrasts: group and side, as often as it stands there. */
type Place = readonly [group: number, side: number];

const contrasts = new Map<string, Place[]>();
CONTRASTS.trim()
  .split('\n')
  .forEach((line, group) => {
    line.split(' ').forEach((side, at) => {
      for (const word of side.split('/')) {
        const key = stem(word);
        contrasts.set(key, [...(contrasts.get(key) ?? []), [group, at]]);
      }
    });
  });

const synonyms = new Map<string, number[]>();
SYNONYMS.trim()
  .split('\n')
  .forEach((line, group) => {
    for (const word of line.split('/')) {
      const key = stem(word);
      synonyms.set(key, [...(synonyms.get(key) ?? []), group]);
    }
  });

/** Groups in which a word stands for the same as others: names of sets that share something when they mean nearly the same. */
export const meaningsOf = (key: string): readonly string[] => {
  const known = meanings.get(key);
  if (known) return known;
  const found = [
    ...(synonyms.get(key) ?? []).map((group) => `=${group}`),
    ...(contrasts.get(key) ?? []).map(([group, side]) => `${group}/${side}`),
  ];
  if (contrasts.has(key) || synonyms.has(key)) meanings.set(key, found);
  return found;
};

const meanings = new Map<string, readonly string[]>();

/** Whether two words exclude one another. */
export const isContrary = (one: string, other: string): boolean => {
  const places = contrasts.get(one);
  const others = contrasts.get(other);
  if (isUndone(one, other) || isUndone(other, one)) return true;
  if (!places || !others || one === other) return false;
  if (meaningsOf(one).some((each) => meaningsOf(other).includes(each))) return false;
  return places.some(([group, side]) => others.some(([at, there]) => group === at && side !== there));
};

/** `unreli` of `reli`. */
const isUndone = (one: string, other: string): boolean =>
  other.length >= 4 && one.length > other.length && one.endsWith(other) && UNDOING.has(one.slice(0, -other.length));

const UNDOING: ReadonlySet<string> = new Set(['un', 'in', 'im', 'ir', 'il', 'dis', 'non', 'mis', 'de']);
