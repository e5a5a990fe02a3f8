/** What is hidden in the lines of one call: what the app hides, and each secret of the call wherever it stands. */
import type { CallEnd, CallInput, SentHead } from './event-types.js'
import { gatherFields, gatherQuery } from './gather.js'
import { hideInError } from './hide-in-error.js'
import { redact, redactCookies, redactHeaders, redactQuery, type HidesSources } from './redact.js'
import { SecretValues } from './secret-values.js'
import type { Secrets } from './secrets.js'

/** What a line shows of a call. */
export interface CallCopies {
  readonly input: object
  readonly output: unknown
}

export class CallSecrets implements HidesSources {
  readonly values: SecretValues = new SecretValues()
  readonly #secrets: Secrets

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  isKey(name: string): boolean {
    return this.#secrets.isKey(name)
  }

  isHeader(name: string): boolean {
    return this.#secrets.isHeader(name)
  }

  isQuery(name: string): boolean {
    return this.#secrets.isQuery(name)
  }

  isCookie(name: string): boolean {
    return this.#secrets.isCookie(name)
  }

  hide(text: string): string {
    return this.#secrets.hide(this.values.hide(text))
  }

  gather({ exchange, query }: SentHead): void {
    const gathering = { names: this, values: this.values }
    gatherFields(Object.entries(exchange.headers()), gathering)
    gatherQuery(query, gathering)
  }

  /**
   * Copies what a call was given and what it answered. A secret of one source may stand in another under a name that says nothing, so
   * everything is copied again where there are secrets.
   */
  copy(call: Pick<CallEnd, 'input' | 'output'>, isWhole: boolean): CallCopies {
    const copy = (): CallCopies => ({
      input: this.#sourcesOf(call.input),
      output: isWhole ? redact(call.output, this) : undefined,
    })
    const first = copy()
    return this.values.size === 0 ? first : copy()
  }

  #sourcesOf({ params, query, headers, cookies, body }: CallInput): object {
    return {
      params: redact(params, this),
      ...(query === undefined ? undefined : { query: redactQuery(query, this) }),
      ...(headers === undefined ? undefined : { headers: redactHeaders(headers, this) }),
      ...(cookies === undefined ? undefined : { cookies: redactCookies(cookies, this) }),
      ...(body === undefined ? undefined : { body: redact(body, this) }),
    }
  }

  error(error: unknown): unknown {
    return hideInError(error, (text) => this.hide(text))
  }
}
