/** Shutdown helpers on a server with an app: an idle connection is closed, and a request in progress gets its response. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { createTerminus } from '@godaddy/terminus'
import gracefulShutdown from 'http-graceful-shutdown'
import { createHttpTerminator } from 'http-terminator'
import stoppable from 'stoppable'
import { createApp, Route, type App } from 'verbena'
import { listen } from './listen.js'

class Slow extends Route {
  static onStart = (): void => {}
  static release = (): void => {}

  async get() {
    const released = new Promise<void>((resolve) => (Slow.release = resolve))
    Slow.onStart()
    await released
    return 'done'
  }
}

function createSlowApp(): App {
  return createApp({ routes: { Slow }, logger: false, signals: false })
}

interface Helper {
  readonly name: string
  /** Whether it adds a `request` listener that only watches, before the server listens. */
  readonly besides: boolean
  /** Whether it replaces the listeners of the server, and so must come after them. */
  readonly wraps: boolean
  /** Returns the function that shuts the server down. */
  use(server: Server): () => unknown
}

const HELPERS: readonly Helper[] = [
  {
    // It adds its listener when it shuts the server down.
    name: 'http-terminator',
    besides: false,
    wraps: false,
    use: (server) => {
      const terminator = createHttpTerminator({ server })
      return () => terminator.terminate()
    },
  },
  {
    name: 'stoppable',
    besides: true,
    wraps: false,
    use: (server) => {
      const { stop } = stoppable(server, 5_000)
      return () => new Promise((resolve) => stop(resolve))
    },
  },
  {
    name: 'http-graceful-shutdown',
    besides: true,
    wraps: false,
    use: (server) => gracefulShutdown(server, { signals: '', forceExit: false }),
  },
  {
    name: '@godaddy/terminus',
    besides: false,
    wraps: true,
    use: (server) => {
      createTerminus(server, { signals: [], healthChecks: { '/health': () => Promise.resolve('theirs') } })
      return () => new Promise((resolve) => server.close(resolve))
    },
  },
]

for (const { name, besides, wraps, use } of HELPERS) {
  for (const isFirst of wraps ? [false] : [true, false]) {
    describe(`${name} ${isFirst ? 'before' : 'after'} app.attach`, () => {
      it('lets a request in progress finish', async (t) => {
        const app = createSlowApp()
        t.after(() => app.close())
        const started = new Promise<void>((resolve) => (Slow.onStart = resolve))
        const server = createServer()
        let shutDown: () => unknown = () => {}
        if (isFirst) shutDown = use(server)
        app.attach(server, { besides })
        if (!isFirst) shutDown = use(server)
        const url = new URL(await listen(server))
        const idle = connect(Number(url.port), url.hostname)
        const idleEnd = new Promise((resolve) => idle.on('close', resolve).on('end', () => idle.end()))
        t.after(() => idle.destroy())
        const response = fetch(`${url.origin}/slow`)
        await started
        const ended = Promise.resolve(shutDown())
        Slow.release()
        assert.equal(await (await response).text(), 'done')
        if (!wraps) await Promise.all([ended, idleEnd])
      })

      if (besides) {
        it('throws a setup error without the option', async (t) => {
          const app = createSlowApp()
          t.after(() => app.close())
          const server = createServer()
          use(server)
          assert.throws(() => app.attach(server), /\{ besides: true \}/)
        })
      }
    })
  }
}
