/** Servers of a folder of files, according to their guides. `FILES_SERVER` selects the server, `FILES_ROOT` the folder. */
const { FILES_SERVER: name, FILES_ROOT: root } = process.env

const servers = { verbena, fastify, hono }

/** Starts the server on a free port. */
export function start() {
  return servers[name]()
}

async function verbena() {
  const { createApp } = await import('../../dist/index.js')
  const { files } = await import('../../dist/files.js')
  const app = createApp({ routes: { '/assets': files(root) }, devConsole: false, logger: false })
  const { port } = await app.listen({ port: 0 })
  return port
}

async function fastify() {
  const { default: make } = await import('fastify')
  const { default: plugin } = await import('@fastify/static')
  const server = make()
  server.register(plugin, { root, prefix: '/assets/', preCompressed: true })
  await server.listen({ port: 0, host: '127.0.0.1' })
  return server.server.address().port
}

async function hono() {
  const { serve } = await import('@hono/node-server')
  const { serveStatic } = await import('@hono/node-server/serve-static')
  const { Hono } = await import('hono')
  const app = new Hono()
  const rewriteRequestPath = (path) => path.slice('/assets'.length)
  app.get('/assets/*', serveStatic({ root, rewriteRequestPath, precompressed: true }))
  return new Promise((resolve) =>
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port)),
  )
}
