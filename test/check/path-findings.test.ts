import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, createApp, form, json, Route, stream, text } from 'verbena'
import { multipart, parts } from 'verbena/multipart'
import * as z from 'zod'
import { createUntypedApp, looseContract } from '#test/apps.js'

function check(body: unknown, trailingSlash?: string, path = '/films/{rest...}') {
  class Films extends Route {
    static readonly path = path
    static readonly put = looseContract(this, { body, returns: null })
    put() {}
    static readonly get = this.contract({ returns: null })
    get() {}
  }
  const app = createUntypedApp({ routes: { Films }, ...(trailingSlash !== undefined && { trailingSlash }) })
  return app.check().filter(({ code }) => code === 'BODY_REDIRECTED')
}

describe('app.check(): BODY_REDIRECTED', () => {
  it('reports forms with files and streams that are redirected', () => {
    for (const [body, what] of [
      [multipart(), 'a form with files'],
      [parts(), 'a form with files'],
      [stream(), 'a stream'],
    ] as const) {
      assert.deepEqual(check(body, 'redirect'), [
        {
          code: 'BODY_REDIRECTED',
          route: 'Films',
          method: 'PUT',
          message: `"PUT /films/{rest...}/" is redirected with 308, but several clients do not send ${what} again`,
          fix: `Write "trailingSlash: 'ignore'"`,
        },
      ])
    }
  })

  it('does not report other bodies, other settings, or the root', () => {
    const schema = z.object({ a: z.string() })
    for (const body of [json(schema), form(schema), text(), bytes()]) assert.deepEqual(check(body, 'redirect'), [])
    for (const setting of ['ignore', 'strict', undefined]) assert.deepEqual(check(stream(), setting), [])
    assert.deepEqual(check(stream(), 'redirect', '/'), [])
  })

  // Node.js 26 and undici 8 send the right boundary. Once all supported versions do, the finding can end.
  it('is about a form that Node.js 20 to 24 sends with a wrong boundary', async (t) => {
    class Forms extends Route {
      static readonly post = this.contract({ body: multipart() })
      async post() {
        return 'saved'
      }
    }
    const app = createApp({ routes: { Forms }, trailingSlash: 'redirect', logger: false, signals: false })
    const { url } = await app.listen()
    t.after(() => app.close())
    const send = (target: string) => {
      const body = new FormData()
      body.append('title', 'Ada')
      return fetch(`${url}${target}`, { method: 'POST', body })
    }
    assert.equal((await send('/forms')).status, 200)
    const major = Number(process.versions.node.split('.')[0])
    assert.equal((await send('/forms/')).status, major < 26 ? 400 : 200)
  })
})
