/** Upstream of a proxy. Its responses contain the received headers and bodies. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { WebSocketServer } from 'ws'

export class Upstream {
  readonly server: Server
  readonly port: number
  /** Requests and WebSockets that the server has received, newest last. */
  readonly received: IncomingMessage[] = []
  /** Paths of responses that the client has aborted. */
  readonly aborted: string[] = []

  static async start(): Promise<Upstream> {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return new Upstream(server)
  }

  private constructor(server: Server) {
    this.server = server
    // Proof: the server listens on a TCP port.
    this.port = (server.address() as AddressInfo).port
    server.on('request', (request, response) => this.#respond(request, response))
    const sockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      this.received.push(request)
      if (request.url === '/reject') socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
      else sockets.handleUpgrade(request, socket, head, (client) => client.on('message', (data) => client.send(data)))
    })
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    if (this.server.listening) await once(this.server.close(), 'close')
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', method, headers } = request
    this.received.push(request)
    const path = url.split(/[/?]/).at(-1)
    if (path === 'redirect') {
      response.writeHead(302, {
        location: '/elsewhere',
        connection: 'x-hop',
        'x-hop': '1',
        'set-cookie': ['a=1', 'b=2'],
      })
      response.end('moved')
    } else if (path === 'gzip') {
      const body = gzipSync('tea '.repeat(100))
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body)
    } else if (path === 'echo') {
      response.writeHead(200, { 'content-type': 'text/plain' })
      request.pipe(response)
    } else if (path === 'events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      response.once('close', () => this.aborted.push(url))
    } else if (path === 'broken') {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half')
      setTimeout(() => request.socket.destroy(), 50)
    } else {
      const origin = `${headers['x-forwarded-proto']}://${headers['x-forwarded-host']}`
      const text = `${url} for ${headers['x-forwarded-for']} at ${origin}\n`
      response.writeHead(200, { 'content-length': Buffer.byteLength(text) })
      response.end(method === 'HEAD' ? undefined : text)
    }
  }
}
