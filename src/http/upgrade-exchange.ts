/** The exchange of an upgrade request. Its socket is passed to a handler, or the request is rejected like any other request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from './connection.js'
import type { ResponseMessage, SentListener } from './exchange.js'
import { guarded } from './guarded.js'
import { NodeExchange } from './node-exchange.js'
import { emitEnd, wakeSocket } from './parked-socket.js'

/** Node's request object, for libraries that implement the protocol. */
export type UpgradeRequest = IncomingMessage

/** Time in ms in which the handler of an upgrade must take its socket, or respond to it. It may first look up the user. */
export const TIME_TO_TAKE = 2_000

export class UpgradeExchange extends NodeExchange {
  readonly socket: Socket
  /** Bytes that the client has sent after the request headers. */
  readonly rest: Buffer
  #isHandedOver = false
  #writtenBefore = 0

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection, rest: Buffer) {
    super(request, response, connection, 'none')
    this.socket = request.socket
    this.rest = rest
  }

  /** Passes control of the socket to the handler. */
  handOver(): void {
    this.#isHandedOver = true
    this.#writtenBefore = this.socket.bytesWritten
    this.response.detachSocket(this.socket)
    wakeSocket(this.socket)
    this.socket.on('end', () => this.connection.awaitReader())
    if (this.socket.readableEnded) emitEnd(this.socket, this.connection.state.settings.report)
  }

  /** Whether the handler has written to the socket or ended it. */
  get hasResponded(): boolean {
    return this.socket.bytesWritten > this.#writtenBefore || !this.socket.writable
  }

  /** `false` after the handover, because the connection of a handler may end at any time. */
  override get aborted(): boolean {
    return !this.#isHandedOver && super.aborted
  }

  override onAbort(listener: () => void): void {
    this.#whenClosed(() => {
      if (!this.response.writableFinished) listener()
    })
  }

  override onLeft(listener: () => void): void {
    if (this.response.writableFinished) listener()
    else this.#whenClosed(listener)
  }

  /**
   * Sends the response, unless the handler controls the socket. The handler itself writes a 101. If the handler fails, the error is sent
   * only if the handler has not written to the socket yet. Otherwise the socket is destroyed.
   */
  override send(message: ResponseMessage, listener: SentListener | null): void {
    const { socket, response, connection } = this
    if (!this.#isHandedOver || (message.status !== 101 && !this.hasResponded)) {
      if (this.#isHandedOver) response.assignSocket(socket)
      this.#isHandedOver = false
      const end = (): void => {
        response.detachSocket(socket)
        response.emit('close')
        connection.startLingeringClose()
        socket.end()
      }
      response.once('finish', () => guarded(socket, connection.state.settings.report, end))
      super.send(message, listener)
      return
    }
    if (message.status !== 101) socket.destroy()
    // The client is monitored now, and again after it has ended its side. Later, the handler is responsible for slow clients.
    if (socket.writableLength > 0) connection.awaitReader()
    this.#whenClosed(() => listener?.sent(undefined))
  }

  /** Returns an empty list for a 101, because the handler writes its headers. */
  override linesOf(message: ResponseMessage): readonly string[] {
    if (message.status === 101) return []
    return super.linesOf(message)
  }

  #whenClosed(listener: () => void): void {
    const { socket, connection } = this
    if (socket.closed) listener()
    else socket.once('close', () => guarded(socket, connection.state.settings.report, listener))
  }
}
