import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free port, and returns the URL. */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: the server listens on a TCP port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
