/** A proxy that cuts a connection at a command: before the server receives it, or before the client receives its result. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** The lost part: the command to the server, or its result. */
export type LostPart = 'command' | 'result'

export class CutProxy {
  readonly #server: Server
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  #next: { readonly text: string; readonly cut: LostPart } | null = null
  /** Number of connections that were cut. */
  count = 0

  /** @param target port of the server */
  constructor(target: number) {
    this.#target = target
    this.#server = createServer((socket) => this.#forward(socket))
  }

  get port(): number {
    // Proof: the server listens on a port.
    return (this.#server.address() as AddressInfo).port
  }

  async start(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
  }

  async stop(): Promise<void> {
    const closed = once(this.#server.close(), 'close')
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /** Cuts the next connection that sends a command with this text. */
  cutAt(text: string, cut: LostPart): void {
    this.#next = { text, cut }
  }

  /** Cuts all connections. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #forward(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    let isCutting = false
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', end).on('close', () => {
        this.#sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      const next = this.#next
      if (next === null || !chunk.includes(next.text)) return void server.write(chunk)
      this.#next = null
      this.count++
      if (next.cut === 'command') return end()
      isCutting = true
      server.write(chunk)
    })
    server.on('data', (chunk) => (isCutting ? end() : client.write(chunk)))
  }
}
