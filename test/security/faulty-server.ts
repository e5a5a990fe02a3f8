/**
 * A server in a separate process, for faults that end or block a process. The first argument is the fault:
 * `starting` (a service that starts for a second), `rejecting` (an unhandled rejection), `heard` (the same, with a listener).
 */
import { writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp, Route, service } from 'verbena'

const fault = process.argv[2] ?? ''
const say = (text: string): void => void writeSync(1, `${text}\n`)

class Alive extends Route {
  get() {
    return 'alive'
  }
}

/** A common mistake: a promise without `await`. */
class Forgetful extends Route {
  get() {
    void Promise.reject(new Error('nobody awaits this'))
    return 'answered'
  }
}

const first = service(() => ({ name: 'first' }), { close: () => say('first closed') })
const slow = service(
  async () => {
    say('starting')
    await wait(1_000)
    return { name: 'slow' }
  },
  { close: () => say('slow closed') },
)

if (fault === 'heard') process.on('unhandledRejection', () => say('heard'))

const services = fault === 'starting' ? { first, slow } : {}
const app = createApp({ routes: { Alive, Forgetful }, services, logger: false })
const listening = app.listen()
listening.then(
  ({ port }) => process.send?.({ port }),
  (error: unknown) => say(String(error)),
)
