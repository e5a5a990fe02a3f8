import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, provide, Route } from 'verbena'
import * as z from 'zod'
import { captureLog, sendRequest, type Line } from '#test/apps.js'

const page = provide({ query: z.object({ pageSize: z.int().optional() }) }, ({ query }) => query.pageSize ?? null)
const guard = provide({ guard: true, query: z.object({ key: z.string().optional() }) }, () => null)

class Books extends Route {
  static readonly get = this.contract({
    uses: { page, guard },
    query: z.object({ tag: z.array(z.string()).optional(), sort_by: z.string().optional(), q: z.string().optional() }),
  })
  async get() {
    return null
  }
  static readonly post = this.contract({ query: z.object({ q: z.string().optional() }) })
  async post() {
    return null
  }
}

class Open extends Route {
  static readonly get = this.contract({ query: z.looseObject({ q: z.string().optional() }) })
  async get() {
    return null
  }
}

class Bare extends Route {
  static readonly get = this.contract({ returns: null })
  async get() {}
}

async function linesFor(...requests: readonly (readonly [target: string, method?: string])[]): Promise<unknown[]> {
  const { logger, lines } = captureLog()
  await using app = createApp({ routes: { Books, Open, Bare }, logger, devConsole: false })
  for (const [target, method = 'GET'] of requests) await sendRequest(app, target, { method })
  return lines
    .filter(({ message = '' }: Line) => message.startsWith('Query parameter ignored'))
    .map(({ level, fields }) => [level, fields['method'], fields['parameter'], fields['known']])
}

describe('similarKeyReporter()', () => {
  it('reports parameters that differ by brackets, case, "-" or "_"', async () => {
    assert.deepEqual(await linesFor(['/books?q[]=a&Tag=b&sortBy=c&page-size=1&KEY=x']), [
      ['warn', 'GET', 'q[]', 'q'],
      ['warn', 'GET', 'Tag', 'tag'],
      ['warn', 'GET', 'sortBy', 'sort_by'],
      ['warn', 'GET', 'page-size', 'pageSize'],
      ['warn', 'GET', 'KEY', 'key'],
    ])
  })

  it('reports once for each endpoint and known parameter', async () => {
    const lines = await linesFor(['/books?Q=1'], ['/books?Q=2'], ['/books?q_=3'], ['/books?Q=4', 'POST'])
    assert.deepEqual(lines, [
      ['warn', 'GET', 'Q', 'q'],
      ['warn', 'POST', 'Q', 'q'],
    ])
  })

  it('reports neither known parameters nor lists nor different names', async () => {
    assert.deepEqual(await linesFor(['/books?q=1&tag[]=a&query=b&tags=c'], ['/open?Q=1'], ['/bare?Q=1']), [])
  })

  it('cuts a name at 100 characters', async () => {
    const [line] = await linesFor([`/books?q${'-'.repeat(200)}=1`])
    assert.deepEqual(line, ['warn', 'GET', `q${'-'.repeat(99)}`, 'q'])
  })
})
