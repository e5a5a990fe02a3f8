/** The last header lines of a prepared head: they change once a second. */
let lines = ''

/** Returns the lines that `node:http` would add, and the empty line. */
export function lastLines() {
  if (lines === '') renew()
  return lines
}

function renew() {
  const now = new Date()
  lines = `Date: ${now.toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n`
  setTimeout(() => (lines = ''), 1000 - now.getMilliseconds()).unref()
}
