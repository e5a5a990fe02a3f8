/** A TCP proxy that cuts connections. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A running proxy. */
export interface CuttingProxy extends AsyncDisposable {
  /** URL of the proxy. */
  readonly url: string
  /** Number of connections. */
  readonly count: () => number
  /** Resets all connections. */
  cut(): void
}

/**
 * Starts a proxy. It resets a connection in the moment in which the server has sent a number of bytes; the client receives these bytes.
 *
 * @param url URL of the server
 * @param limit returns the number of bytes for each connection; default: no limit
 */
export async function startCuttingProxy(url: string, limit: () => number = () => Infinity): Promise<CuttingProxy> {
  const { port } = new URL(url)
  const clients = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    connections++
    clients.add(client)
    let left = limit()
    const upstream = connect(Number(port), '127.0.0.1')
    const end = (): void => {
      clients.delete(client)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    client.pipe(upstream)
    upstream.on('data', (bytes: Buffer) => {
      const sent = bytes.subarray(0, left)
      left -= sent.length
      // A FIN after the bytes: a reset could discard bytes that the client has not read.
      if (left > 0) client.write(sent)
      else client.end(sent)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Proof: a server that listens on a port has an address object.
  const address = server.address() as AddressInfo
  const cut = (): void => clients.forEach((client) => client.destroy())
  return {
    url: `http://127.0.0.1:${address.port}`,
    count: () => connections,
    cut,
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
