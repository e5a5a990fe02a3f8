/** Uses of services in a route, grouped by kind of service. */
import { EventEmitter, once } from 'node:events'
import { inspect, isDeepStrictEqual } from 'node:util'
import * as classes from './service-classes.js'
import { Cart, Chain, Counter, Legacy, Ledger, Money, Repository, Typed, Waiting } from './service-classes.js'
import { use, type UseMaker } from './service-use.js'
import { BUILT_IN_USES } from './service-uses-built-in.js'

/** Formats a value without the `Proxy(…)` that Node 26 adds. */
function inspectTarget(value: unknown): string {
  return inspect(value).replace(/Proxy\((.*)\)/, '$1')
}

const objects: readonly UseMaker[] = [
  use(
    'plain data: structuredClone, JSON and spread',
    () => ({ config: { port: 1, tags: ['a'] } }),
    ({ config }, given) => [
      structuredClone(config),
      { ...config },
      JSON.stringify(config),
      config.tags === given.config.tags,
    ],
  ),
  use(
    'a frozen object with functions',
    () => ({ users: Object.freeze({ find: (id: number) => ({ id }) }) }),
    ({ users }) => [users.find(1), Object.isFrozen(users), Object.keys(users), { ...users }.find(2)],
  ),
  use(
    'a frozen object that contains services',
    () => {
      const chain = new Chain()
      return { all: Object.freeze({ chain, ready: Promise.resolve(chain) }), chain }
    },
    async ({ all, chain }) => [
      all.chain === chain,
      (await all.ready) === chain,
      Object.getOwnPropertyDescriptor(all, 'chain')?.value === chain,
      Object.values(all)[0] === chain,
    ],
  ),
  use(
    'a frozen instance with private fields',
    () => ({ counter: Object.freeze(new Counter()) }),
    ({ counter }) => [counter.add(2), counter.total, counter instanceof Counter, Object.isExtensible(counter)],
  ),
  use(
    'a read-only property',
    () => ({
      counter: Object.defineProperty(new Counter(), 'step', {
        value() {
          return this.total
        },
      }),
    }),
    ({ counter }) => Reflect.apply(Object(counter).step, counter, []),
  ),
  use(
    'an object without a prototype',
    () => ({ bare: Object.assign(Object.create(null) as { read?: () => number }, { read: () => 1 }) }),
    ({ bare }) => [bare.read(), Object.getPrototypeOf(bare), 'toString' in bare],
  ),
  use(
    'an object of functions: this, spread and detached calls',
    () => ({
      math: {
        base: 1,
        add(by: number) {
          return this === undefined ? 'no this' : this.base + by
        },
      },
    }),
    ({ math }) => {
      const { add } = math
      return [
        math.add(1),
        { ...math, base: 5 }.add(1),
        Reflect.apply(add, undefined, [1]),
        add.call({ ...math, base: 7 }, 1),
      ]
    },
  ),
  use(
    'a method: name, length and identity',
    () => ({ chain: new Chain() }),
    ({ chain }) => {
      const { pair } = chain
      return [pair.name, pair.length, pair === chain.pair, typeof pair]
    },
  ),
  use(
    'an object that inherits from a service',
    () => ({ counter: new Counter() }),
    ({ counter }, given) => {
      const child: Counter & { name?: string } = Object.create(counter)
      child.name = 'child'
      return [child.name, Object.hasOwn(child, 'name'), 'name' in given.counter, child instanceof Counter]
    },
  ),
  use(
    'assigning, deleting and listing keys',
    () => ({ box: { read: () => 1, extra: 2 } as { read: () => number; extra?: number } }),
    ({ box }, given) => {
      box.extra = 3
      const seen = [given.box.extra, 'extra' in box, Reflect.ownKeys(box)]
      delete box.extra
      return [...seen, given.box.extra, 'extra' in box]
    },
  ),
]

const instances: readonly UseMaker[] = [
  use(
    'private fields, getters, setters and accessors',
    () => ({ counter: new Counter() }),
    ({ counter }) => {
      counter.add(2)
      counter.step = 5
      return [counter.total, counter.step, counter.add(1), counter.arrow()]
    },
  ),
  use(
    'private fields of an argument',
    () => ({ price: new Money(5), tax: new Money(2) }),
    ({ price, tax }) => [price.plus(tax).cents, new Money(1).plus(tax).cents, Money.isMoney(tax), tax instanceof Money],
  ),
  use(
    'private fields of a compiler for older targets',
    () => ({ tax: new Legacy(2) }),
    ({ tax }) => [new Legacy(1).plus(tax), tax.plus(new Legacy(3))],
  ),
  use(
    'symbol methods: iterator, async iterator and toPrimitive',
    () => ({ cart: new Cart(['a', 'b']) }),
    async ({ cart }) => {
      const seen: unknown[] = [...cart, ...Array.from(cart), `${cart}`, Number(cart)]
      for await (const item of cart) seen.push(item)
      const [first] = cart
      return [...seen, first, Object.prototype.toString.call(cart), new Set(cart).size]
    },
  ),
  use(
    'await using',
    () => ({ cart: new Cart([]) }),
    async ({ cart }) => {
      await cart[Symbol.asyncDispose]()
      return cart.isClosed
    },
  ),
  use(
    'toJSON, util.inspect and deep equality',
    () => ({ cart: new Cart(['a']) }),
    ({ cart }, given) => [
      JSON.stringify({ cart }),
      inspectTarget(cart),
      isDeepStrictEqual(cart, given.cart),
      inspectTarget({ cart }),
    ],
  ),
  use(
    'chained calls',
    () => ({ chain: new Chain() }),
    async ({ chain }) => [
      chain.where('a').limit(1) === chain,
      (await chain.later()) === chain,
      chain.self === chain,
      (await chain.ready) === chain,
      chain.where('b').toString(),
    ],
  ),
  use(
    'services that reference each other',
    () => {
      const chain = new Chain()
      return { repository: new Repository(chain), chain, again: chain }
    },
    async ({ repository, chain, again }) => [
      repository.chain === chain,
      repository.getChain() === chain,
      (await repository.loadChain()) === chain,
      Object.values(repository).includes(chain),
      { ...repository }.chain === chain,
      Object.getOwnPropertyDescriptor(repository, 'chain')?.value === chain,
      again === chain,
      repository.isOwn(chain),
      repository.isOwn(repository.chain.where('a')),
    ],
  ),
  use(
    'a function that receives and returns services',
    () => {
      const chain = new Chain()
      const seen = new WeakSet<object>([chain])
      return { chain, has: (value: object) => seen.has(value), find: () => chain, load: async () => chain }
    },
    async ({ chain, has, find, load }) => [
      has(chain),
      find() === chain,
      (await load()) === chain,
      has.name,
      has.length,
    ],
  ),
  use(
    'an object that inherits from the route',
    () => ({ chain: new Chain() }),
    (route) => {
      const child: typeof route = Object.create(route)
      return [child.chain === route.chain, child.chain.where('a') === route.chain]
    },
  ),
  use(
    'a service that is its own iterator',
    () => ({ queue: ['a', 'b'].values() }),
    async ({ queue }) => [queue[Symbol.iterator]() === queue, queue.next().value, ...queue],
  ),
  use(
    'a service as a key, an argument and a value',
    () => ({ repository: new Repository(new Chain()), chain: new Chain() }),
    ({ repository, chain }, given) => {
      repository.chain = chain
      repository.remember(chain, 1)
      Object.defineProperty(repository, 'extra', { value: chain, configurable: true })
      return [
        given.repository.chain === given.chain,
        repository.recall(chain),
        Reflect.get(given.repository, 'extra') === given.chain,
      ]
    },
  ),
  use(
    'EventEmitter: on, off, once and this',
    () => ({ bus: new EventEmitter(), counter: new Counter() }),
    async ({ bus, counter }) => {
      const { signal } = new AbortController()
      const later = once(bus, 'late', { signal })
      const isSame = bus.on('a', counter.arrow) === bus
      const heard = bus.emit('a')
      bus.off('a', counter.arrow)
      bus.emit('late', 3)
      return [
        isSame,
        heard,
        bus.listenerCount('a'),
        await later,
        bus instanceof EventEmitter,
        bus.on === bus.addListener,
      ]
    },
  ),
  use(
    'a method as a listener',
    () => ({ bus: new Typed(), counter: new Counter() }),
    ({ bus, counter }) => {
      bus.on('a', counter.arrow)
      const [listener] = bus.listeners('a')
      bus.removeListener('a', counter.arrow)
      return [typeof listener, bus.listenerCount('a')]
    },
  ),
  use(
    'promises: identity, members and rejections',
    () => ({ waiting: new Waiting() }),
    async ({ waiting }) => [
      new Set([waiting.load(), waiting.load()]).size,
      await waiting.load(),
      typeof waiting.cancelable().cancel,
      await waiting.fail().catch(String),
      (await Promise.allSettled([waiting.fail(), waiting.broken])).map(({ status }) => status),
      waiting.load() instanceof Promise,
      await waiting.lazy(),
    ],
  ),
  use(
    'a query builder',
    () => ({ waiting: new Waiting() }),
    async ({ waiting }) => [typeof waiting.query().then, waiting.sent, await waiting.query(), waiting.sent],
  ),
  use(
    'generators',
    () => ({ cart: new Cart(['a']) }),
    async ({ cart }) => {
      const seen: unknown[] = [...cart.numbers()]
      for await (const each of cart.pages()) seen.push(each)
      return seen
    },
  ),
  use(
    'static members, and classes as members',
    () => ({ repository: new Repository(new Chain()) }),
    ({ repository }) => [
      repository.constructor === Repository,
      new repository.Row(1) instanceof repository.Row,
      repository.Row === Repository.prototype.Row,
      repository.tagged.many,
      repository.tagged(),
    ],
  ),
  use(
    'a class that counts its instances',
    () => ({ ledger: Ledger.open('a') }),
    ({ ledger }) => [ledger.name, ledger.peers(), Ledger.count()],
  ),
  use(
    'a module',
    () => ({ classes }),
    ({ classes: { isModule, Counter: Class, ...others } }) => [isModule(), Class === Counter, Object.keys(others)],
  ),
]

export const SERVICE_USES: readonly UseMaker[] = [...BUILT_IN_USES, ...objects, ...instances]
