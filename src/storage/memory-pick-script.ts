import { EXAMINED, LOOKUPS, MAX_ANSWER_BYTES, NEWEST, POSTINGS } from './memory-limits.ts';

/**
 * Collects the memories that share words with a search under `scratch`, by the weight of these words, and adds up in `whole` what all
 * words weigh. As long as the words stand in few memories, that is all of them. Where they stand in more than can be gone through,
 * the rarest words bring the candidates, or, where those are fewer, the narrowest index does; where even the rarest is too common, the
 * newest memories are the candidates. The commoner words are then looked up for these candidates, as far as the bound allows, and
 * beyond it they count for nothing, as stop words do.
 */
const COLLECT = `
local function collect()
  local total = redis.call('ZCARD', p .. 'all')
  local known, postings = {}, 0
  for word in string.gmatch(words, '%S+') do
    local key = p .. 'word:' .. word
    local count = redis.call('SCARD', key)
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

  local narrowest = redis.call('ZCARD', sources[1])
  local keys, weights, taken, at = {}, {}, 0, 1
  local isNarrow = postings > ${POSTINGS} and narrowest <= ${NEWEST} and narrowest * #known <= ${LOOKUPS}
  while not isNarrow and at <= #known and taken + known[at][2] <= ${POSTINGS} do
    keys[at], weights[at] = known[at][1], string.format('%.17g', known[at][3])
    taken, whole, at = taken + known[at][2], whole + known[at][3], at + 1
  end
  if at == 1 then
    local first, last = from == '' and '-' or '[' .. from, before == '' and '+' or '(' .. before
    redis.call('ZRANGESTORE', scratch, sources[1], last, first, 'BYLEX', 'REV', 'LIMIT', 0, ${NEWEST})
  else
    local union = { 'ZUNIONSTORE', scratch, #keys }
    for _, key in ipairs(keys) do union[#union + 1] = key end
    union[#union + 1] = 'WEIGHTS'
    for _, weight in ipairs(weights) do union[#union + 1] = weight end
    redis.call(unpack(union))
  end
  -- Narrowed first, so that fewer are looked up.
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
 * limit, first place or '', place after the last or '', least confidence or '', types, indexes that all have it, words or ''
 * -> the place after which there is more or '', then (score, record) of each that was found: with words the best first, without
 * them the newest. The indexes come with the narrowest first. As in memory-scripts.ts.
 */
export const PICK = `
local p = KEYS[1]
local limit, from, before, surest, types, indexes, words = tonumber(ARGV[1]), unpack(ARGV, 2, 7)
local sources = {}
for index in string.gmatch(indexes, '%S+') do sources[#sources + 1] = p .. index end
local scratch, whole = p .. 'scratch', 0
${COLLECT}
if words ~= '' and not collect() then return { '' } end
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
