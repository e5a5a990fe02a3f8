/** Service classes as in applications. */
import { EventEmitter } from 'node:events'

export class Counter {
  #total = 0
  #step = 1

  add(by: number): number {
    this.#total += by * this.#step
    return this.#total
  }

  get total(): number {
    return this.#total
  }

  get step(): number {
    return this.#step
  }

  set step(step: number) {
    this.#step = step
  }

  readonly arrow = (): number => this.#total
}

export class Money {
  readonly #cents: number

  constructor(cents: number) {
    this.#cents = cents
  }

  static isMoney(value: object): boolean {
    return #cents in value
  }

  get cents(): number {
    return this.#cents
  }

  plus(other: Money): Money {
    return new Money(this.#cents + other.#cents)
  }
}

const sums = new WeakMap<object, number>()

// oxlint-disable-next-line no-underscore-dangle -- the name that esbuild uses
function __privateGet(holder: object, fields: WeakMap<object, number>): number {
  const value = fields.get(holder)
  if (value === undefined) throw new TypeError('Cannot read private member')
  return value
}

/** Private fields as esbuild compiles them for older targets. */
export class Legacy {
  constructor(sum: number) {
    sums.set(this, sum)
  }

  plus(other: Legacy): number {
    return __privateGet(this, sums) + __privateGet(other, sums)
  }
}

export class Cart {
  readonly #items: string[]
  isClosed = false

  constructor(items: string[]) {
    this.#items = items
  }

  *[Symbol.iterator](): Generator<string> {
    yield* this.#items
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    yield* this.#items
  }

  [Symbol.toPrimitive](hint: string): string | number {
    return hint === 'number' ? this.#items.length : this.#items.join('+')
  }

  get [Symbol.toStringTag](): string {
    return `Cart ${this.#items.length}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = this.#items.length === 0
  }

  toJSON(): readonly string[] {
    return this.#items
  }

  *numbers(): Generator<number> {
    yield this.#items.length
  }

  async *pages(): AsyncGenerator<readonly string[]> {
    yield this.#items
  }
}

export class Chain {
  readonly #parts: string[] = []
  readonly ready: Promise<this> = Promise.resolve(this)

  get self(): this {
    return this
  }

  where(part: string): this {
    this.#parts.push(part)
    return this
  }

  limit(count: number): this {
    return this.where(String(count))
  }

  async later(): Promise<this> {
    return this
  }

  pair(first: unknown, second: unknown): unknown[] {
    return [first, second]
  }

  toString(): string {
    return this.#parts.join()
  }
}

const kept = new WeakMap<object, unknown>()

export class Repository {
  chain: Chain
  readonly tagged = Object.assign(() => 'tagged', { many: true })

  constructor(chain: Chain) {
    this.chain = chain
  }

  get Row(): typeof Counter | (new (id: number) => object) {
    return Row
  }

  getChain(): Chain {
    return this.chain
  }

  async loadChain(): Promise<Chain> {
    return this.chain
  }

  isOwn(chain: Chain): boolean {
    return chain === this.chain
  }

  remember(chain: Chain, value: unknown): void {
    kept.set(chain, value)
  }

  recall(chain: Chain): unknown {
    return kept.get(chain)
  }
}

class Row {}

export class Waiting {
  readonly #loading = Promise.resolve('loaded')
  readonly broken: Promise<never> = Promise.reject(new Error('broken'))
  sent = 0

  constructor() {
    this.broken.catch(() => {})
  }

  load(): Promise<string> {
    return this.#loading
  }

  cancelable(): Promise<string> & { cancel(): void } {
    return Object.assign(Promise.resolve('a'), { cancel: () => {} })
  }

  async fail(): Promise<never> {
    throw new Error('failed')
  }

  lazy(): Promise<string> {
    return Lazy.resolve('lazy')
  }

  query(): PromiseLike<number> {
    return {
      // oxlint-disable-next-line no-thenable -- a query builder is one
      then: (done) => Promise.resolve(++this.sent).then(done),
    }
  }
}

class Lazy<T> extends Promise<T> {}

export class Typed extends EventEmitter {}

export class Shelf extends Set<string> {
  stock(book: string): this {
    return this.add(book)
  }
}

/** Accesses private static fields by the class name, and private instance fields by `this`. */
export class Ledger {
  static #open = 0
  readonly #name: string

  private constructor(name: string) {
    this.#name = name
  }

  static open(name: string): Ledger {
    Ledger.#open++
    return new Ledger(name)
  }

  static count(): boolean {
    return Ledger.#open > 0
  }

  get name(): string {
    return this.#name
  }

  peers(): boolean {
    return Ledger.#open > 0
  }
}

export function isModule(): boolean {
  return true
}
