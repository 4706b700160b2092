/**
 * Scripts that Redis runs as a whole or not at all; each can be run twice, and depends on nothing but what it is given and what is
 * stored. Most keys are known only inside, so Upstash lets nothing else run meanwhile (its page on EVAL): milliseconds. `KEYS[1]` is
 * the prefix of a workspace, below which all keys lie, and ids, places and words come in the alphabet of memory-place.ts: nothing that anybody wrote is in a key.
 *
 * | key | what it holds |
 * | --- | --- |
 * | `record:<id>` | the memory as JSON |
 * | `about:<id>` | what has to be known to remove it: place, indexes, words |
 * | `all`, `conversation:<id>`, `person:<id>`, `type:<hash>` | places, all with score 0, so that they stand in their own order |
 * | `word:<hash>` | places of the memories that a word stands in |
 * | `relations:<id>` | relations that begin or end there, as `relationPlaceOf` writes them |
 * | `vector:<id>`, `fresh` | vectors of the last minutes, and places by when they were stored: the vector index may not know them yet |
 * | `removed` | ids of memories that are gone, and whose vectors may still have to be removed |
 */

/** How long a vector index may take until it finds what was stored, in seconds; 150 were seen. */
const FRESH_SECONDS = 180;
/** Of them, the newest this many are looked at. */
const FRESH_LIMIT = 64;
/** Places looked through for one answer, and bytes of records in it: 4 MiB. */
const EXAMINED = 20_000;
const MAX_ANSWER_BYTES = 4_194_304;
const REMOVED_AT_ONCE = 50;
const RELATIONS_LIMIT = 100;

/** record, id, place, indexes, words, vector or '', seconds since 1970, then (id, relation) of each related memory -> 1, or 0 when one is not there. */
export const PUT = `
local p = KEYS[1]
local record, id, place, indexes, words, vector = unpack(ARGV, 1, 6)
if redis.call('EXISTS', p .. 'record:' .. id) == 1 then return 1 end
for at = 8, #ARGV, 2 do
  if redis.call('EXISTS', p .. 'record:' .. ARGV[at]) == 0 then return 0 end
end
redis.call('SET', p .. 'record:' .. id, record)
redis.call('HSET', p .. 'about:' .. id, 'place', place, 'indexes', indexes, 'words', words)
for index in string.gmatch(indexes, '%S+') do redis.call('ZADD', p .. index, 0, place) end
for word in string.gmatch(words, '%S+') do redis.call('SADD', p .. 'word:' .. word, place) end
for at = 8, #ARGV, 2 do
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

/** index or '', then ids: those, or the newest of the index -> the records that were removed. */
export const REMOVE = `
local p = KEYS[1]
local ids, records = {}, {}
if ARGV[1] == '' then
  for at = 2, #ARGV do ids[#ids + 1] = ARGV[at] end
else
  for _, place in ipairs(redis.call('ZREVRANGE', p .. ARGV[1], 0, ${REMOVED_AT_ONCE - 1})) do
    ids[#ids + 1] = string.match(place, '[^:]+$')
  end
end
for _, id in ipairs(ids) do
  local record = redis.call('GET', p .. 'record:' .. id)
  if record then records[#records + 1] = record end
  local about = redis.call('HMGET', p .. 'about:' .. id, 'place', 'indexes', 'words')
  if about[1] then
    for index in string.gmatch(about[2], '%S+') do redis.call('ZREM', p .. index, about[1]) end
    for word in string.gmatch(about[3], '%S+') do redis.call('SREM', p .. 'word:' .. word, about[1]) end
    redis.call('ZREM', p .. 'fresh', about[1])
  end
  for _, relation in ipairs(redis.call('ZRANGE', p .. 'relations:' .. id, 0, -1)) do
    local from, to = string.match(relation, '^[^|]*|([^|]*)|([^|]*)|')
    redis.call('ZREM', p .. 'relations:' .. (from == id and to or from), relation)
  end
  redis.call('DEL', p .. 'record:' .. id, p .. 'about:' .. id, p .. 'relations:' .. id, p .. 'vector:' .. id)
  redis.call('ZADD', p .. 'removed', 0, id)
end
return records`;

/**
 * limit, first place or '', place after the last or '', least confidence or '', types, indexes that all have it, words or ''
 * -> the place after which there is more or '', then (score, record) of each that was found: with words the best first, without
 * them the newest.
 */
export const PICK = `
local p = KEYS[1]
local limit, from, before, surest, types, indexes, words = tonumber(ARGV[1]), unpack(ARGV, 2, 7)
local sources = {}
for index in string.gmatch(indexes, '%S+') do sources[#sources + 1] = p .. index end
local scratch, whole = p .. 'scratch', 0
if words ~= '' then
  local total = redis.call('ZCARD', p .. 'all')
  local keys, weights = {}, {}
  for word in string.gmatch(words, '%S+') do
    local key = p .. 'word:' .. word
    local count = redis.call('SCARD', key)
    local weight = math.log(1 + (math.max(total - count, 0) + 0.5) / (count + 0.5))
    whole = whole + weight
    if count > 0 then
      keys[#keys + 1] = key
      weights[#weights + 1] = string.format('%.17g', weight)
    end
  end
  if #keys == 0 then return { '' } end
  local union = { 'ZUNIONSTORE', scratch, #keys }
  for _, key in ipairs(keys) do union[#union + 1] = key end
  union[#union + 1] = 'WEIGHTS'
  for _, weight in ipairs(weights) do union[#union + 1] = weight end
  redis.call(unpack(union))
  for _, source in ipairs(sources) do
    redis.call('ZINTERSTORE', scratch, 2, scratch, source, 'WEIGHTS', 1, 0)
  end
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
local found, bytes, examined, last = { '' }, 0, 0, nil
local function nextPage()
  if words ~= '' then return redis.call('ZREVRANGE', scratch, examined, examined + 255, 'WITHSCORES') end
  local max = last and '(' .. last or (before == '' and '+' or '(' .. before)
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
    if isWanted(place) then
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
    last = place
    examined = examined + 1
  end
  if found[1] == '' and examined >= ${EXAMINED} then found[1] = last end
  if found[1] == '' then page = nextPage() end
end
if words ~= '' then redis.call('DEL', scratch) end
return found`;

/** seconds since 1970 -> (vector, record) of each memory that the vector index may not know yet. */
export const FRESH = `
local p = KEYS[1]
local since = tonumber(ARGV[1]) - ${FRESH_SECONDS}
local found = {}
for _, place in ipairs(redis.call('ZREVRANGEBYSCORE', p .. 'fresh', '+inf', since, 'LIMIT', 0, ${FRESH_LIMIT})) do
  local id = string.match(place, '[^:]+$')
  local vector, record = redis.call('GET', p .. 'vector:' .. id), redis.call('GET', p .. 'record:' .. id)
  if vector and record then
    found[#found + 1] = vector
    found[#found + 1] = record
  end
end
return found`;

/** id -> (relation, record of the other end) of each. */
export const RELATIONS = `
local p = KEYS[1]
local found = {}
for _, relation in ipairs(redis.call('ZRANGE', p .. 'relations:' .. ARGV[1], 0, ${RELATIONS_LIMIT - 1})) do
  local from, to = string.match(relation, '^[^|]*|([^|]*)|([^|]*)|')
  local record = redis.call('GET', p .. 'record:' .. (from == ARGV[1] and to or from))
  if record then
    found[#found + 1] = relation
    found[#found + 1] = record
  end
end
return found`;

/** ids -> the record of each, '' where there is none; it ends early when they are long. */
export const READ = `
local found, bytes = {}, 0
for _, id in ipairs(ARGV) do
  local record = redis.call('GET', KEYS[1] .. 'record:' .. id) or ''
  bytes = bytes + #record
  if bytes > ${MAX_ANSWER_BYTES} and #found > 0 then break end
  found[#found + 1] = record
end
return found`;

export const COUNT = "return redis.call('ZCARD', KEYS[1] .. 'all')";

/** -> ids whose vectors have to go. */
export const PENDING = "return redis.call('ZRANGE', KEYS[1] .. 'removed', 0, 499)";

/** ids: their vectors are gone. */
export const SETTLE = "return redis.call('ZREM', KEYS[1] .. 'removed', unpack(ARGV))";
