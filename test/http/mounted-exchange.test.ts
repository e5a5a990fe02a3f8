/** Mounts of other servers, and responses on which other middleware has set headers. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { events, Route, text, type Context } from 'verbena'
import * as z from 'zod'
import { captureLog, createUntypedApp } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { createMiddleware, openListener } from '#test/neighbors.js'
import { requestUpgrade } from '#test/upgrades.js'

class Users extends Route {
  get({ request }: Context) {
    return [request.url, request.path, request.href(Users, {})]
  }
}

class Home extends Route {
  static readonly path = '/'
  get({ request }: Context) {
    return request.url
  }
}

class Reset extends Route {
  static readonly path = '/reset/{token}'
  get() {
    throw new Error('broken')
  }
}

class Latin extends Route {
  static readonly get = this.contract({ returns: text() })
  get({ response }: Context) {
    response.header('x-name', 'é')
    response.header('x-ours', 'ours')
    response.header('date', 'Sun, 06 Nov 1994 08:49:37 GMT')
    return 'ü'
  }
}

/** Fails when the client has received the first chunk. */
class Broken extends Route {
  static release = (): void => {}
  async *get() {
    yield 'half'
    await new Promise<void>((resolve) => (Broken.release = resolve))
    throw new Error('broken')
  }
}

/** Each event waits until the client has received the one before. */
class Live extends Route {
  static readonly get = this.contract({ returns: events(z.object({ at: z.number() })) })
  static release = (): void => {}
  async *get() {
    for (let at = 0; at < 3; at++) {
      yield { data: { at } }
      await new Promise<void>((resolve) => (Live.release = resolve))
    }
  }
}

class LiveBytes extends Route {
  get() {
    return new Response(ReadableStream.from(liveBytes()), { headers: { 'content-type': 'text/event-stream' } })
  }
}

async function* liveBytes() {
  for await (const { data } of new Live().get()) yield Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
}

/** Random strings, so that a compressed stream is as large. */
class Large extends Route {
  async *get() {
    for (let count = 0; count < 1_000; count++) yield randomBytes(2_000).toString('base64')
  }
}

type Prepare = (request: IncomingMessage, response: ServerResponse) => void

async function open(t: TestContext, prepare: Prepare) {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({
    routes: { Home, Users, Reset, Latin, Broken, Live, LiveBytes, Large },
    logger,
    signals: false,
    trailingSlash: 'redirect',
  })
  onCleanup(t, () => app.close())
  const url = await openListener(t, (request, response) => {
    prepare(request, response)
    app.handler(request, response)
  })
  return { port: Number(new URL(url).port), lines }
}

function get(port: number, target: string): Promise<string> {
  return requestUpgrade(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
}

/** Values that servers and middleware set on requests, and the mount that follows from them. */
const MOUNTS: readonly (readonly [name: string, fields: object, mount: string])[] = [
  ['no property', {}, ''],
  ['an empty baseUrl', { baseUrl: '', originalUrl: '/api/users' }, ''],
  ['a baseUrl', { baseUrl: '/api/v1' }, '/api/v1'],
  ['a baseUrl with two slashes', { baseUrl: '//evil.example' }, '/evil.example'],
  ['a baseUrl with a backslash', { baseUrl: '/\\evil.example' }, '/evil.example'],
  ['a baseUrl with a final slash', { baseUrl: '/api/' }, '/api'],
  ['the baseUrl "/"', { baseUrl: '/' }, ''],
  ['a baseUrl that is not a path', { baseUrl: 'api' }, ''],
  ['an originalUrl', { originalUrl: '/api/users/' }, '/api'],
  ['an originalUrl with a query', { originalUrl: '/api/users/?a=/users/' }, '/api'],
  ['an originalUrl in absolute form', { originalUrl: 'http://a/api/users/' }, '/api'],
  ['an originalUrl with two slashes', { originalUrl: '//evil.example/users/' }, '/evil.example'],
  ['the originalUrl of a rewritten path', { originalUrl: '/people/' }, ''],
  ['an originalUrl that is not a string', { originalUrl: 7 }, ''],
]

describe('MountedExchange.mount', () => {
  for (const [name, fields, mount] of MOUNTS) {
    it(`is "${mount}" for ${name}`, async (t) => {
      const { port } = await open(t, (request) => void Object.assign(request, fields))
      assert.match(await get(port, '/users/'), new RegExp(`\r\nlocation: ${mount}/users\r\n`))
    })
  }

  it('is the originalUrl if url is only the slash that Connect adds', async (t) => {
    const { port } = await open(t, (request) => void Object.assign(request, { originalUrl: '/api?a=1', url: '/?a=1' }))
    assert.match(await get(port, '/api?a=1'), /\r\n\r\n\/api\/\?a=1$/)
  })

  it('is in the events of a request, and in log lines that show the template instead of a secret', async (t) => {
    const events: unknown[] = []
    const note = (event: unknown): void => {
      const { url, path } = Object(event)
      events.push(url ?? path)
    }
    for (const name of ['start', 'routed', 'end', 'error']) {
      subscribe(`verbena:request:${name}`, note)
      onCleanup(t, () => unsubscribe(`verbena:request:${name}`, note))
    }
    const { port, lines } = await open(t, (request) => void Object.assign(request, { baseUrl: '/api' }))
    assert.match(await get(port, '/reset/abc?a=1'), /^HTTP\/1\.1 500 /)
    const path = '/api/reset/abc'
    assert.deepEqual(events, [`${path}?a=1`, path, path, path])
    assert.deepEqual(
      lines.map(({ fields }) => fields['path']),
      ['/api/reset/{token}'],
    )
  })

  it('follows the host of a request target in absolute form', async (t) => {
    const { port } = await open(t, (request) => void Object.assign(request, { baseUrl: '/api' }))
    const response = await get(port, 'http://a.example/users?b=1')
    assert.match(response, /\["http:\/\/a\.example\/api\/users\?b=1","\/api\/users","\/api\/users"\]$/)
  })
})

describe('SHARED.writeHead()', () => {
  const setTheirs: Prepare = (_request, response) => {
    response.setHeader('set-cookie', 'theirs=1')
    response.setHeader('transfer-encoding', 'chunked')
    response.setHeader('content-length', '99')
    response.setHeader('x-name', 'theirs')
  }

  it('sends the headers in Latin-1 and the body in UTF-8', async (t) => {
    const { port } = await open(t, setTheirs)
    const response = Buffer.from(await get(port, '/latin'), 'latin1').toString('latin1')
    assert.match(response, /\r\nx-name: \xe9\r\n/)
    assert.match(response, /\r\ncontent-length: 2\r\n[^]*\r\n\r\n\xc3\xbc$/)
    assert.doesNotMatch(response, /transfer-encoding|theirs\r\nx-name/i)
  })

  it('shows its headers to a patched writeHead, also if no header was set before', async (t) => {
    const seen: unknown[] = []
    const { port } = await open(t, (_request, response) => {
      const usual = response.writeHead
      response.writeHead = (...parts: unknown[]) => {
        seen.push(parts.length, response.getHeader('x-ours'))
        // Proof: the arguments are passed on unchanged.
        return usual.apply(response, parts as [number])
      }
    })
    assert.match(await get(port, '/latin'), /^HTTP\/1\.1 200 OK\r\n[^]*\r\nx-ours: ours\r\n/)
    assert.deepEqual(seen, [2, 'ours'])
  })

  it('restores the headers for the 500 that follows if a patched writeHead throws', async (t) => {
    const { port, lines } = await open(t, (request, response) => {
      setTheirs(request, response)
      const usual = response.writeHead
      response.writeHead = () => {
        response.writeHead = usual
        throw new Error('theirs')
      }
    })
    const response = await get(port, '/latin')
    assert.match(response, /^HTTP\/1\.1 500 [^]*\r\nset-cookie: theirs=1\r\n/)
    assert.match(response, /\r\nx-name: theirs\r\n/)
    assert.match(response, /\r\nDate: /)
    assert.doesNotMatch(response, /x-ours/)
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['Failed to send the response'],
    )
  })

  it('closes the connection if a patched writeHead throws after it has sent the headers', async (t) => {
    const { port, lines } = await open(t, (_request, response) => {
      response.writeHead = () => {
        response.flushHeaders = () => {}
        Reflect.deleteProperty(response, 'writeHead')
        response.writeHead(200).write('theirs')
        throw new Error('late')
      }
    })
    await assert.rejects(get(port, '/latin').then((answer) => assert.match(answer, /nothing/)))
    assert.equal(lines[0]?.message, 'Failed to send the response')
  })

  it('resets the connection of a broken stream if middleware has disabled chunks', async (t) => {
    const { port } = await open(t, (_request, response) => response.removeHeader('transfer-encoding'))
    const socket = connect({ port, host: '127.0.0.1' })
    const errors: unknown[] = []
    socket.on('error', (error) => errors.push(error))
    socket.write('GET /broken HTTP/1.1\r\nHost: a\r\n\r\n')
    let text = ''
    socket.on('data', (bytes) => {
      text += String(bytes)
      if (text.endsWith('half')) Broken.release()
    })
    await new Promise((resolve) => socket.on('close', resolve))
    assert.doesNotMatch(text, /transfer-encoding/i)
    assert.match(String(errors), /ECONNRESET/)
  })
})

describe('app.handler after compression', () => {
  const compress = createMiddleware('compression', { threshold: 0 })
  const prepare: Prepare = (request, response) => void compress(request, response, () => {})

  // Event streams have `no-transform`, which the package follows.
  for (const [path, coding] of [
    ['/live', null],
    ['/live-bytes', 'gzip'],
  ] as const) {
    it(`sends each event of ${path} before the next one exists`, async (t) => {
      const { port } = await open(t, prepare)
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      assert.equal(response.headers.get('content-encoding'), coding)
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        if (text.endsWith('\n\n')) Live.release()
      }
      assert.equal(text, [0, 1, 2].map((at) => `data: {"at":${at}}\n\n`).join(''))
    })
  }

  it('waits with one listener for a socket that is full', async (t) => {
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    onCleanup(t, () => process.off('warning', note))
    const { port } = await open(t, prepare)
    const response = await fetch(`http://127.0.0.1:${port}/large`, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal((await response.text()).length, 1_000 * 2_668)
    assert.deepEqual(warnings, [])
  })
})
