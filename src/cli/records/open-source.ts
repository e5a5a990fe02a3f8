/** Opens `verbena dev` of this folder, or the console of an app at a URL. */
import type { ShownRecord } from '../../devconsole/wire/view-types.js'
import { CommandError, readString, type CommandInput, type CommandOption } from '../command.js'
import { openConsole } from './console-source.js'
import { openDev } from './dev-source.js'
import type { InRun } from '../../devconsole/wire/describe-record.js'
import type { RecordSource } from './record-source.js'

/** Options of all commands that read records. */
export const SOURCE_OPTIONS: Readonly<Record<'pid' | 'url' | 'allow-remote', CommandOption>> = {
  pid: { type: 'string', value: '<pid>', help: 'Process id of "verbena dev", if several run here' },
  url: { type: 'string', value: '<url>', help: 'Address of a running app, instead of "verbena dev"' },
  'allow-remote': { type: 'boolean', help: 'Accept a URL of another machine' },
}

export async function openSource(input: CommandInput): Promise<RecordSource> {
  const url = readString(input, 'url')
  if (url === undefined) return openDev(readString(input, 'pid'))
  return openConsole(url, input.values['allow-remote'] === true)
}

/** Returns a request, or throws a `CommandError` if it is not stored. */
export async function findRequest(source: RecordSource, id: string): Promise<InRun<ShownRecord>> {
  const record = await source.request(id)
  if (record !== null) return record
  throw new CommandError(`Cannot show "${id}": no request with this id is stored. "verbena requests" lists them`)
}
