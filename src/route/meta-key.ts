/** Keys under which decorators of the framework carry data in `meta`, beside what authors put there. */

/**
 * A key for data of one type. It is a symbol that is not enumerable in the `meta` of an endpoint: authors do not see it.
 */
export class MetaKey<T> {
  readonly #symbol: symbol

  constructor(name: string) {
    this.#symbol = Symbol(name)
  }

  /** Makes the `meta` of a decorator. */
  carry(value: T): object {
    return { [this.#symbol]: value }
  }

  /** Reads what a decorator carries. Returns the value, `undefined` where the endpoint is not decorated so. */
  read(meta: object): T | undefined {
    // Proof: the symbol never leaves this object, and `carry` puts nothing else under it.
    return Reflect.get(meta, this.#symbol) as T | undefined
  }
}
