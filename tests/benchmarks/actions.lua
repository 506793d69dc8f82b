-- Plays planned actions over HTTP. Each thread has one connection, and games of its own: file <n> of the folder that is
-- the first argument, with "game<TAB>token<TAB>body" lines in the order of play.

local threads = 0

function setup(thread)
  thread:set("worker", threads)
  threads = threads + 1
end

local lines, trial

function init(args)
  lines = io.lines(args[1] .. "/" .. worker)
  trial = worker == 0  -- wrk asks its first thread for one request that it never sends
end

function request()
  if trial then
    trial = false
    return wrk.format("GET", "/healthz")
  end
  local line = lines()
  if not line then
    wrk.thread:stop()
    return wrk.format("GET", "/healthz")
  end
  local game, token, body = line:match("^(%S+)\t(%S+)\t(.+)$")
  return wrk.format("POST", "/v1/games/" .. game .. "/actions",
    {["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json"}, body)
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('\nRESULT {"rps": %f, "p50": %f, "p99": %f, "errors": %d}\n',
    summary.requests * 1e6 / summary.duration, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.connect + e.read + e.write + e.status + e.timeout))
end
