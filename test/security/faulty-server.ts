/**
 * A server in a process of its own, for faults that end or starve a process. The first argument says what goes wrong:
 * `starting` (a service that takes a second), `rejecting` (a promise that nobody awaits), `heard` (the same, with a listener).
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

/** A mistake that many make: nobody awaits this promise. */
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
