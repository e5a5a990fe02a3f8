/** Tools that read what `verbena dev` or the console of an app has recorded, as the commands of the same names do. */
import { describeRecord } from '../../devconsole/wire/describe-record.js'
import { DATA_NOTE, fence, requestToMarkdown } from '../../devconsole/wire/record-text.js'
import { REDACTED } from '../../secrets/secret-forms.js'
import { Secrets } from '../../secrets/secrets.js'
import { valueOr } from '../../values/value-or.js'
import { SAFE_METHODS } from '../../devconsole/wire/request-types.js'
import { CommandError } from '../command.js'
import { findLast } from '../last.js'
import { formatLog } from '../logs.js'
import { failureToMarkdown } from '../records/format-request.js'
import { findRequest, openSource } from '../records/open-source.js'
import { replayRequest } from '../records/replay-request.js'
import { findOrigin, formatResult } from '../replay.js'
import { DETAILS, formatRows, listRequests } from '../requests.js'
import type { Terminal } from '../terminal.js'
import { readArgument, type Tool } from './tool.js'

const PLAIN: Pick<Terminal, 'style' | 'width'> = { width: Infinity, style: (_, text) => text }
const ID = { type: 'string', description: 'Such as r_4k2xq0_17, from "requests" or "last"' } as const
const SHARED = { required: [], isReadOnly: true, narrow: '' } as const

const last: Tool = {
  ...SHARED,
  name: 'last',
  description:
    'What went wrong last in the app: a failed request or a failed start, with error, file:line, source, calls and queries. Call it first.',
  args: {},
  async run(_args, { input }) {
    const problem = await findLast(await openSource(input))
    if (problem === null) return 'Nothing went wrong'
    return problem.kind === 'request' ? requestToMarkdown(problem) : failureToMarkdown(problem, problem.run)
  },
}

const requests: Tool = {
  ...SHARED,
  name: 'requests',
  description: 'The recorded requests, newest first, with status, duration, flags and id.',
  args: {
    where: { type: 'string', description: 'Filter, such as "status:5xx path:/orders", "status:>=400" or "is:slow"' },
    show: { type: 'string', enum: DETAILS, description: 'Also list these of each request' },
  },
  narrow: 'Or narrow the list with "where", such as "status:5xx".',
  async run(args, { input }) {
    const detail = DETAILS.find((each) => each === args['show']) ?? null
    const rows = await listRequests(await openSource(input), readArgument(args, 'where'), detail)
    return asData(formatRows(rows, PLAIN))
  },
}

const request: Tool = {
  ...SHARED,
  name: 'request',
  description: 'One recorded request, with its error, calls, queries and log lines.',
  args: { id: ID },
  required: ['id'],
  async run(args, { input }) {
    return requestToMarkdown(describeRecord(await findRequest(await openSource(input), readArgument(args, 'id'))))
  },
}

const logs: Tool = {
  ...SHARED,
  name: 'logs',
  description: 'The recorded log lines, newest first.',
  args: { text: { type: 'string', description: 'Only lines with this text, such as "error" or the id of a request' } },
  narrow: 'Or narrow the list with "text".',
  async run(args, { input }) {
    const wanted = readArgument(args, 'text').toLowerCase()
    const all = (await (await openSource(input)).lines()).map((line) => formatLog(line, PLAIN)).toReversed()
    const lines = all.filter((line) => line.toLowerCase().includes(wanted))
    return lines.length === 0 ? 'No log line is recorded, or none matches' : asData(lines.join('\n'))
  },
}

const replay: Tool = {
  ...SHARED,
  name: 'replay',
  description: 'Sends a recorded GET, HEAD or OPTIONS to the running app again, for example after a fix.',
  args: { id: ID },
  required: ['id'],
  isReadOnly: false,
  async run(args, { input }) {
    const id = readArgument(args, 'id')
    const source = await openSource(input)
    const record = await findRequest(source, id)
    const method = record['http.request.method']
    if (!SAFE_METHODS.has(method)) {
      const fix = `A person can run "npx verbena replay ${record.id} --yes"`
      throw new CommandError(`Cannot replay a ${method}, because it may change data. ${fix}`)
    }
    const result = await replayRequest(record, findOrigin(source, id), [])
    return asData(formatResult({ ...result, body: hideSecrets(result.body) }, PLAIN))
  },
}

export const RECORD_TOOLS: readonly Tool[] = [last, requests, request, logs, replay]

/** Hides secrets in a body that the console has not recorded. */
function hideSecrets(body: string): string {
  const secrets = new Secrets()
  const parsed: unknown = valueOr(() => JSON.parse(body), undefined)
  if (parsed === undefined) return secrets.hide(body)
  return JSON.stringify(parsed, (key, value: unknown) => {
    if (secrets.isKey(key)) return REDACTED
    return typeof value === 'string' ? secrets.hide(value) : value
  })
}

function asData(text: string): string {
  return `${DATA_NOTE}\n\n${fence(text)}`
}
