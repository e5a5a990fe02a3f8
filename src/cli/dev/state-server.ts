/** Sends the state to the commands beside `verbena dev`, over a socket that only the user can reach. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { noop } from '../../values/noop.js'
import { isRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import type { DevState } from './dev-state.js'
import { prepareRunFolder, socketPath, writeAddress } from './run-folder.js'

const MAX_CLIENTS = 20
const MAX_QUESTION_BYTES = 1_024
/** Maximum time to send a question, and to read the state, in ms. */
const [QUESTION_TIMEOUT, ANSWER_TIMEOUT] = [2_000, 30_000]
/** Bytes that a client has not read. Beyond them, lines are dropped. */
const MAX_UNREAD = 1024 * 1024

/** Message of a client: one line of JSON. For `state`, it receives a `DevState`; for `follow`, one line of JSON for each new log line. */
export interface Question {
  readonly token: string
  readonly ask: 'state' | 'follow'
}

export class StateServer {
  readonly #read: () => DevState
  readonly #token = randomBytes(32).toString('base64url')
  readonly #followers = new Set<Socket>()
  readonly #server: Server
  #removeAddress = noop

  constructor(read: () => DevState) {
    this.#read = read
    this.#server = createServer((socket) => this.#receive(socket))
    this.#server.maxConnections = MAX_CLIENTS
  }

  /** Listens, and writes the address. Rejects with the reason if other users could use it. */
  async open(folder: string, file: string): Promise<void> {
    const run = prepareRunFolder()
    const path = socketPath(run, folder, process.pid)
    // A process with the same id has ended without removing it.
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(path, () => {
        this.#server.off('error', reject).on('error', noop)
        resolve()
      })
    })
    this.#server.unref()
    /* c8 ignore next -- a pipe of Windows has no mode */
    if (process.platform !== 'win32') chmodSync(path, 0o600)
    this.#removeAddress = writeAddress(run, folder, { pid: process.pid, token: this.#token, file })
  }

  /** Sends a log line to the clients that follow the log. Returns their number. */
  send(line: object): number {
    const text = `${JSON.stringify(line)}\n`
    for (const socket of this.#followers) if (socket.writableLength < MAX_UNREAD) socket.write(text)
    return this.#followers.size
  }

  close(): void {
    this.#removeAddress()
    this.#server.close()
    for (const socket of this.#followers) socket.destroySoon()
  }

  #receive(socket: Socket): void {
    let text = ''
    socket.on('error', noop)
    socket.setTimeout(QUESTION_TIMEOUT, () => socket.destroy())
    socket.on('close', () => this.#followers.delete(socket))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const isWhole = text.includes('\n')
      if (isWhole) this.#answer(socket, text)
      else if (text.length > MAX_QUESTION_BYTES) socket.destroy()
      if (isWhole) text = ''
    })
  }

  #answer(socket: Socket, text: string): void {
    const ask = this.#readQuestion(text)
    if (ask === 'state') {
      socket.setTimeout(ANSWER_TIMEOUT)
      socket.end(`${JSON.stringify(this.#read())}\n`)
    } else if (ask === 'follow') {
      socket.setTimeout(0)
      this.#followers.add(socket)
    } else socket.destroy()
  }

  /** Returns `null` for a question without the token. */
  #readQuestion(text: string): unknown {
    const question: unknown = valueOr(() => JSON.parse(text), null)
    if (!isRecord(question)) return null
    const [token, own] = [Buffer.from(String(question['token'])), Buffer.from(this.#token)]
    return token.length === own.length && timingSafeEqual(token, own) ? question['ask'] : null
  }
}
