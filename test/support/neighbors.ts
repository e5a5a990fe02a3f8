/** Servers that pass requests to an app as middleware: Express 4 and 5, Connect, and Fastify with middie. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { onCleanup } from '#test/cleanup.js'

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown

/** Middleware in order, each with its mount; `/` for all paths. */
export type MiddlewareList = readonly (readonly [mount: string, middleware: Middleware])[]

interface UsesMiddleware {
  use(mount: string, middleware: Middleware | UsesMiddleware): unknown
}

interface FastifyServer extends UsesMiddleware {
  readonly server: { address(): AddressInfo }
  register(plugin: unknown): Promise<unknown>
  listen(options: { readonly port: number; readonly host: string }): Promise<unknown>
  inject: Inject
  close(): Promise<void>
}

// `import` would load types of Fastify that TypeScript 5.4 cannot read; the others have no types.
const load = createRequire(import.meta.url)

/** A server that runs middleware. `open` returns its URL. */
export interface Neighbor {
  readonly name: string
  open(t: TestContext, list: MiddlewareList): Promise<string>
}

/** Listens on a free port until the end of the test. Returns the URL. */
export async function openListener(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onCleanup(t, () => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: the server listens on a TCP port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Creates a server of Express or Connect. */
export function createFrom(packageName: string): RequestListener & UsesMiddleware {
  const create: unknown = load(packageName)
  assert.ok(typeof create === 'function')
  // Proof: both packages export a function that returns a listener with `use`.
  return create() as RequestListener & UsesMiddleware
}

async function openWith(packageName: string, t: TestContext, list: MiddlewareList): Promise<string> {
  const server = createFrom(packageName)
  for (const [mount, middleware] of list) server.use(mount, middleware)
  return openListener(t, server)
}

/** Mounts the whole list at `/outer`, so that a mount has two parts. */
async function openNested(packageName: string, t: TestContext, list: MiddlewareList): Promise<string> {
  const inner = createFrom(packageName)
  for (const [mount, middleware] of list) inner.use(mount, middleware)
  const server = createFrom(packageName)
  server.use('/outer', inner)
  return `${await openListener(t, server)}/outer`
}

/** Creates a server of Fastify with middie. */
export async function openFastifyApp(t: TestContext, list: MiddlewareList): Promise<FastifyServer> {
  const create: unknown = load('fastify')
  assert.ok(typeof create === 'function')
  // Proof: Fastify exports a function that returns its server.
  const server = create() as FastifyServer
  await server.register(load('@fastify/middie'))
  for (const [mount, middleware] of list) server.use(mount, middleware)
  onCleanup(t, () => server.close())
  return server
}

async function openFastify(t: TestContext, list: MiddlewareList): Promise<string> {
  const server = await openFastifyApp(t, list)
  await server.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${server.server.address().port}`
}

/** Creates middleware of `compression` or `express-session`, which both patch the response. */
export function createMiddleware(packageName: string, options: object): Middleware {
  const create: unknown = load(packageName)
  assert.ok(typeof create === 'function')
  // Proof: both packages export a function that returns middleware.
  return create(options) as Middleware
}

export const NEIGHBORS: readonly Neighbor[] = [
  { name: 'Express 5', open: (t, list) => openWith('express', t, list) },
  { name: 'Express 4', open: (t, list) => openWith('express-4', t, list) },
  { name: 'Express 5 in Express 5', open: (t, list) => openNested('express', t, list) },
  { name: 'Express 4 in Express 4', open: (t, list) => openNested('express-4', t, list) },
  { name: 'Connect', open: (t, list) => openWith('connect', t, list) },
  { name: 'Connect in Connect', open: (t, list) => openNested('connect', t, list) },
  { name: 'Fastify with middie', open: openFastify },
]

/** A response of `light-my-request`. */
interface InjectResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly payload: string
  readonly rawPayload: Buffer
}

interface Injection {
  readonly url: string
  readonly method?: string
  readonly payload?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Inject = (request: Injection) => Promise<InjectResponse>

/** Returns a function that sends requests with `light-my-request`. */
export function injector(listener: RequestListener): Inject {
  const injectInto: unknown = load('light-my-request')
  assert.ok(typeof injectInto === 'function')
  // Proof: the package exports a function of a listener and a request.
  return (request) =>
    (injectInto as (listener: RequestListener, request: Injection) => Promise<InjectResponse>)(listener, request)
}
