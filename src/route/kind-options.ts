/** The options of kinds: which there are, and what they may be. */
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/suggest.js'

/** The name of a kind. */
export type KindName = 'json' | 'form' | 'text' | 'bytes' | 'stream' | 'events'

/** Bounds of a kind of body. */
export interface KindOptions {
  /** Bytes; `limits.body` of the app unless given. */
  readonly limit?: number
  /** Media types that are taken, such as `image/png` or `image/*`. */
  readonly types?: readonly string[]
}

/** Bounds of a JSON body, or how a JSON answer leaves. */
export interface JsonOptions extends KindOptions {
  /** Gives the handler the bytes too, as `rawBody`: signatures are made over bytes. */
  readonly raw?: boolean
  /** `false` makes it an answer that leaves as its schema gives it: members that the schema does not name are sent. */
  readonly project?: boolean
}

/** How an event stream is kept alive. */
export interface EventsOptions {
  /** ms of silence after which a comment is sent; 15,000 unless given. */
  readonly heartbeat?: number
  /** Whether only what the schema describes is sent, `true` unless given. */
  readonly project?: boolean
}

const MEDIA_RANGE = /^[\w.+*-]+\/[\w.+*-]+$/
/** Node's timers take no more, in ms. */
const LONGEST = 2 ** 31 - 1

const RULES: ReadonlyMap<string, readonly [holds: (value: unknown) => boolean, wayOut: string]> = new Map([
  [
    'limit',
    [(value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0, 'Give a whole number of bytes from 0 up'],
  ],
  ['heartbeat', [isTime, `Give a whole number of ms from 1 to ${LONGEST}`]],
  ['raw', [(value: unknown) => typeof value === 'boolean', 'Give true or false']],
  ['project', [(value: unknown) => typeof value === 'boolean', 'Give true or false']],
  ['types', [isTypes, 'Give a list of media types, such as ["image/png", "image/*"]']],
])

const KNOWN: Readonly<Record<KindName, readonly string[]>> = {
  json: ['limit', 'types', 'raw', 'project'],
  form: ['limit', 'types'],
  text: ['limit', 'types'],
  bytes: ['limit', 'types'],
  stream: ['limit', 'types'],
  events: ['heartbeat', 'project'],
}

/** Checks the options of a kind. */
export function checkKindOptions(name: KindName, options: object): void {
  const known = KNOWN[name]
  for (const [option, value] of Object.entries(options)) {
    const [holds, wayOut] = (known.includes(option) ? RULES.get(option) : undefined) ?? []
    if (holds === undefined) {
      throw invalid(name, option, `it is unknown.${suggestion(option, known)} Known are ${known.join(', ')}`)
    }
    if (value !== undefined && !holds(value))
      throw invalid(name, option, `${String(value)} is no value for it. ${wayOut}`)
  }
}

function invalid(name: KindName, option: string, why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use the option "${option}" of ${name}(): ${why}`)
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= LONGEST
}

function isTypes(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((type) => MEDIA_RANGE.test(String(type)))
}
