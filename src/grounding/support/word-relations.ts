import { stem } from '../../text/stem.ts';

/**
 * Groups of words that exclude one another; what stands between slashes means nearly the same. Written by hand for what
 * help articles and their readers say, without the words that two public collections of them hardly use: they weigh in every
 * function. Far from complete on purpose: a missing pair costs little, a wrong one an answer.
 */
const CONTRASTS = `
mandatory/required/compulsory optional/voluntary
daily weekly monthly yearly/annual
monday tuesday wednesday thursday friday saturday sunday
manual/manually automatic/automatically
wired wireless
increase/grow/raise/gain/growth/expand decrease/reduce/fall/drop/decline/lower/loss
begin/start/open/launch/initiate end/finish/stop/close/terminate
accept/allow/permit/approve/agree/authorize reject/deny/decline/prohibit/block/disallow
enable/activate disable/deactivate
install uninstall
include/contain/comprise/with exclude/omit/lack/without
success/successful fail/failure
win/won lose/lost/losing
before/prior/previous/previously/earlier after/following/subsequent/subsequently/later/next
first last/final
high low
large/big/major small/little/minor
larger/greater smaller
long short
longer shorter
old new/modern
older newer
oldest newest
more/over/above/exceed fewer/less/under/below
most/majority few/minority/least
maximum minimum
good/positive/excellent bad/poor
easy/simple hard/difficult/complex/challenging
fast/quick/quickly slow/slowly
true/correct/right/accurate false/incorrect/wrong
same/identical/similar different/distinct/unlike
import export
upload download
push pull
add/append/attach/insert remove/delete
appear/emerge disappear
enter exit
inside/internal outside/external
front back
left right
public private
local/regional global/worldwide/international
full empty
hour/hourly minute day week month year second
single multiple/several/many/various/numerous
alone together/group
all/every/entire/whole/each some/part/partial none/no
always sometimes/occasionally never
often/frequent/frequently/usually/common/commonly/typically rare/rarely
required/must optional
possible/able unable
likely/probable unlikely
known/popular/well unknown
permanent/permanently temporary/temporarily
complete/completed/full incomplete
visible/shown hidden
active inactive
online offline
free charged
encrypt decrypt
lock unlock
connect disconnect
primary secondary
individual/personal team/collective
customer/client vendor/merchant
january february march april may june july august october november december
meter/m cm mm
kb mb gb tb
prevent/avoid/stop cause/lead/trigger/enable/facilitate
protect/preserve/save damage
continue/resume/keep/remain stop/pause
latest/newest/recent oldest
direct/directly indirectly
input output
send receive
give take
ask answer
lead follow`;

/** Words that a reader takes for one another. */
const SYNONYMS = `
company/business/organization/corporation/enterprise
begin/start
finish/complete
get/obtain/receive
show/display/present/demonstrate/indicate
help/assist/support
use/utilize/usage/leverage
make/create/produce/build/manufacture/develop
give/provide/offer/supply/grant
need/require
want/desire
fix/repair/resolve/solve
choose/select/opt
change/modify/adjust/edit
update/upgrade
keep/retain/maintain/preserve
allow/permit/let/enable
tell/inform/notify/advise/say/state
ask/request/query
answer/reply/respond/response
quick/fast
important/key/significant/critical
main/primary/principal/major/central
many/multiple/several/various
different/various
new/latest/recent/newest
special/unique/exclusive/particular/specific
whole/entire/complete/full
price/cost/fee/charge
customer/client/purchaser/consumer
person/people/individual/human
locate/situate/based
found/establish/create/form/start
method/approach/way/procedure
problem/issue
result/effect
part/section/component
group/team/set
kind/type/sort/form
plan/scheme/package/policy
feature/function/capability
option/choice/alternative
fit/match/suit/tailor/meet
cover/include/contain/consist/involve/feature
describe/explain/detail/illustrate
suggest/recommend/advise
reach/contact/call/approach
schedule/book
fill/complete
join/enroll/register/sign
error/failure
delete/remove
add/append/insert/include
connect/link/attach/join
send/deliver/transmit
save/store
check/verify/confirm/ensure/validate/examine
turn/switch/toggle
click/press/select
run/execute/perform
machine/device/unit
email/mail
website/site/webpage
picture/photo/image
area/region/zone
reduce/decrease/lower/decline/drop/fall
increase/grow/expand
improve/enhance/better
often/frequently/commonly/usually/typically/generally/normally
about/approximately/around/roughly
monthly/month
daily/day
currently/presently/now
since/because/due
additional/extra/further
simple/easy
difficult/hard/challenging
agent/representative
goods/product/item
adapt/convert/turn
decline/reject
original/initial/first
final/last
tool/software/application/app/program
guarantee/ensure
remove/drop/skip/leave
lower/reduce
ask/question
potential/possible/likely
determine/decide/establish
detail/information/info/data
appear/feature
exclusively/only/just
restore/recover
setup/configure/setting
folder/directory
warranty/guarantee
renew/extend
cancel/terminate
button/key
worldwide/globally
locate/find
convert/transform
last/run
measure/size/long
send/sent
pay/paid
keep/kept
hold/held
lose/lost
write/wrote/written
choose/chosen
break/broken
sell/sold
buy/bought
length/long`;

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

/** `unreli` of `reli`, `dislik` of `like`. */
const isUndone = (one: string, other: string): boolean => {
  if (other.length < 4 || one.length <= other.length) return false;
  const [whole, root] = [one.replace(/e$/, ''), other.replace(/e$/, '')];
  return whole.endsWith(root) && UNDOING.has(whole.slice(0, -root.length));
};

const UNDOING: ReadonlySet<string> = new Set(['un', 'in', 'im', 'ir', 'il', 'dis', 'non', 'mis', 'de']);
