/** Decorators: their places and parameters. They do not change the types of methods. */
import {
  decorator,
  Route,
  type Decorator,
  type DecoratorInput,
  type EndpointDecorator,
  type Input,
  type Result,
} from 'verbena'
import { log } from 'verbena/decorators'
import * as z from 'zod'
import { sameType } from './same-type.js'

const audit = decorator((action: string) => ({
  around: (input, proceed, endpoint) => {
    input.log.info({ action, route: endpoint.route, method: endpoint.method, path: endpoint.path }, 'audit')
    return proceed()
  },
}))
const timed = decorator(() => ({ around: (_input, proceed) => proceed(), errors: [503] }))
const optional = decorator((_options: { readonly deep?: boolean } = {}) => ({}))
const several = decorator((_first?: string, _second?: number) => ({}))
const rest = decorator((..._roles: readonly string[]) => ({ errors: [403] }))

sameType<typeof audit, Decorator<[action: string]>>()
sameType<ReturnType<typeof audit>, EndpointDecorator>()
const exported: Decorator<[options?: { readonly deep?: boolean }]> = optional
void exported

/** In every form, and in any order with ours. */
export class Right extends Route {
  static readonly decorators = [log, timed, audit('all')]
  static readonly get = this.contract({ returns: z.string(), decorators: [timed, audit('x'), log({ level: 'debug' })] })
  @timed @optional @several @rest @audit('read') @log async get({
    request,
  }: Input<typeof Right.get>): Result<typeof Right.get> {
    return request.id
  }
  @timed() @optional({ deep: true }) @several('a', 1) @rest('admin') @log() post() {
    return 1
  }
  @log() put(this: Right) {}
  @log async *patch() {
    yield 'text'
  }
}
sameType<ReturnType<Right['post']>, number>()

export class Wrong extends Route {
  // @ts-expect-error - `audit` needs an action
  @audit get() {}
  // @ts-expect-error - a number is no action
  @audit(1) post() {}
  // @ts-expect-error - an unknown option
  @log({ levle: 'debug' }) put() {}
  // @ts-expect-error - a level that does not exist
  @log({ level: 'loud' }) patch() {}
  // @ts-expect-error - not a verb
  @log getUser() {}
  // @ts-expect-error - static
  @log static delete() {}
  // @ts-expect-error - no method
  @log delete = 1
}

// @ts-expect-error - on a class
@log
export class Decorated extends Route {}

export class WrongContracts extends Route {
  // @ts-expect-error - `audit` needs an action
  static readonly get = this.contract({ decorators: [audit] })
  // @ts-expect-error - not made with `decorator`
  static readonly post = this.contract({ decorators: [() => {}] })
  // @ts-expect-error - a list
  static readonly put = this.contract({ decorators: log })
}

// @ts-expect-error - an unknown key of a decorator that says nothing else
decorator(() => ({ arround: 1 }))
// @ts-expect-error - statuses are numbers
decorator(() => ({ errors: ['403'] }))
// @ts-expect-error - a promise is no record
decorator(async () => ({ errors: [403] }))
// @ts-expect-error - `proceed` takes nothing: the input stays as it is
decorator(() => ({ around: (input, proceed) => proceed(input) }))

decorator(() => ({
  around(input, proceed) {
    sameType<typeof input, DecoratorInput>()
    // @ts-expect-error - the body is unknown here
    void input.body.name
    return proceed()
  },
}))
