import { MAX_ANSWER_BYTES, RELATIONS_LIMIT } from './memory-store.ts';

/**
 * Lua scripts for the memories of a workspace. Redis runs each as a whole or not at all; each is safe to run twice and depends on nothing
 * but its arguments and what is stored. Most keys are only known inside a script, so Upstash runs no other command meanwhile (its page
 * on EVAL): some milliseconds. `KEYS[1]` is the prefix of all keys of a workspace. Places, words and memory ids are in the alphabet of
 * memory-store.ts; conversations and persons are hashed, so that a key contains no text of a user.
 *
 * | key | value |
 * | --- | --- |
 * | `record:<id>` | the memory as JSON |
 * | `about:<id>` | what its removal needs: place, indexes, words |
 * | `all`, `conversation:<hash>`, `person:<hash>`, `type:<hash>`, `facts:<hash>`, `turns`, `turns:<hash>` | places, all with score 0, so that they sort by themselves |
 * | `asked:<kind>:<subject>:<audiences>`, `asked` | places of what a subject stored with some audiences; the names of these sets |
 * | `expires` | ids of turns by the time when they expire, in milliseconds; their records expire by themselves |
 * | `word:<hash>` | places of the memories that contain a word |
 * | `relations:<id>` | relations that begin or end there, as `relationPlaceOf` writes them |
 * | `vector:<id>`, `fresh` | vectors of the last minutes, and places by storage time: the vector index may not have them yet |
 * | `removed` | ids of removed memories by the time when their vectors were deleted; 0 while that is not confirmed |
 * | `outcome:<call>` | ids that a call has removed, for a minute: a call whose reply was lost is sent again |
 */

/** Upper bound of the vector index's delay until a record is found, in seconds (150 were seen), and of an upsert in flight. */
const FRESH_SECONDS = 180;
/** The newest of them are searched. */
const FRESH_LIMIT = 64;
const OUTCOME_SECONDS = 60;

/** Places that one script looks through. */
const EXAMINED = 10_000;
/**
 * Bounds of a search by words: how many memories the rarest words may occur in, all together, for all of these memories to be candidates;
 * how many of the newest memories are candidates when even the rarest word is more common; and how many candidates are looked up in
 * the sets of more common words. Redis blocks meanwhile: 20 to 30 ms with 60,000 memories.
 */
const POSTINGS = 10_000;
const NEWEST = 5000;
const LOOKUPS = 10_000;

/**
 * Arguments: record, id, place, indexes, words, vector or '', seconds since 1970, milliseconds of its expiry or '', then (id, relation) of
 * each related memory.
 * Returns 1, or 0 when a related memory does not exist.
 */
export const PUT = `
local p = KEYS[1]
local record, id, place, indexes, words, vector = unpack(ARGV, 1, 6)
if vector ~= '' then redis.call('ZREM', p .. 'removed', id) end
if redis.call('EXISTS', p .. 'record:' .. id) == 1 then return 1 end
for at = 9, #ARGV, 2 do
  if redis.call('EXISTS', p .. 'record:' .. ARGV[at]) == 0 then return 0 end
end
redis.call('SET', p .. 'record:' .. id, record)
if ARGV[8] ~= '' then
  redis.call('PEXPIREAT', p .. 'record:' .. id, ARGV[8])
  redis.call('ZADD', p .. 'expires', ARGV[8], id)
end
redis.call('HSET', p .. 'about:' .. id, 'place', place, 'indexes', indexes, 'words', words)
for index in string.gmatch(indexes, '%S+') do
  redis.call('ZADD', p .. index, 0, place)
  if string.sub(index, 1, 6) == 'asked:' then redis.call('SADD', p .. 'asked', index) end
end
for word in string.gmatch(words, '%S+') do redis.call('SADD', p .. 'word:' .. word, place) end
for at = 9, #ARGV, 2 do
  redis.call('ZADD', p .. 'relations:' .. ARGV[at], 0, ARGV[at + 1])
  redis.call('ZADD', p .. 'relations:' .. id, 0, ARGV[at + 1])
end
if vector ~= '' then
  local now = tonumber(ARGV[7])
  redis.call('SET', p .. 'vector:' .. id, vector, 'EX', ${FRESH_SECONDS})
  redis.call('ZREMRANGEBYSCORE', p .. 'fresh', '-inf', now - ${FRESH_SECONDS})
  redis.call('ZADD', p .. 'fresh', now, place)
end
return 1`;

/** Arguments: id of the call, then memory ids. Returns the removed ids, separated by spaces; the same for a repeated call. */
export const REMOVE = `
local p = KEYS[1]
local outcome = p .. 'outcome:' .. ARGV[1]
local known = redis.call('GET', outcome)
if known then return known end
local removed = {}
for at = 2, #ARGV do
  local id = ARGV[at]
  if redis.call('EXISTS', p .. 'record:' .. id) == 1 then removed[#removed + 1] = id end
  local about = redis.call('HMGET', p .. 'about:' .. id, 'place', 'indexes', 'words')
  if about[1] then
    for index in string.gmatch(about[2], '%S+') do
      redis.call('ZREM', p .. index, about[1])
      if redis.call('EXISTS', p .. index) == 0 then redis.call('SREM', p .. 'asked', index) end
    end
    for word in string.gmatch(about[3], '%S+') do redis.call('SREM', p .. 'word:' .. word, about[1]) end
    redis.call('ZREM', p .. 'fresh', about[1])
  end
  for _, relation in ipairs(redis.call('ZRANGE', p .. 'relations:' .. id, 0, -1)) do
    local from, to = string.match(relation, '^[^|]*|([^|]*)|([^|]*)|')
    redis.call('ZREM', p .. 'relations:' .. (from == id and to or from), relation)
  end
  redis.call('DEL', p .. 'record:' .. id, p .. 'about:' .. id, p .. 'relations:' .. id, p .. 'vector:' .. id)
  redis.call('ZREM', p .. 'expires', id)
  redis.call('ZADD', p .. 'removed', 0, id)
end
local answer = table.concat(removed, ' ')
redis.call('SET', outcome, answer, 'EX', ${OUTCOME_SECONDS})
return answer`;

/**
 * Arguments: seconds since 1970, then indexes of hidden memories. Returns (vector, record) of each other memory that the vector index may
 * not have yet.
 */
export const FRESH = `
local p = KEYS[1]
local since = tonumber(ARGV[1]) - ${FRESH_SECONDS}
local found, bytes, examined, most = {}, 0, 0, ${FRESH_LIMIT}
for at = 2, #ARGV do most = most + redis.call('ZCARD', p .. ARGV[at]) end
local function isHidden(place)
  for at = 2, #ARGV do
    if redis.call('ZSCORE', p .. ARGV[at], place) then return true end
  end
  return false
end
for _, place in ipairs(redis.call('ZREVRANGEBYSCORE', p .. 'fresh', '+inf', since, 'LIMIT', 0, most)) do
  if not isHidden(place) then
    examined = examined + 1
    local id = string.match(place, '[^:]+$')
    local vector, record = redis.call('GET', p .. 'vector:' .. id), redis.call('GET', p .. 'record:' .. id)
    if vector and record then
      found[#found + 1] = vector
      found[#found + 1] = record
      bytes = bytes + #vector + #record
    end
    if examined >= ${FRESH_LIMIT} or bytes > ${MAX_ANSWER_BYTES} then break end
  end
end
return found`;

/**
 * Arguments: memory ids. Returns (position of the id, from 1; relation; record of the other end) of each relation; a record that was
 * returned before is ''. Ends early at the size limit of an answer.
 */
export const RELATIONS = `
local p = KEYS[1]
local found, returned, bytes = {}, {}, 0
for at, id in ipairs(ARGV) do
  for _, relation in ipairs(redis.call('ZRANGE', p .. 'relations:' .. id, 0, ${RELATIONS_LIMIT - 1})) do
    local from, to = string.match(relation, '^[^|]*|([^|]*)|([^|]*)|')
    local other = from == id and to or from
    local record = returned[other] and '' or redis.call('GET', p .. 'record:' .. other)
    if record then
      bytes = bytes + #relation + #record
      if bytes > ${MAX_ANSWER_BYTES} and #found > 0 then return found end
      returned[other] = true
      found[#found + 1] = tostring(at)
      found[#found + 1] = relation
      found[#found + 1] = record
    end
  end
end
return found`;

/** Arguments: memory ids. Returns the record of each, '' for an unknown id. Ends early at the size limit of an answer. */
export const READ = `
local found, bytes = {}, 0
for _, id in ipairs(ARGV) do
  local record = redis.call('GET', KEYS[1] .. 'record:' .. id) or ''
  bytes = bytes + #record
  if bytes > ${MAX_ANSWER_BYTES} and #found > 0 then break end
  found[#found + 1] = record
end
return found`;

/** Without arguments. Returns (index, number of its memories) of each index of memories that were asked with audiences. */
export const ASKED = `
local found = {}
for _, index in ipairs(redis.call('SMEMBERS', KEYS[1] .. 'asked')) do
  found[#found + 1] = index
  found[#found + 1] = tostring(redis.call('ZCARD', KEYS[1] .. index))
end
return found`;

/** Arguments: an index, then those whose memories do not count. */
export const COUNT = `
local count = redis.call('ZCARD', KEYS[1] .. ARGV[1])
for at = 2, #ARGV do count = count - redis.call('ZCARD', KEYS[1] .. ARGV[at]) end
return count`;

/**
 * Arguments: milliseconds since 1970, the most ids, then (index, how many of its memories may stay). Returns ids of turns: those that have
 * expired, then the oldest of each index.
 */
export const SURPLUS = `
local p, most = KEYS[1], tonumber(ARGV[2])
local surplus = redis.call('ZRANGEBYSCORE', p .. 'expires', '-inf', ARGV[1], 'LIMIT', 0, most)
for at = 3, #ARGV, 2 do
  local index = p .. ARGV[at]
  local last = math.min(redis.call('ZCARD', index) - tonumber(ARGV[at + 1]), most) - 1
  if last >= 0 then
    for _, place in ipairs(redis.call('ZRANGE', index, 0, last)) do surplus[#surplus + 1] = string.match(place, '[^:]+$') end
  end
end
return surplus`;

/**
 * Arguments: seconds since 1970, then ids whose vectors have just been deleted. Returns ids whose vectors must be deleted. Each is deleted
 * twice: at once, and again when no upsert that could have landed in between is in flight any more.
 */
export const CLEAR = `
local removed, now = KEYS[1] .. 'removed', tonumber(ARGV[1])
local settled = now - ${FRESH_SECONDS}
for at = 2, #ARGV do
  local score = tonumber(redis.call('ZSCORE', removed, ARGV[at]) or now)
  if score == 0 then redis.call('ZADD', removed, now, ARGV[at]) end
  if score > 0 and score <= settled then redis.call('ZREM', removed, ARGV[at]) end
end
local ids = redis.call('ZRANGEBYSCORE', removed, 0, 0, 'LIMIT', 0, 500)
if #ids == 0 then ids = redis.call('ZRANGEBYSCORE', removed, '(0', settled, 'LIMIT', 0, 500) end
return ids`;

/**
 * Collects candidates that share words with the query in `scratch`, scored by the weight of the shared words; `whole` is the weight of all
 * words. Few matches: all are candidates. Too many: the rarest words select the candidates, or the narrowest index if it is smaller;
 * if even the rarest word is too common, the newest memories are the candidates. More common words are then looked up for these
 * candidates within the bounds above; beyond them they weigh nothing, as stop words do. Hidden memories count nowhere.
 */
const COLLECT = `
local function readableOf(key, all)
  if not hidden then return all end
  return all - redis.call('ZINTERSTORE', p .. 'scratch:shared', 2, key, hidden)
end
local function collect()
  local total = readableOf(p .. 'all', redis.call('ZCARD', p .. 'all'))
  local known, postings = {}, 0
  for word in string.gmatch(words, '%S+') do
    local key = p .. 'word:' .. word
    local count = readableOf(key, redis.call('SCARD', key))
    local weight = math.log(1 + (math.max(total - count, 0) + 0.5) / (count + 0.5))
    if count > 0 then
      known[#known + 1] = { key, count, weight }
      postings = postings + count
    else
      whole = whole + weight
    end
  end
  if #known == 0 then return false end
  table.sort(known, function(one, other) return one[2] < other[2] or (one[2] == other[2] and one[1] < other[1]) end)

  local narrowest = readableOf(sources[1], redis.call('ZCARD', sources[1]))
  local keys, weights, taken, at = {}, {}, 0, 1
  local isNarrow = postings > ${POSTINGS} and narrowest <= ${NEWEST} and narrowest * #known <= ${LOOKUPS}
  while not isNarrow and at <= #known and taken + known[at][2] <= ${POSTINGS} do
    keys[at], weights[at] = known[at][1], string.format('%.17g', known[at][3])
    taken, whole, at = taken + known[at][2], whole + known[at][3], at + 1
  end
  if at == 1 then
    local first, last = from == '' and '-' or '[' .. from, before == '' and '+' or '(' .. before
    redis.call('ZRANGESTORE', scratch, sources[1], last, first, 'BYLEX', 'REV', 'LIMIT', 0, ${NEWEST} + hiddenCount)
  else
    local union = { 'ZUNIONSTORE', scratch, #keys }
    for _, key in ipairs(keys) do union[#union + 1] = key end
    union[#union + 1] = 'WEIGHTS'
    for _, weight in ipairs(weights) do union[#union + 1] = weight end
    redis.call(unpack(union))
  end
  if hidden then
    redis.call('ZDIFFSTORE', scratch, 2, scratch, hidden)
    if at == 1 then redis.call('ZREMRANGEBYRANK', scratch, 0, -${NEWEST + 1}) end
  end
  -- Narrowed first, so that fewer candidates are looked up.
  for _, source in ipairs(sources) do
    if source ~= p .. 'all' then redis.call('ZINTERSTORE', scratch, 2, scratch, source, 'WEIGHTS', 1, 0) end
  end

  local size, lookups, parts = redis.call('ZCARD', scratch), 0, { scratch }
  while at <= #known and (lookups == 0 or lookups + size <= ${LOOKUPS}) do
    local part = p .. 'scratch:' .. at
    redis.call('ZINTERSTORE', part, 2, scratch, known[at][1], 'WEIGHTS', 0, string.format('%.17g', known[at][3]))
    parts[#parts + 1] = part
    whole, lookups, at = whole + known[at][3], lookups + size, at + 1
  end
  if #parts > 1 then
    redis.call('ZUNIONSTORE', scratch, #parts, unpack(parts))
    redis.call('DEL', unpack(parts, 2))
    redis.call('ZREMRANGEBYSCORE', scratch, 0, 0)
  end
  return true
end`;

/**
 * Arguments: limit, first place or '', place after the last or '', minimum confidence or '', types, indexes that must all contain the
 * memory (narrowest first), words or '', indexes of hidden memories. Returns the place after which there is more or '', then (score, record) of each match:
 * best first with words, newest first without.
 */
export const PICK = `
local p = KEYS[1]
local limit, from, before, surest, types, indexes, words, withheld = tonumber(ARGV[1]), unpack(ARGV, 2, 8)
local sources = {}
for index in string.gmatch(indexes, '%S+') do sources[#sources + 1] = p .. index end
local scratch, whole = p .. 'scratch', 0
local hidden, hiddenCount = nil, 0
if withheld ~= '' then
  hidden = p .. 'scratch:hidden'
  local keys = {}
  for index in string.gmatch(withheld, '%S+') do keys[#keys + 1] = p .. index end
  hiddenCount = redis.call('ZUNIONSTORE', hidden, #keys, unpack(keys))
end
local function clean() redis.call('DEL', scratch, p .. 'scratch:hidden', p .. 'scratch:shared') end
${COLLECT}
if words ~= '' and not collect() then
  clean()
  return { '' }
end
local function isWanted(place)
  if from ~= '' and place < from then return false end
  if before ~= '' and place >= before then return false end
  local confidence, kind = string.match(place, '^[^:]*:([^:]*):([^:]*):')
  if surest ~= '' and confidence < surest then return false end
  if types ~= '' and not string.find(' ' .. types .. ' ', ' ' .. kind .. ' ', 1, true) then return false end
  if words ~= '' then return true end
  for at = 2, #sources do
    if not redis.call('ZSCORE', sources[at], place) then return false end
  end
  return true
end
local found, bytes, examined, last, seen = { '' }, 0, 0, nil, nil
local function nextPage()
  if words ~= '' then return redis.call('ZREVRANGE', scratch, examined, examined + 255, 'WITHSCORES') end
  local max = seen and '(' .. seen or (before == '' and '+' or '(' .. before)
  local page = {}
  for _, place in ipairs(redis.call('ZREVRANGEBYLEX', sources[1], max, from == '' and '-' or '[' .. from, 'LIMIT', 0, 256)) do
    page[#page + 1] = place
    page[#page + 1] = '0'
  end
  return page
end
local page = nextPage()
while #page > 0 and found[1] == '' do
  for at = 1, #page, 2 do
    local place = page[at]
    seen = place
    local isHidden = hidden and words == '' and redis.call('ZSCORE', hidden, place)
    if not isHidden and isWanted(place) then
      if (#found - 1) / 2 >= limit or bytes > ${MAX_ANSWER_BYTES} then
        found[1] = last
        break
      end
      local record = redis.call('GET', p .. 'record:' .. string.match(place, '[^:]+$'))
      if record then
        found[#found + 1] = words == '' and '0' or string.format('%.17g', tonumber(page[at + 1]) / whole)
        found[#found + 1] = record
        bytes = bytes + #record
      end
    end
    if not isHidden then
      last = place
      examined = examined + 1
    end
  end
  if found[1] == '' and examined >= ${EXAMINED} then found[1] = last end
  if found[1] == '' then page = nextPage() end
end
clean()
return found`;
