/**
 * An app that kills its process at a step of a request: `x-kill: before method` or `after method`, with any step that the endpoint has, or
 * `before`, `during` or `after commit`. It prints the steps, then its URL.
 */
import { createApp, environment, Route, type Input, type Middleware, type Result } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { postgresIdempotency } from 'verbena/postgres'
import { makeSteps, type PipelineTarget, type StepEntry } from '#src/request/step-entry.js'
import { PIPELINE_STEPS } from '#src/request/steps.js'
import pg from 'pg'
import * as z from 'zod'
import { pay, SCHEMA } from '../accounts.js'
import { LEASE, NewPayment, Payment, Payments, user } from '../app.js'
import { database, transaction } from '../database.js'

type Steps = ReturnType<typeof makeSteps>
type Step = Steps[number]

const names = new Set<string>()
let commitPoint: string | undefined = undefined

function dieAt(point: string): Step {
  return (call) => {
    const wanted = call.exchange.header('x-kill')
    if (wanted?.includes(' commit') === true) commitPoint = wanted
    if (wanted === point) die()
  }
}

/** The step "return to middleware" continues here, not at the step after it. */
const dieInMiddleware: Middleware = async ({ request }, next) => {
  const reply = await next()
  if (request.headers['x-kill'] === 'after return to middleware') die()
  return reply
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Puts two steps around the steps of an entry. */
function surround(entry: StepEntry): (target: PipelineTarget) => Steps {
  const { name } = entry
  const original = { ...entry }
  return (target) => {
    const steps = makeSteps(original, target)
    if (steps.length === 0) return []
    if (target.endpoint?.path === '/payments') names.add(name)
    return [dieAt(`before ${name}`), ...steps, dieAt(`after ${name}`)]
  }
}

for (const entry of PIPELINE_STEPS) Object.assign(entry, { makeAny: surround(entry) })

const sendQuery = pg.Client.prototype.query

/** Sends a statement; dies around a commit if the request wants it. */
function query(this: pg.Client, ...args: unknown[]): unknown {
  const point = args[0] === 'commit' ? commitPoint : undefined
  if (point === 'before commit') die()
  const result: unknown = Reflect.apply(sendQuery, this, args)
  if (point?.startsWith('during commit') === true) setImmediate(die)
  return point === 'after commit' ? Promise.resolve(result).then(die) : result
}

Object.assign(pg.Client.prototype, { query })

/** The same payments, whose response is stored after the commit. */
const apart = idempotency({
  by: ({ user }) => String(user.id),
  uses: { user },
  ttl: 86_400_000,
  lease: LEASE,
  store: ({ db }: { db: pg.Pool }) => postgresIdempotency(db),
})
class PaymentsApart extends Route {
  static readonly post = this.contract({
    ...{ idempotency: apart, uses: { user, tx: transaction } },
    ...{ body: NewPayment, returns: Payment, status: 201 },
  })
  async post({ body, user, tx }: Input<typeof PaymentsApart.post>): Result<typeof PaymentsApart.post> {
    const payment = await pay(tx, { source: user.id, ...body })
    if (payment === undefined) throw new Error(`No account ${body.target}`)
    return payment
  }
}

const config = environment(z.object({ DATABASE_URL: z.url() }))
const app = createApp({
  services: { config, db: database(SCHEMA) },
  routes: { Payments, PaymentsApart },
  middleware: [dieInMiddleware],
  cors: { origins: ['https://shop.example'] },
  compression: {},
  securityHeaders: 'api',
  requestId: { header: true },
  logger: false,
})
const { url } = await app.listen({ port: 0 })
console.log(JSON.stringify([...names]))
console.log(url)
