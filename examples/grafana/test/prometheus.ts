/** Prometheus from Debian's package: `promtool`, and a server for a test. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { OwnServer } from '../../postgres/test/own-server.js'

/** Folder in Debian's package. */
const DEBIAN = '/usr/bin'
const Answer = z.object({ data: z.unknown() })
const Vector = z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) })
const Rule = z.object({ name: z.string(), health: z.string() })
const Rules = z.object({ groups: z.array(z.object({ rules: z.array(Rule) })) })

/** Returns the path of a program. */
export function findProgram(name: 'prometheus' | 'promtool'): string {
  const path = join(process.env['PROMETHEUS_BIN'] ?? DEBIAN, name)
  if (existsSync(path)) return path
  throw new Error(
    `Cannot find Prometheus: there is no ${path}. Install it: apt-get install prometheus. Or name its folder: PROMETHEUS_BIN`,
  )
}

/** A server with one configuration. */
export class Prometheus {
  readonly #own = new OwnServer(
    { name: 'Prometheus', path: findProgram('prometheus'), ready: 'Server is ready', crash: 'SIGKILL' },
    {},
  )

  get url(): string {
    return `http://127.0.0.1:${this.#own.port}`
  }

  /** Starts the server with a prometheus.yml. */
  async start(config: string): Promise<void> {
    const file = join(this.#own.folder, 'prometheus.yml')
    writeFileSync(file, config)
    const storage = `--storage.tsdb.path=${join(this.#own.folder, 'data')}`
    await this.#own.start((port) => [`--config.file=${file}`, storage, `--web.listen-address=127.0.0.1:${port}`])
  }

  /** Returns the values of an expression. */
  async query(expression: string): Promise<number[]> {
    const { result } = Vector.parse(await this.#get(`query?${new URLSearchParams({ query: expression })}`))
    return result.map(({ value }) => Number(value[1]))
  }

  /** Waits until an expression has a value. */
  async waitFor(expression: string): Promise<void> {
    for (const end = Date.now() + 30_000; Date.now() < end; await sleep(200)) {
      if ((await this.query(expression)).length > 0) return
    }
    throw new Error(`Prometheus has no value for ${expression}`)
  }

  /** Returns the rules, and whether Prometheus can evaluate them. */
  async listRules(): Promise<z.output<typeof Rule>[]> {
    return Rules.parse(await this.#get('rules')).groups.flatMap(({ rules }) => rules)
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(`${this.url}/api/v1/${path}`)
    const text = await response.text()
    if (!response.ok) throw new Error(`Prometheus responds with ${response.status}: ${text}`)
    return Answer.parse(JSON.parse(text)).data
  }

  remove(): Promise<void> {
    return this.#own.remove()
  }
}
