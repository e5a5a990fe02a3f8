-- Sends the requests that the arguments describe: method, body (may be empty), then paths, which take turns.
-- Prints the outcome as a line of JSON.

function init(args)
  wrk.method = args[1]
  if args[2] ~= "" then
    wrk.body = args[2]
    wrk.headers["Content-Type"] = "application/json"
  end
  local requests = {}
  for index = 3, #args do
    requests[#requests + 1] = wrk.format(nil, args[index])
  end
  local at = 0
  -- One request alone is sent without asking.
  if #requests == 1 then
    wrk.path = args[3]
  else
    request = function()
      at = at % #requests + 1
      return requests[at]
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  local line = '{"requests":%d,"duration":%d,"refused":%d,"broken":%d,"median":%d,"p99":%d}\n'
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(line:format(
    summary.requests, summary.duration, errors.status, broken, latency:percentile(50), latency:percentile(99)
  ))
end
