/**
 * The peers that forwarding headers name, from the last to the first. What a trusted proxy has added stands at the end: reading from
 * there, no text of a client (such as a quote that is never closed) can change how it is understood.
 */
import { isIP } from 'node:net'

/** An address, or `undefined` where a proxy gave none: nobody trusted has said who stands behind that. */
export type Peer = string | undefined

/** An address of the fourth version, or of the sixth in brackets, each with or without a port (RFC 7239 section 6). */
const NODE = /^(?:\[(?<six>[0-9A-Fa-f:.]+)\]|(?<four>[0-9.]+))(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?$/
/** Without a zone, which means something on one machine alone. */
const PLAIN = /^[0-9A-Fa-f:.]+$/

/** Reads `Forwarded` (RFC 7239 section 4) in linear time: what `for` says in each element. Nothing is read before it is asked for. */
export function* forwardedPeers(text: string): Generator<Peer, void, undefined> {
  for (const element of partsFromEnd(text, ',')) yield forOf(element)
}

/** Reads `X-Forwarded-For`, a list of addresses. No RFC describes it; ports and brackets are understood as in `Forwarded`. */
export function* listedPeers(text: string): Generator<Peer, void, undefined> {
  for (const part of partsFromEnd(text, ',')) {
    const entry = part.trim()
    yield isIP(entry) === 6 && PLAIN.test(entry) ? entry : addressOf(entry)
  }
}

/** Parts between separators that do not stand in a quoted string. */
function* partsFromEnd(text: string, separator: string): Generator<string, void, undefined> {
  let end = text.length
  let isQuoted = false
  for (let at = end - 1; at >= 0; at--) {
    if (text[at] === '"' && !isEscaped(text, at)) isQuoted = !isQuoted
    else if (text[at] === separator && !isQuoted) {
      yield text.slice(at + 1, end)
      end = at
    }
  }
  yield text.slice(0, end)
}

/** An odd number of backslashes stands before it; each is counted for one quote only. */
function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text[start - 1] === '\\') start--
  return (at - start) % 2 === 1
}

/** A parameter may stand in an element once. */
function forOf(element: string): Peer {
  const values = [...partsFromEnd(element, ';')].flatMap((pair) => {
    const equals = pair.indexOf('=')
    return pair.slice(0, equals).trim().toLowerCase() === 'for' ? [pair.slice(equals + 1).trim()] : []
  })
  const [value = ''] = values
  return values.length === 1 ? addressOf(unquoted(value)) : undefined
}

/** What is left of a broken string is no address. */
function unquoted(value: string): string {
  return value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
}

/** `unknown` and hidden names such as `_hidden` give none. */
function addressOf(node: string): Peer {
  const { six, four } = NODE.exec(node)?.groups ?? {}
  if (six !== undefined) return isIP(six) === 6 ? six : undefined
  return four !== undefined && isIP(four) === 4 ? four : undefined
}
