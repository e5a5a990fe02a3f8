/** Requests as bytes on one connection. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export class RawClient {
  readonly socket: Socket
  /** Bytes that the server has sent. */
  text = ''
  #wake = (): void => {}

  static async connect(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  private constructor(socket: Socket) {
    this.socket = socket
    // Some tests end the connection.
    socket.on('error', () => {})
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.text += chunk
      this.#wake()
    })
    socket.on('close', () => this.#wake())
  }

  /** Sends bytes, and waits for a match in the received text. Returns the text up to its end, and removes it. */
  async send(bytes: string, until: RegExp): Promise<string> {
    this.socket.write(bytes)
    return this.receive(until)
  }

  async receive(until: RegExp): Promise<string> {
    let found = until.exec(this.text)
    while (found === null) {
      if (this.socket.destroyed) throw new Error(`The connection ended after ${this.text}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
      found = until.exec(this.text)
    }
    const end = found.index + found[0].length
    const received = this.text.slice(0, end)
    this.text = this.text.slice(end)
    return received
  }

  /** Waits for the end of the connection. */
  async ended(): Promise<void> {
    if (!this.socket.destroyed) await once(this.socket, 'close')
  }
}
