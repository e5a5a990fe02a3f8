/** The options of `testApp`, and their defaults. */
import type { GivenServices } from '../app/app-types.js'
import { SetupError } from '../errors/setup-error.js'
import { checkKeys } from '../errors/known-keys.js'
import type { Override } from '../injection/override.js'
import type { Logger } from '../logging/logger.js'

/** In which a test app differs from the app, and how closely it looks. */
export interface TestOptions<Services = object> {
  /** Values, or `service(…)`, in the place of services of these names. */
  readonly services?: Partial<GivenServices<Services>>
  /** Providers that are replaced. */
  readonly override?: readonly Override[]
  /** Whether an answer that is not in the document fails the call, `true` unless given; `headers` names those that need no word. */
  readonly strict?: boolean | StrictOptions
  /** Takes the lines of the log; silent unless given. */
  readonly logger?: Logger | false
  /** How long `close` waits for what is not done, in ms; 1,000 unless given. */
  readonly patience?: number
}

/** What strictness leaves out. */
export interface StrictOptions {
  /** Names of header fields that a document needs no word for, in any case. */
  readonly headers: readonly string[]
}

const KEYS: readonly string[] = ['services', 'override', 'strict', 'logger', 'patience']

export function checkTestOptions(options: object): void {
  checkKeys(options, KEYS, (key, help) => {
    return new SetupError('OPTION_INVALID', `Cannot use the option "${key}" of testApp(): it is unknown.${help}`)
  })
}

/** Header fields that need no word, lower case; `null` where answers are not compared with the document. */
export function knownHeaders(strict: boolean | StrictOptions = true): readonly string[] | null {
  if (typeof strict === 'boolean') return strict ? [] : null
  return strict.headers.map((name) => name.toLowerCase())
}
