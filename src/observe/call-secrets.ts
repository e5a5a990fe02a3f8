/** What is hidden in the lines of one call: what the app hides, and each secret of the call wherever it stands. */
import type { CallEnd, CallInput, SentHead } from './event-types.js'
import { gatherFields, gatherQuery } from './gather.js'
import { hideInError } from './hide-in-error.js'
import { redact, type Hides } from './redact.js'
import { SecretValues } from './secret-values.js'
import type { Secrets } from './secrets.js'

/** What a line shows of a call. */
export interface CallCopies {
  readonly input: object
  readonly output: unknown
}

const SOURCES = ['params', 'query', 'headers', 'cookies', 'body'] as const

export class CallSecrets implements Hides {
  readonly values: SecretValues = new SecretValues()
  readonly names: Secrets

  constructor(names: Secrets) {
    this.names = names
  }

  hide(text: string): string {
    return this.names.hide(this.values.hide(text))
  }

  gather({ exchange, query }: SentHead): void {
    gatherFields(Object.entries(exchange.headers()), this)
    gatherQuery(query, this)
  }

  /** Copies what a call was given and what it answered; again where there are secrets, since each may stand in another source, too. */
  copy(call: Pick<CallEnd, 'input' | 'output'>, isWhole: boolean): CallCopies {
    const copy = (): CallCopies => ({
      input: this.#copyInput(call.input),
      output: isWhole ? redact(call.output, this) : undefined,
    })
    const first = copy()
    return this.values.size === 0 ? first : copy()
  }

  #copyInput(input: CallInput): object {
    const given = SOURCES.filter((source) => input[source] !== undefined)
    return Object.fromEntries(given.map((source) => [source, redact(input[source], this, source)]))
  }

  error(error: unknown): unknown {
    return hideInError(error, (text) => this.hide(text))
  }
}
