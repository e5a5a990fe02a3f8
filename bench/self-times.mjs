/** Reading a profile of V8. */

/** The group of our own functions. */
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
 * Adds up how long each function ran by itself, within a span of the monotonic clock.
 *
 * @param {object} profile as `--cpu-prof` writes it
 * @param {{ from: number, to: number }} span in µs
 * @returns the time of all functions, idle time apart, and each with its frame, in µs
 */
export function selfTimes({ nodes, samples, timeDeltas, startTime }, { from, to }) {
  const byId = new Map(nodes.map((node) => [node.id, { frame: node.callFrame, time: 0 }]))
  let at = startTime
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index]
    // The difference at an index lies before its sample: what ran from here on is told by the next one.
    if (at >= from && at < to) byId.get(id).time += timeDeltas[index + 1] ?? 0
  }
  const times = [...byId.values()].filter(({ frame, time }) => time > 0 && frame.functionName !== '(idle)')
  return { times, total: times.reduce((sum, { time }) => sum + time, 0) }
}

/** Whose code a function is. */
export function groupOf({ url, functionName }) {
  const group = GROUPS.find(([, pattern]) => pattern.test(url))
  if (group !== undefined) return group[0]
  if (functionName === '(program)') return 'native code'
  return functionName.startsWith('(') ? functionName : 'built-ins'
}

/** Name of a function and, where it has a source, the end of its path. */
export function placeOf({ url, functionName, lineNumber }) {
  const name = functionName || '(anonymous)'
  return url === '' ? name : `${name} ${url.split(/\/(?:dist|node_modules)\//).at(-1)}:${lineNumber + 1}`
}
