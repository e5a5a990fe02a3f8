/** Whether an app has a path: the same paths as its responses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Route, type App } from 'verbena'
import { hasPath } from '#src/app/has-path.js'
import { RunningApp } from '#src/app/running-app.js'
import { createUntypedApp, sendRequest } from '#test/apps.js'

function routeAt(path: string, fallback = false) {
  return class extends Route {
    static readonly path = path
    static readonly fallback = fallback
    get() {
      return 'found'
    }
  }
}

const routes = {
  Root: routeAt('/'),
  Item: routeAt('/a/{id}'),
  Encoded: routeAt('/ä'),
  Rest: routeAt('/b/{rest...}'),
  Missing: routeAt('/a/c/{rest...}', true),
}

function createApp(options: object): App {
  return createUntypedApp({ routes, openapi: false, ...options })
}

function asks(app: App, url: string): boolean {
  const { state } = RunningApp.partsOf(app) ?? assert.fail('Not an app')
  return hasPath(state, url)
}

const SEGMENT = fc.constantFrom('', 'a', 'b', 'c', '%61', '%C3%A4', '%c3%a4', 'x', '..', '%2F')
const PATH = fc.array(SEGMENT, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`)

describe('hasPath()', () => {
  for (const options of [
    {},
    { trailingSlash: 'ignore' },
    { trailingSlash: 'redirect' },
    { routes: { A: routes.Item } },
  ]) {
    it(`is false exactly for the paths without a resource (${JSON.stringify(Object.keys(options))})`, async () => {
      const app = createApp(options)
      await fc.assert(
        fc.asyncProperty(PATH, async (path) => {
          // `URL` would remove dot segments.
          fc.pre(!path.includes('..') && !path.startsWith('//'))
          const { status, text } = await sendRequest(app, path)
          assert.equal(asks(app, path), !(status === 404 && text.includes('No resource matches')), `${path}: ${status}`)
        }),
        { numRuns: 300 },
      )
    })
  }

  it('compares only the form of malformed targets', () => {
    const app = createApp({ trailingSlash: 'ignore' })
    for (const url of ['/a/%zz', '/a/%ff?b', '/a/..', '/a/%zz/', '/b/../c', 'http://h/a/%zz', '/a/c/%zz/']) {
      assert.equal(asks(app, url), true, url)
    }
    for (const url of ['/%zz', '/x/../a', '*', 'a/b', '', 'ftp://h/a/b', '//h/a/%zz', '/%61/%zz']) {
      assert.equal(asks(app, url), false, url)
    }
  })

  it('reads targets in absolute form, and ignores the query', () => {
    const app = createApp({})
    for (const url of ['http://h/a/b?c', 'http://h', 'HTTPS://h/a/b', '/?/x', '/a/b?c=/d'])
      assert.equal(asks(app, url), true, url)
    for (const url of ['http://h/x', '/x?/a/b']) assert.equal(asks(app, url), false, url)
  })
})
