/** Apps of `verbena dev` for tests. */
import { join } from 'node:path'
import { ask, saveFile, startDev, type DevCommand } from '#test/dev-command.js'
import { createDirectory } from '#test/temp-directory.js'

/** Responds with its version and process. Prints its port. */
export const APP = `import { createServer } from 'node:http'
const version = 1
const server = createServer((request, response) => {
  if (request.url === '/end') process.exit(3)
  if (request.url.startsWith('/busy')) {
    for (const end = Date.now() + 500; Date.now() < end; );
    if (request.url === '/busy-end') process.exit(3)
    else server.close()
  }
  setTimeout(() => response.end(JSON.stringify({ version, pid: process.pid, mode: process.env.NODE_ENV })), Number.parseInt(request.url.slice(1)))
})
server.listen(0, '127.0.0.1', () => console.log('port', server.address().port, 'pid', process.pid))
`

export const MANIFEST = { 'package.json': '{"type":"module"}' }

export interface StartedDev {
  readonly folder: string
  readonly dev: DevCommand
  readonly port: number
  readonly save: (text: string, name?: string) => void
  /** Saves a file, and waits for the restart. */
  readonly restart: (text: string, name?: string) => Promise<void>
}

/** Starts `verbena dev` on an app, and waits for its port. */
export async function startApp(
  app: string,
  args: readonly string[] = [],
  pattern: RegExp = /port (\d+)/,
): Promise<StartedDev> {
  const folder = createDirectory({ ...MANIFEST, 'app.js': app })
  const dev = startDev(folder, ['app.js', ...args])
  const [, port] = await dev.printed(pattern)
  const save = (text: string, name = 'app.js'): void => saveFile(join(folder, name), text)
  const restart = async (text: string, name?: string): Promise<void> => {
    const restarted = dev.next('restart')
    save(text, name)
    await restarted
  }
  return { folder, dev, port: Number(port), save, restart }
}

/** Returns the app with another version. */
export const nextApp = (version: number | string): string => APP.replace('version = 1', `version = ${version}`)

export async function readVersion(port: number): Promise<unknown> {
  return JSON.parse((await ask({ port })).text).version
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
