/** Typed failures: declarations in contracts and classes, errors created from them, and types in the client. */
import { createApp, group, HttpError, provide, Route, type Input, type Problem, type Result } from 'verbena'
import { createClient, type Failure, type OtherFailure, type Success } from 'verbena/client'
import { version } from 'verbena/decorators'
import * as z from 'zod'
import { sameType } from './same-type.js'

const Taken = z.object({ seat: z.string(), until: z.date() })
const Coded = z.object({ code: z.enum(['expired', 'unknown']) })

abstract class SignedIn extends Route {
  static readonly errors = { 401: Coded, 403: 'Not yours' }
}
export class Seat extends SignedIn {
  static readonly path = '/seats/{id}'
  static readonly post = this.contract({
    returns: z.object({ id: z.string() }),
    errors: {
      409: Taken,
      404: 'No such seat',
      499: 'Gone',
      422: z.object({ errors: z.record(z.string(), z.string()) }),
    },
  })
  async post({ params }: Input<typeof Seat.post>): Result<typeof Seat.post> {
    if (params.id === '1') throw HttpError.of(Seat.post, 404)
    if (params.id === '2') throw HttpError.of(Seat.post, 404, 'No seat 2', { type: 'urn:none', headers: { a: 'b' } })
    if (params.id === '3') throw HttpError.of(Seat.post, 401, undefined, { code: 'expired' })
    if (params.id === '4') throw HttpError.of(Seat.post, 403, 'Not yours')
    throw HttpError.of(Seat.post, 409, 'Taken', { seat: '12A', until: new Date(), cause: new Error('row 7') })
  }
  static readonly get = this.contract({ errors: [404] })
  get({ params }: Input<typeof Seat.get>) {
    return params.id
  }
  static readonly delete = this.contract({ errors: { 401: z.object({ hint: z.string() }), 409: Taken.partial() } })
  delete(): void {
    // The declaration of the contract overrides the declaration of its class.
    if (Math.random() > 1) throw HttpError.of(Seat.delete, 401, undefined, { hint: 'Sign in' })
    throw HttpError.of(Seat.delete, 409)
  }
  // Without a contract, only the declaration of the class applies.
  put() {
    return 1
  }
}

export function mistakes() {
  // @ts-expect-error - the contract does not declare it
  HttpError.of(Seat.post, 410)
  // @ts-expect-error - the members are missing
  HttpError.of(Seat.post, 409, 'Taken')
  // @ts-expect-error - a member of another type
  HttpError.of(Seat.post, 409, 'Taken', { seat: 12, until: new Date() })
  // @ts-expect-error - a misspelt member
  HttpError.of(Seat.post, 409, 'Taken', { seet: '12A', until: new Date() })
  // @ts-expect-error - a member where none is described
  HttpError.of(Seat.post, 404, 'No seat', { seat: '12A' })
  // @ts-expect-error - no contract
  HttpError.of(Seat, 409, 'Taken')
  // @ts-expect-error - a contract without errors
  HttpError.of(Bare.get, 409)
}

class Bare extends Route {
  static readonly get = this.contract({ returns: z.string() })
  get() {
    return ''
  }
}

/** A subclass may declare other statuses, or the same again; another schema for one is another type. */
class Base extends Route {
  static readonly get = this.contract({ returns: z.string(), errors: { 409: Taken } })
  get() {
    return ''
  }
}
class More extends Base {
  static override readonly get = this.contract({ returns: z.string(), errors: { 404: 'None', 410: Coded } })
}
class Listed extends Base {
  static override readonly get = this.contract({ returns: z.string(), errors: [404] })
}
class Same extends Base {
  static override readonly get = this.contract({ returns: z.string(), errors: { 409: Taken, 404: 'None' } })
}
// @ts-expect-error - 409 has another schema
class Changed extends Base {
  static override readonly get = this.contract({ returns: z.string(), errors: { 409: Coded } })
}
// @ts-expect-error - the words of 409 take its schema away
class Worded extends Base {
  static override readonly get = this.contract({ returns: z.string(), errors: { 409: 'Taken' } })
}
void [Changed, Worded]

/** A subclass may declare more problems than the class with the contract. */
class Stricter extends Base {
  static readonly errors = { 403: Coded }
}
/** Types ignore a list of statuses that is not `as const`. */
class Wide extends Route {
  static readonly errors = [404]
  static readonly get = this.contract({ returns: z.string() })
  get() {
    return ''
  }
}
class Narrow extends Route {
  static readonly errors = [499] as const
  get() {
    return 1
  }
}
class Old extends Route {
  static readonly path = '/notes'
  static readonly get = this.contract({ errors: { 409: Taken }, decorators: [version('1.x')] })
  get() {
    return 1
  }
}
class New extends Route {
  static readonly path = '/notes'
  static readonly get = this.contract({ errors: { 409: Coded }, decorators: [version('2.x')] })
  get() {
    return 1
  }
}
const Either = z.discriminatedUnion('type', [
  z.object({ type: z.literal('urn:full'), places: z.number() }),
  z.object({ type: z.literal('urn:late') }),
])
class Union extends Route {
  static readonly get = this.contract({ returns: null, errors: { 409: Either } })
  get(): void {
    if (Math.random() > 1) throw HttpError.of(Union.get, 409, 'Full', { type: 'urn:full' })
  }
}

const provider = provide({ errors: { 401: Coded, 404: 'None' } }, () => 1)
void provider
// @ts-expect-error - neither words nor a schema
provide({ errors: { 401: 1 } }, () => 1)

const app = createApp({
  routes: {
    Seat,
    Bare,
    More,
    Listed,
    Same,
    Stricter,
    Wide,
    Narrow,
    Old,
    New,
    Union,
    v1: group({ errors: { 401: Coded }, routes: { Base } }),
  },
})
// @ts-expect-error - neither words nor a schema
group({ errors: { 401: 1 }, routes: { Base } })

interface Ours {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly requestId: string
}
type With<Members> = { [K in keyof (Omit<Ours, keyof Members> & Members)]: (Omit<Ours, keyof Members> & Members)[K] }
type Unauthorized = Failure<401, With<{ code: 'expired' | 'unknown' }>>
type Conflict = Failure<409, With<{ seat: string; until: string }>>

export async function failures() {
  const api = createClient<typeof app>('http://localhost')
  const params = { id: '12A' }
  const posted = await api('/seats/{id}').post({ params })
  type Invalid = Failure<422, With<{ errors: Record<string, string> }>>
  type Posted = Success<200, { id: string }> | Unauthorized | Conflict | Invalid | OtherFailure<401 | 409 | 422>
  sameType<typeof posted, Posted | Failure<499>>()
  if (posted.status === 409) sameType<typeof posted.body.seat, string>()
  if (posted.status === 404) sameType<typeof posted.body, Problem>()
  if (posted.status === 499) sameType<typeof posted.body, Problem>()
  if (posted.status === 200) sameType<typeof posted.body.id, string>()
  if (posted.status === 422) sameType<(typeof posted.body.errors)[string], string>()
  // @ts-expect-error - no answer has this status
  if (posted.status === 498) return
  if (!posted.ok && posted.status !== 409) {
    // @ts-expect-error - only 409 has it
    void posted.body.seat?.length
  }

  const got = await api('/seats/{id}').get({ params })
  sameType<typeof got, Success<200, string> | Unauthorized | OtherFailure<401>>()
  const put = await api('/seats/{id}').put({ params })
  sameType<typeof put, Success<200, number> | Unauthorized | OtherFailure<401>>()
  const bare = await api('/bare').get()
  sameType<typeof bare, Success<200, string> | Failure>()
  const listed = await api('/listed').get()
  sameType<typeof listed, Success<200, string> | Failure>()
  const wide = await api('/wide').get()
  sameType<typeof wide, Success<200, string> | Failure>()
  const narrow = await api('/narrow').get()
  sameType<typeof narrow, Success<200, number> | Failure | Failure<499>>()
  const stricter = await api('/stricter').get()
  type Coded403 = Failure<403, With<{ code: 'expired' | 'unknown' }>>
  sameType<typeof stricter, Success<200, string> | Conflict | Coded403 | OtherFailure<403 | 409>>()
  const same = await api('/same').get()
  sameType<typeof same, Success<200, string> | Conflict | OtherFailure<409>>()
  const notes = await api('/notes').get()
  if (notes.status === 409) sameType<typeof notes, Conflict | Failure<409, With<{ code: 'expired' | 'unknown' }>>>()
  const union = await api('/union').get()
  if (union.status === 409 && union.body.type === 'urn:full') void union.body.places.toFixed()
}
