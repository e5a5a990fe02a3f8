/** A breach of the response contract: the author's mistake, a 500 for the client and a full report in the log. */
import type { Issue } from '../validation/validate.js'

/** An answer that is not what its contract says. */
export class ContractBreach extends Error {
  /** Where and why the value does not follow its schema. */
  readonly issues: readonly Issue[]
  /** Private, so that no log shows it. */
  readonly #received: unknown

  /**
   * @param state what is wrong, and where it helps the way out
   * @param issues of the validator
   * @param received the value that issues are about
   */
  constructor(state: string, issues: readonly Issue[], received?: unknown) {
    const list = issues.map(({ pointer, message }) => `\n  ${pointer === '' ? '(whole)' : pointer}: ${message}`)
    super(`The answer does not keep to its contract: ${state}${list.join('')}`)
    this.name = 'ContractBreach'
    this.issues = issues
    this.#received = received
  }

  /** The value that issues are about, for the console; `undefined` where there is none. */
  get received(): unknown {
    return this.#received
  }
}
