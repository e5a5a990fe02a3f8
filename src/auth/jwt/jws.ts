/** Signed tokens in compact form (RFC 7515 section 7.1), read strictly. */
import { isRecord } from '../../values/objects.js'
import { invalidToken } from '../invalid-token.js'

/** What the header of a token says, as far as it is asked. */
export interface JwsHeader {
  readonly alg: string
  readonly kid: string | undefined
  readonly typ: string | undefined
}

/** A token taken apart; nothing in it is verified yet. */
export interface Jws {
  readonly header: JwsHeader
  readonly payload: Buffer
  /** What is signed: header and payload as they were sent. */
  readonly content: Buffer
  readonly signature: Buffer
}

/** As many characters as the default limit of all headers together: none that is longer can come in a header. */
const LONGEST = 16_384

/** Takes a token apart. */
export function parseJws(token: string): Jws {
  if (token.length > LONGEST) throw invalidToken('The token is too long')
  const [first = '', second, third, fourth] = token.split('.', 4)
  if (second === undefined || third === undefined || fourth !== undefined) throw malformed()
  return {
    header: headerOf(decoded(first)),
    payload: decoded(second),
    content: Buffer.from(`${first}.${second}`, 'latin1'),
    signature: decoded(third),
  }
}

/** There is one text for each sequence of bytes: whoever keeps tokens in a list must not be given a second one. */
function decoded(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw malformed()
  return bytes
}

function headerOf(bytes: Buffer): JwsHeader {
  const { alg, kid, typ, crit } = parseObject(bytes)
  if (crit !== undefined) throw invalidToken('The token needs an extension that is not known here')
  if (typeof alg !== 'string' || !isOptionalText(kid) || !isOptionalText(typ)) throw malformed()
  return { alg, kid, typ }
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a JSON object. */
export function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  const value = parseJson(bytes)
  if (isRecord(value)) return value
  throw malformed()
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes))
  } catch {
    throw malformed()
  }
}

function malformed(): Error {
  return invalidToken('The token is malformed')
}
