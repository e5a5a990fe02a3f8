/** The exchange of a request for an upgrade: its connection is handed over, or it is refused like any other request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from './connection.js'
import type { ResponseMessage, SentListener } from './exchange.js'
import { guarded } from './guarded.js'
import { NodeExchange } from './node-exchange.js'
import { emitEnd, wakeSocket } from './parked-socket.js'

/** The request as Node has made it, for libraries that speak the protocol. */
export type UpgradeRequest = IncomingMessage

export class UpgradeExchange extends NodeExchange {
  readonly socket: Socket
  /** What the client has sent behind the head of its request. */
  readonly rest: Buffer
  #isHandedOver = false
  #writtenBefore = 0

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection, rest: Buffer) {
    super(request, response, connection, 'none')
    this.socket = request.socket
    this.rest = rest
  }

  /** From here on the socket is the handler's. */
  handOver(): void {
    this.#isHandedOver = true
    this.#writtenBefore = this.socket.bytesWritten
    this.response.detachSocket(this.socket)
    wakeSocket(this.socket)
    if (this.socket.readableEnded) emitEnd(this.socket, this.connection.state.settings.report)
  }

  /** Whether the client has got an answer, or its connection an end. */
  get isAnswered(): boolean {
    return this.socket.bytesWritten > this.#writtenBefore || !this.socket.writable
  }

  /** A connection that was handed over is expected to end. */
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

  /** Where the handler has answered nothing becomes of the answer; one that failed later ends the connection at once. */
  override send(answer: ResponseMessage, listener: SentListener | null): void {
    const { socket, response, connection } = this
    if (!this.#isHandedOver || (answer.status !== 101 && !this.isAnswered)) {
      if (this.#isHandedOver) response.assignSocket(socket)
      this.#isHandedOver = false
      const end = (): void => {
        response.detachSocket(socket)
        response.emit('close')
        connection.startLingeringClose()
        socket.end()
      }
      response.once('finish', () => guarded(socket, connection.state.settings.report, end))
      super.send(answer, listener)
      return
    }
    if (answer.status !== 101) socket.destroy()
    this.#whenClosed(() => listener?.sent(undefined))
  }

  /** What a handler has written is not known here. */
  override linesOf(answer: ResponseMessage): readonly string[] {
    return answer.status === 101 ? [] : super.linesOf(answer)
  }

  #whenClosed(listener: () => void): void {
    const { socket, connection } = this
    if (socket.closed) listener()
    else socket.once('close', () => guarded(socket, connection.state.settings.report, listener))
  }
}
