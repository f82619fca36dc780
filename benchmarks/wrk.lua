-- Replays the requests of a file, each written as its length, a newline and its bytes,
-- and prints one line of figures when it is done.
local requests = {}
local position = 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  local length = file:read("*n")
  while length do
    file:read(1)
    requests[#requests + 1] = file:read(length)
    length = file:read("*n")
  end
  file:close()
end

-- There is no `response` function on purpose: with one, wrk copies every answer into Lua and
-- becomes the bottleneck. It counts the answers that are errors by itself.
function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "FIGURES %d %d %d %d %d %d %d\n",
    summary.requests, summary.duration, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
