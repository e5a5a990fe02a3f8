/** TLS connections whose handshake is not over: `node:https` knows nothing of them yet, so nothing of it would end them. */
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

/** Who is on the other side: the same for a connection and for the TLS that comes to run over it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

/** Keeps the connections of a server whose handshake is not over. */
export function handshakesOf(server: TlsServer): ReadonlyMap<string, Socket> {
  const begun = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    begun.set(peer, socket)
    socket.once('close', () => {
      if (begun.get(peer) === socket) begun.delete(peer)
    })
  })
  server.on('secureConnection', (socket) => void begun.delete(peerOf(socket)))
  return begun
}
