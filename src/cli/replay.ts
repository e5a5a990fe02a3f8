/** `verbena replay`: sends a recorded request to the app again. */
import { TOKEN } from '../http/fields.js'
import { CommandError, EXIT, printResult, readStrings, type Command, type CommandInput } from './command.js'
import { SAFE_METHODS } from '../devconsole/wire/request-types.js'
import { escapeLine, escapeText } from '../devconsole/wire/record-text.js'
import { findRequest, openSource, SOURCE_OPTIONS } from './records/open-source.js'
import type { RecordSource } from './records/record-source.js'
import { replayRequest, type ReplayResult } from './records/replay-request.js'
import type { Terminal } from './terminal.js'

const NAME = new RegExp(`^${TOKEN}$`)

export const replay: Command = {
  name: 'replay',
  summary: 'Send a recorded request to the app again',
  args: ['<id>'],
  options: {
    ...SOURCE_OPTIONS,
    yes: { type: 'boolean', help: 'Send methods other than GET, HEAD and OPTIONS' },
    header: {
      type: 'string',
      multiple: true,
      value: '<name: value>',
      help: 'Set a header, such as a secret that is not stored',
    },
  },
  details: 'Secrets are not stored: headers that contain one are omitted, unless "--header" sets them.',
  example: 'replay r_4k2xq0_17 --header "authorization: Bearer …"',
  async run(input, terminal) {
    const [id = ''] = input.args
    const headers = readStrings(input, 'header').map(parseHeader)
    const source = await openSource(input)
    const record = await findRequest(source, id)
    checkMethod(record['http.request.method'], input)
    const result = await replayRequest(record, findOrigin(source, id), headers)
    await printResult(input, result, () => formatResult(result, terminal), terminal)
    return EXIT.fine
  },
}

function parseHeader(text: string): readonly [name: string, value: string] {
  const [name = '', ...rest] = text.split(':')
  const value = rest.join(':').trim()
  if (rest.length > 0 && NAME.test(name) && !/[\r\n\0]/.test(value)) return [name, value]
  throw new CommandError(`Cannot send the header "${text}": write it as "name: value"`)
}

function checkMethod(method: string, { values }: CommandInput): void {
  if (SAFE_METHODS.has(method) || values['yes'] === true) return
  throw new CommandError(`Cannot replay a ${method} without "--yes", because it may change data`)
}

/** Returns the origin of the running app. Throws a `CommandError` with the error of its start if it does not run. */
export function findOrigin({ origin, isRunning, runs }: RecordSource, id: string): string {
  if (origin !== null && isRunning) return origin
  const failure = runs[0]?.failure ?? null
  const reason = failure === null ? '' : `. ${failure.message}: "verbena last" shows the error`
  throw new CommandError(`Cannot replay "${id}": the app is not running${reason}`)
}

export function formatResult(
  { status, before, duration, body, isCut, omitted }: ReplayResult,
  { style }: Pick<Terminal, 'style'>,
): string {
  const change = before === status ? '' : `, was ${before === 0 ? 'no response' : before}`
  return [
    style(status >= 500 ? 'red' : 'bold', `${status}${change}  ${duration} ms`),
    ...(omitted.length === 0
      ? []
      : [style('yellow', `Sent without ${omitted.map(escapeLine).join(', ')}: "--header" sets them`)]),
    ...(body === '' ? [] : [escapeText(body)]),
    ...(isCut ? ['…'] : []),
  ].join('\n')
}
