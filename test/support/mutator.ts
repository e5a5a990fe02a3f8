/** Mutates valid requests into hostile ones; the same seed produces the same requests. */

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** Creates a pseudorandom generator with a seed (mulberry32), so that runs are repeatable. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns a random element. */
export function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0]
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit)

type Mutation = (text: string, random: Random) => string

/** Replaces `length` characters at a position. */
function splice(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length)
}

const flipBit: Mutation = (text, random) => {
  const at = below(random, text.length)
  return splice(text, at, 1, String.fromCharCode((text.charCodeAt(at) ^ (1 << below(random, 8))) & 0xff))
}

const replaceByte: Mutation = (text, random) => {
  const bytes = ['\0', '\r', '\n', '\t', ' ', ':', ';', ',', '/', '%', '#', '\\', '\x7f', '\xff', '"', '.'] as const
  return splice(text, below(random, text.length), below(random, 2), pick(random, bytes))
}

const truncate: Mutation = (text, random) => text.slice(0, below(random, text.length))

const repeatHeader: Mutation = (text, random) => {
  const lines = text.split('\r\n')
  const at = 1 + below(random, Math.max(1, lines.indexOf('') - 1))
  return [...lines.slice(0, at), ...Array<string>(1 + below(random, 3)).fill(lines[at] ?? ''), ...lines.slice(at)].join(
    '\r\n',
  )
}

const HEADERS = [
  'Content-Length: 5',
  'Content-Length: 0',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding:\x0bchunked',
  'Host: other',
  'Expect: 100-continue',
  'Expect: everything',
  'Connection: close',
  'Connection: upgrade',
  'Connection: keep-alive, transfer-encoding',
  'Upgrade: websocket',
  'Content-Type: text/plain',
  'Content-Encoding: gzip',
  'Accept: image/png;q=0',
  'Cookie: __proto__=1; a=%zz; =; ;;',
  '__proto__: x',
  'Trailer: Host',
  'TE: trailers',
  'X-Folded: a\r\n b',
  ' X-Space: a',
  'X-Space : a',
] as const

const addHeader: Mutation = (text, random) => {
  const end = text.indexOf('\r\n')
  return splice(text, end, 0, `\r\n${pick(random, HEADERS)}`)
}

const changeLineEnd: Mutation = (text, random) => {
  const by = pick(random, ['\n', '\r', '\n\r', '\r\r\n', '\r\n\r\n', ' \r\n', '\r\n ', '\0\r\n', ''])
  const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index)
  return splice(text, ends[below(random, ends.length)] ?? 0, 2, by)
}

const NUMBERS = [
  '-1',
  '0',
  '00',
  '+1',
  '0x10',
  '1e9',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '9'.repeat(30),
  'NaN',
  '1 1',
] as const

const changeNumber: Mutation = (text, random) => {
  const numbers = [...text.matchAll(/\d+/g)]
  const number = numbers[below(random, numbers.length)]
  return number === undefined ? text : splice(text, number.index, number[0].length, pick(random, NUMBERS))
}

const toChunks: Mutation = (text, random) => {
  const end = text.indexOf('\r\n\r\n')
  const head = text.slice(0, end).replace(/\r\nContent-Length: \d+/i, '')
  const body = text.slice(end + 4)
  const extension = pick(random, ['', ';a', ';a=b', ';a="\r\n"', `;${'x'.repeat(200)}`, ' ', '\t;', ';\n'])
  const size = pick(random, [
    body.length.toString(16),
    `0${body.length.toString(16)}`,
    'ffffffffffffffff1',
    '-1',
    '0x1',
    '',
  ])
  const trailer = pick(random, ['', 'X: y\r\n', 'Content-Length: 3\r\n', 'bad\r\n', 'Transfer-Encoding: x\r\n'])
  const chunk = body === '' ? '' : `${size}${extension}\r\n${body}\r\n`
  return `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n${trailer}\r\n`
}

const METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'FOO', 'get', 'PUT', 'DELETE', 'PRI', '', 'PROPFIND'] as const
const TARGETS = [
  '*',
  '//',
  '/../x',
  '/%2e%2e/x',
  '/%',
  '/%00',
  'http://a/alive',
  '/a#b',
  '/echo/%ff',
  `/${'a'.repeat(9000)}`,
  '/files/%2F',
] as const

const changeMethod: Mutation = (text, random) => text.replace(/^\S+/, pick(random, METHODS))
const changeTarget: Mutation = (text, random) => text.replace(/ \S+/, ` ${pick(random, TARGETS)}`)
const changeVersion: Mutation = (text, random) =>
  text.replace(
    /HTTP\/1\.1/,
    pick(random, ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/11', 'http/1.1', 'HTTP/1.', '']),
  )

const repeatPart: Mutation = (text, random) => {
  const at = below(random, text.length)
  const part = text.slice(at, at + 1 + below(random, 40))
  return splice(text, at, 0, part.repeat(1 + below(random, 50)))
}

const removePart: Mutation = (text, random) => splice(text, below(random, text.length), 1 + below(random, 20), '')

const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  flipBit,
  flipBit,
  replaceByte,
  replaceByte,
  truncate,
  repeatHeader,
  addHeader,
  addHeader,
  changeLineEnd,
  changeLineEnd,
  changeNumber,
  toChunks,
  changeMethod,
  changeTarget,
  changeVersion,
  repeatPart,
  removePart,
]

/**
 * Builds the packets of one connection.
 *
 * @param random seeded generator
 * @param corpus valid requests; each character is one byte
 */
export function mutate(random: Random, corpus: readonly [string, ...string[]]): string[] {
  let text = pick(random, corpus)
  for (let left = below(random, 4); left > 0; left--) text = pick(random, MUTATIONS)(text, random)
  if (random() < 0.25) text = pick(random, corpus) + text
  if (random() < 0.25) text += pick(random, corpus)
  return splitPackets(text, random)
}

function splitPackets(text: string, random: Random): string[] {
  if (random() < 0.6) return [text]
  const cuts = Array.from({ length: 1 + below(random, 4) }, () => below(random, text.length)).toSorted((a, b) => a - b)
  return [0, ...cuts].map((from, index) => text.slice(from, cuts[index] ?? text.length))
}
