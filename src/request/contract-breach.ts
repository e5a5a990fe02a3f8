/** A breach of the response contract: the author's mistake, a 500 for the client and a full report in the log. */
import type { Issue, ShownIssues } from '../validation/issues.js'

const NONE: Pick<ShownIssues, 'list' | 'omitted'> = { list: [], omitted: 0 }

/** An answer that is not what its contract says. */
export class ContractBreach extends Error {
  /** Where and why the value does not follow its schema. */
  readonly issues: readonly Issue[]
  /** Private, so that no log shows it. */
  readonly #received: unknown

  constructor(state: string, { list, omitted }: Pick<ShownIssues, 'list' | 'omitted'> = NONE, received?: unknown) {
    const lines = list.map(({ pointer, message }) => `\n  ${pointer === '' ? '(whole)' : pointer}: ${message}`)
    const more = omitted === 0 ? '' : `\n  and ${omitted} more`
    super(`The answer does not keep to its contract: ${state}${lines.join('')}${more}`)
    this.name = 'ContractBreach'
    this.issues = list
    this.#received = received
  }

  /** The value that issues are about, for the console; `undefined` where there is none. */
  get received(): unknown {
    return this.#received
  }
}
