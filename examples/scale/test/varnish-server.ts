/** Varnish for a test, without a configuration: nothing but the address of the app. */
import { existsSync } from 'node:fs'
import { OwnServer } from '../../postgres/test/own-server.js'

/** Path in Debian's package. */
const DEBIAN = '/usr/sbin/varnishd'

export class VarnishServer {
  readonly #own = new OwnServer(
    { name: 'Varnish', path: findBinary(), ready: 'said Child starts', crash: 'SIGTERM' },
    {},
  )

  get url(): string {
    return `http://127.0.0.1:${this.#own.port}`
  }

  /** @param backend port of the app */
  start(backend: number): Promise<void> {
    const folder = `${this.#own.folder}/work`
    const settings = ['-b', `127.0.0.1:${backend}`, '-n', folder, '-p', 'vsl_space=1M']
    return this.#own.start((port) => ['-j', 'none', '-F', '-a', `127.0.0.1:${port}`, ...settings])
  }

  /** Stops Varnish, and removes its folder. */
  remove(): Promise<void> {
    return this.#own.remove()
  }
}

function findBinary(): string {
  const known = process.env['VARNISH_BIN'] ?? DEBIAN
  if (existsSync(known)) return known
  throw new Error(
    `Cannot find Varnish: there is no ${known}. Install it: apt-get install varnish. Or name it: VARNISH_BIN`,
  )
}
