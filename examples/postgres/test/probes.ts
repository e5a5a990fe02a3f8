/** Routes that misuse a transaction, or whose client interrupts it. */
import { EventEmitter, once } from 'node:events'
import { createApp, Route, type Input, type Logger } from 'verbena'
import * as z from 'zod'
import { database, type DatabaseOptions } from '../database.js'
import { transaction } from '../transaction.js'

/** Events between a test and a handler: the handler reports its progress, and the test lets it continue. */
export const stage = new EventEmitter()

const Done = z.object({ done: z.literal(true) })
const done = { done: true } as const
const INSERT = 'insert into notes (text) values ($1)'

/** Table for the probes. Its foreign key is checked at commit. */
export const NOTES = `
  create table notes (text text not null, parent integer references accounts deferrable initially deferred);
`

/** Continues after its client has disconnected. */
export class Abandoned extends Route {
  static readonly post = this.contract({ uses: { tx: transaction }, returns: Done })
  async post({ tx, signal }: Input<typeof Abandoned.post>) {
    await tx.query(INSERT, ['abandoned'])
    stage.emit('abandoned')
    if (!signal.aborted) await once(signal, 'abort')
    await tx.query(INSERT, ['abandoned, and written all the same'])
    return done
  }
}

/** Ignores its timeout. */
export class Late extends Route {
  static readonly post = this.contract({ uses: { tx: transaction }, returns: Done, timeout: 200 })
  async post({ tx, signal }: Input<typeof Late.post>) {
    await tx.query(INSERT, ['late'])
    if (!signal.aborted) await once(signal, 'abort')
    const [outcome] = await Promise.allSettled([tx.query(INSERT, ['too late'])])
    stage.emit('late', outcome)
    return done
  }
}

/** Ignores a failed statement. */
export class Careless extends Route {
  static readonly post = this.contract({ uses: { tx: transaction }, returns: Done })
  async post({ tx }: Input<typeof Careless.post>) {
    await tx.query(INSERT, ['careless'])
    await tx.query('select 1 / 0').catch(() => {})
    return done
  }
}

/** References a missing account, which PostgreSQL detects at commit. */
export class Deferred extends Route {
  static readonly post = this.contract({ uses: { tx: transaction }, returns: Done })
  async post({ tx }: Input<typeof Deferred.post>) {
    await tx.query('insert into notes (text, parent) values ($1, 12345)', ['deferred'])
    return done
  }
}

/** Waits in the middle of its transaction, so that the test can break the connection. */
export class Paused extends Route {
  static readonly post = this.contract({ uses: { tx: transaction }, returns: Done })
  async post({ tx }: Input<typeof Paused.post>) {
    await tx.query(INSERT, ['paused'])
    const goOn = once(stage, 'go on')
    stage.emit('paused')
    await goOn
    await tx.query(INSERT, ['paused, then gone on'])
    return done
  }
}

/** Sends all statements without awaiting each. */
export class Parallel extends Route {
  static readonly post = this.contract({ uses: { tx: transaction }, returns: Done })
  async post({ tx }: Input<typeof Parallel.post>) {
    await Promise.all(['one', 'two', 'three'].map((text) => tx.query(INSERT, [text])))
    return done
  }
}

/** Creates an app with all probes. */
export function probeApp(options: DatabaseOptions, logger: Logger) {
  const routes = { Abandoned, Late, Careless, Deferred, Paused, Parallel }
  return createApp({ services: { db: database(options) }, routes, logger, signals: false })
}
