/** Places of syntax errors. Node names them only on standard error, when they end a process. */
import { spawnSync } from 'node:child_process'
import { Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { valueOr } from '../values/value-or.js'
import { readScript, showPath, type SourcePlace } from '../prove/source-places.js'

/** Watches for scripts with a syntax error. The result returns the place in the first one, and stops watching. */
export function watchSyntax(): () => SourcePlace | null {
  const failed: { readonly scriptId: string; readonly url: string }[] = []
  // Without permission for the inspector, places stay unknown.
  const session = valueOr(inspect, null)
  session?.on('Debugger.scriptFailedToParse', ({ params }) => failed.push(params))
  session?.post('Debugger.enable')
  return () => {
    const [first] = failed.filter(({ url }) => url.startsWith('file:'))
    if (session === null) return null
    const line = first === undefined ? 0 : findLine(readScript(session, first.scriptId))
    session.disconnect()
    return first === undefined || line === 0 ? null : { file: showPath(fileURLToPath(first.url)), line }
  }
}

function inspect(): Session {
  const session = new Session()
  session.connect()
  return session
}

/** Returns the line of the syntax error in a module, from another process that only parses it; 0 if it is unknown. */
function findLine(input: string): number {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--check', '-'], {
    input,
    encoding: 'utf8',
    env: {},
  })
  return Number(/^\[stdin\]:(\d+)/.exec(stderr)?.[1] ?? 0)
}
