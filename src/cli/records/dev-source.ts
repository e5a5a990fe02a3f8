/** Reads what `verbena dev` stores, over its socket. */
import { connect, type Socket } from 'node:net'
import { isRecord } from '../../values/objects.js'
import { CommandError, attempt } from '../command.js'
import { STATE_VERSION, type DevState } from '../dev/dev-state.js'
import { findAddresses, type FoundAddress } from '../dev/run-folder.js'
import type { Question } from '../dev/state-server.js'
import { parseWhere } from './filter-requests.js'
import type { InRun } from '../../devconsole/wire/describe-record.js'
import type { RecordSource } from './record-source.js'
import type { LogLine } from '../../devconsole/wire/request-types.js'

/** Maximum time until `verbena dev` has answered, in ms. */
const ANSWER_TIMEOUT = 10_000
/** Requests, lines and incidents are at most 8 MB, and their JSON is longer. */
const MAX_ANSWER_LENGTH = 32 * 1024 * 1024
const START = 'Start it with "npx verbena dev <file>"'

/** Opens `verbena dev` of the current folder. */
export async function openDev(pid: string | undefined): Promise<RecordSource> {
  const addresses = attempt('Cannot read "verbena dev": ', () => findAddresses(process.cwd()))
  const { socket, token } = chooseAddress(addresses, pid)
  const state = checkState(await readAnswer(socket, { token, ask: 'state' }))
  const { runs, isRunning, origins, records } = state
  return {
    runs,
    isRunning,
    origin: origins[0] ?? null,
    async requests(where) {
      const filter = await parseWhere(where)
      return records.filter((record) => filter.matchesRecord(record, record))
    },
    request: async (id) => records.find((record) => record.id === id) ?? null,
    lines: async () => state.lines.toReversed(),
    follow: (onLine) => follow(socket, token, onLine),
  }
}

function chooseAddress(addresses: readonly FoundAddress[], pid: string | undefined): FoundAddress {
  const matching = addresses.filter((each) => pid === undefined || String(each.pid) === pid)
  const [address, ...others] = matching
  const list = addresses.map((each) => `${each.pid} (${each.file})`).join(', ')
  if (address === undefined) {
    const which = pid === undefined || addresses.length === 0 ? '' : ` with process id ${pid}, only ${list}`
    throw new CommandError(`No "verbena dev" runs in this folder${which}. ${START}`)
  }
  if (others.length === 0) return address
  throw new CommandError(`Several "verbena dev" run in this folder: ${list}. Choose one with "--pid ${address.pid}"`)
}

function checkState(answer: unknown): DevState {
  // Proof: `verbena dev` of the same version has written it.
  if (isRecord(answer) && answer['v'] === STATE_VERSION) return answer as unknown as DevState
  throw new CommandError('Cannot read "verbena dev": it is another version of Verbena. Start it again')
}

function readAnswer(path: string, question: Question): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = ask(path, question, reject)
    const fail = (why: string): void => {
      reject(new CommandError(`Cannot read "verbena dev": ${why}`))
      socket.destroy()
    }
    let text = ''
    socket.setTimeout(ANSWER_TIMEOUT, () => fail(`it has not answered for ${ANSWER_TIMEOUT / 1_000} s`))
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.length > MAX_ANSWER_LENGTH) fail('its answer is too long')
    })
    socket.on('end', () => {
      try {
        resolve(JSON.parse(text))
      } catch {
        fail('its answer is incomplete')
      }
    })
  })
}

function follow(path: string, token: string, onLine: (line: InRun<LogLine>) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = ask(path, { token, ask: 'follow' }, reject)
    let rest = ''
    socket.on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = String(lines.pop())
      // Proof: `verbena dev` has written them.
      for (const line of lines) onLine(JSON.parse(line) as InRun<LogLine>)
    })
    socket.on('end', resolve)
  })
}

function ask(path: string, question: Question, onError: (error: CommandError) => void): Socket {
  const socket = connect(path)
  socket.on('error', ({ message }) => onError(new CommandError(`Cannot read "verbena dev": ${message}. ${START}`)))
  socket.setEncoding('utf8').write(`${JSON.stringify(question)}\n`)
  return socket
}
