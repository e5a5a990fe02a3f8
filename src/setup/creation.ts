/** Creation of one service, with a warning if it is slow, and a timeout. */

export interface CreationLimits {
  /** Limit in ms; 0 for no limit. */
  readonly startTimeout: number
  /** Time in ms after which a service is slow. */
  readonly slowAfter: number
  readonly onSlow: (service: string, ms: number) => void
}

interface CreationSettings extends CreationLimits {
  /** Receives a value that is created after the timeout. */
  readonly onLate: (value: unknown) => Promise<void>
}

export class StartTimeout extends Error {}

export class Creation {
  /** Rejects with a `StartTimeout` after the timeout. */
  readonly value: Promise<unknown>
  #slow: NodeJS.Timeout | undefined = undefined
  #expiry: NodeJS.Timeout | undefined = undefined

  /** Throws if `create` throws. */
  constructor(name: string, create: () => unknown, { startTimeout, slowAfter, onSlow, onLate }: CreationSettings) {
    const result = Promise.resolve(create())
    this.#slow = setTimeout(() => onSlow(name, slowAfter), slowAfter)
    this.value = new Promise((resolve, reject) => {
      let isLate = false
      const expire = (): void => {
        isLate = true
        reject(new StartTimeout(`its function is still running after ${startTimeout} ms. Raise "timeouts.start"`))
      }
      if (startTimeout > 0) this.#expiry = setTimeout(expire, startTimeout)
      result
        .finally(() => this.#stop())
        .then((value) => (isLate ? onLate(value) : resolve(value)))
        .catch(reject)
    })
  }

  /** Allows the process to end before the service is created. */
  unref(): void {
    this.#slow?.unref()
    this.#expiry?.unref()
  }

  #stop(): void {
    clearTimeout(this.#slow)
    clearTimeout(this.#expiry)
  }
}
