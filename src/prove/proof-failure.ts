/** The error of a proof that failed. */

/** Error of a proof: thrown if the app differs from its file, or if a check found something. */
export class ProofFailure extends Error {
  /** Findings, one line for each. */
  readonly lines: readonly string[]

  /**
   * @param message state of the app
   * @param lines the findings
   */
  constructor(message: string, lines: readonly string[]) {
    super([message, ...lines].join('\n'))
    this.name = 'ProofFailure'
    this.lines = lines
  }
}
