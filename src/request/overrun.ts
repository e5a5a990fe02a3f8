/** State of a method that may outlive its request. `late` contains the functions that use it. */

export const NO_GENERATION = -1

/** A method that may outlive its request: it has a timeout, a decorator, or middleware that did not wait for it. */
export class Overrun {
  /** Whether the request has continued without the method, which is still running. */
  isLate: boolean = false
  /** Generation of the step that was pending at that time; `NO_GENERATION` if no step was, or after it has settled. */
  generation: number = NO_GENERATION
  /** Number of pending promises of the method; counted only if decorators wrap it. */
  running: number = 0
  isCleaningUp: boolean = false
  /** Timer of the contract's `timeout`; after a timeout, the timer of `timeouts.close`. */
  timer: NodeJS.Timeout | undefined = undefined
}
