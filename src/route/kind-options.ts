/** The options of kinds: which there are, and what they may be. */
import { SetupError } from '../errors/setup-error.js'
import { checkKeys } from '../errors/known-keys.js'

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

interface Rule {
  readonly holds: (value: unknown) => boolean
  readonly wayOut: string
}

const SWITCH: Rule = { holds: (value) => typeof value === 'boolean', wayOut: 'Give true or false' }
const BOUNDS: Readonly<Record<string, Rule>> = {
  limit: { holds: (value) => isWhole(value, 0), wayOut: 'Give a whole number of bytes from 0 up' },
  types: { holds: isTypes, wayOut: 'Give a list of media types, such as ["image/png", "image/*"]' },
}
const RULES: Readonly<Record<KindName, Readonly<Record<string, Rule>>>> = {
  json: { ...BOUNDS, raw: SWITCH, project: SWITCH },
  form: BOUNDS,
  text: BOUNDS,
  bytes: BOUNDS,
  stream: BOUNDS,
  events: {
    heartbeat: {
      holds: (value) => isWhole(value, 1) && Number(value) <= LONGEST,
      wayOut: `Give a whole number of ms from 1 to ${LONGEST}`,
    },
    project: SWITCH,
  },
}

/** Checks the options of a kind. */
export function checkKindOptions(name: KindName, options: object): void {
  const rules = RULES[name]
  checkKeys(options, Object.keys(rules), (option, help) => invalid(name, option, `it is unknown.${help}`))
  for (const [option, { holds, wayOut }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, option)
    if (value !== undefined && !holds(value))
      throw invalid(name, option, `${String(value)} is no value for it. ${wayOut}`)
  }
}

function invalid(name: KindName, option: string, why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use the option "${option}" of ${name}(): ${why}`)
}

function isWhole(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least
}

function isTypes(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((type) => MEDIA_RANGE.test(String(type)))
}
