/** Reads V8 profiles. */

/** The group of Verbena's own functions. */
export const OURS = 'Verbena'

const GROUPS = [
  ['other packages', /\/node_modules\//],
  [OURS, /\/dist\//],
  ['the app', /\/bench\//],
  ['streams and net', /^node:(?:net|stream|events|internal\/(?:streams|stream_base_commons|timers))|^node:timers/],
  ['node:http', /^node:(?:_http|http)/],
  ['other parts of Node', /^node:/],
]

/**
 * Sums the self time of each function within a span of the monotonic clock.
 *
 * @param {object} profile from `--cpu-prof`
 * @param {{ from: number, to: number }} span in µs
 * @returns in µs: the time of all functions without idle time, and of each function with its frame
 */
export function selfTimes({ nodes, samples, timeDeltas, startTime }, { from, to }) {
  const byId = new Map(nodes.map((node) => [node.id, { frame: node.callFrame, time: 0 }]))
  let at = startTime
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index]
    // A time difference precedes its sample, so the time after this sample is in the next difference.
    if (at >= from && at < to) byId.get(id).time += timeDeltas[index + 1] ?? 0
  }
  const times = [...byId.values()].filter(({ frame, time }) => time > 0 && frame.functionName !== '(idle)')
  return { times, total: times.reduce((sum, { time }) => sum + time, 0) }
}

/** Returns the owner of a function's code. */
export function findGroup({ url, functionName }) {
  const group = GROUPS.find(([, pattern]) => pattern.test(url))
  if (group !== undefined) return group[0]
  if (functionName === '(program)') return 'native code'
  return functionName.startsWith('(') ? functionName : 'built-ins'
}

/** Returns the name of a function and the end of its source's path, if any. */
export function formatPlace({ url, functionName, lineNumber }) {
  const name = functionName || '(anonymous)'
  return url === '' ? name : `${name} ${url.split(/\/(?:dist|node_modules)\//).at(-1)}:${lineNumber + 1}`
}
