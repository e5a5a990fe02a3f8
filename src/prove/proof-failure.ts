/** The error of a proof that failed. */

/** Error of a proof: thrown if the app differs from its file, or if a check found something. */
export class ProofFailure extends Error {
  /** What the proof found, one line for each finding. */
  readonly lines: readonly string[]

  /**
   * @param message what failed
   * @param lines the findings
   */
  constructor(message: string, lines: readonly string[]) {
    super([message, ...lines].join('\n'))
    this.name = 'ProofFailure'
    this.lines = lines
  }
}
