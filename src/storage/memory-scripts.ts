import { MAX_ANSWER_BYTES } from './memory-limits.ts';

/**
 * Scripts that Redis runs as a whole or not at all; each can be run twice, and depends on nothing but what it is given and what is
 * stored. Most keys are known only inside, so Upstash lets nothing else run meanwhile (its page on EVAL): milliseconds. `KEYS[1]` is
 * the prefix of a workspace, below which all keys lie. Places, words and the ids of memories come in the alphabet of memory-place.ts;
 * of conversations and persons there are hashes, so that nothing that anybody wrote is in a key.
 *
 * | key | what it holds |
 * | --- | --- |
 * | `record:<id>` | the memory as JSON |
 * | `about:<id>` | what has to be known to remove it: place, indexes, words |
 * | `all`, `conversation:<hash>`, `person:<hash>`, `type:<hash>` | places, all with score 0, so that they stand in their own order |
 * | `word:<hash>` | places of the memories that a word stands in |
 * | `relations:<id>` | relations that begin or end there, as `relationPlaceOf` writes them |
 * | `vector:<id>`, `fresh` | vectors of the last minutes, and places by when they were stored: the vector index may not know them yet |
 * | `removed` | ids of memories that are gone, by when their vectors were removed; 0 while nobody knows that they were |
 * | `outcome:<call>` | ids that a call has removed, for a minute: its reply may be lost, and it is sent again then |
 */

/** How long a vector index may take until it finds what was stored, in seconds; 150 were seen. Nor is a vector under way for longer. */
const FRESH_SECONDS = 180;
/** Of them, the newest this many are looked at. */
const FRESH_LIMIT = 64;
const RELATIONS_LIMIT = 100;
const OUTCOME_SECONDS = 60;

/** record, id, place, indexes, words, vector or '', seconds since 1970, then (id, relation) of each related memory -> 1, or 0 when one is not there. */
export const PUT = `
local p = KEYS[1]
local record, id, place, indexes, words, vector = unpack(ARGV, 1, 6)
if vector ~= '' then redis.call('ZREM', p .. 'removed', id) end
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

/** id of the call, then ids -> those that were removed, separated by blanks; by the same call again, the same. */
export const REMOVE = `
local p = KEYS[1]
local outcome = p .. 'outcome:' .. ARGV[1]
local told = redis.call('GET', outcome)
if told then return told end
local removed = {}
for at = 2, #ARGV do
  local id = ARGV[at]
  if redis.call('EXISTS', p .. 'record:' .. id) == 1 then removed[#removed + 1] = id end
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
told = table.concat(removed, ' ')
redis.call('SET', outcome, told, 'EX', ${OUTCOME_SECONDS})
return told`;

/** seconds since 1970 -> (vector, record) of each memory that the vector index may not know yet. */
export const FRESH = `
local p = KEYS[1]
local since = tonumber(ARGV[1]) - ${FRESH_SECONDS}
local found, bytes = {}, 0
for _, place in ipairs(redis.call('ZREVRANGEBYSCORE', p .. 'fresh', '+inf', since, 'LIMIT', 0, ${FRESH_LIMIT})) do
  local id = string.match(place, '[^:]+$')
  local vector, record = redis.call('GET', p .. 'vector:' .. id), redis.call('GET', p .. 'record:' .. id)
  if vector and record then
    found[#found + 1] = vector
    found[#found + 1] = record
    bytes = bytes + #vector + #record
    if bytes > ${MAX_ANSWER_BYTES} then break end
  end
end
return found`;

/**
 * ids -> (which of the ids, from 1; relation; record of the other end) of each, the record only where it comes first. It ends early when
 * they are long: no answer of Redis is longer than what may be read of one.
 */
export const RELATIONS = `
local p = KEYS[1]
local found, told, bytes = {}, {}, 0
for at, id in ipairs(ARGV) do
  for _, relation in ipairs(redis.call('ZRANGE', p .. 'relations:' .. id, 0, ${RELATIONS_LIMIT - 1})) do
    local from, to = string.match(relation, '^[^|]*|([^|]*)|([^|]*)|')
    local other = from == id and to or from
    local record = told[other] and '' or redis.call('GET', p .. 'record:' .. other)
    if record then
      bytes = bytes + #relation + #record
      if bytes > ${MAX_ANSWER_BYTES} and #found > 0 then return found end
      told[other] = true
      found[#found + 1] = tostring(at)
      found[#found + 1] = relation
      found[#found + 1] = record
    end
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

/**
 * seconds since 1970, then ids whose vectors have just been removed -> ids whose vectors have to go. They go twice: at once, and again
 * when nothing can be under way any more that would have stored them after that.
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
