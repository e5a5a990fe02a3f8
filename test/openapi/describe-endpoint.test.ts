import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, text, type Input } from 'verbena'
import { version } from 'verbena/decorators'
import { idempotency } from 'verbena/idempotency'
import * as z from 'zod'
import type { OpenApiDocument } from '#src/setup/document-types.js'
import type { RouteList } from '#src/devconsole/wire/view-types.js'
import { read } from '#test/console.js'

class Prices extends Route {
  static readonly path = '/prices/{id}'
  static readonly get = this.contract({ query: z.object({ old: z.boolean() }), summary: 'Old' })

  @version('<2.0.0')
  get({ query }: Input<typeof Prices.get>) {
    return query
  }
}

class NewPrices extends Route {
  static readonly path = '/prices/{id}'
  static readonly get = this.contract({ query: z.object({ limit: z.number() }), summary: 'New' })

  @version('>=2.0.0 <4.0.0')
  get({ query }: Input<typeof NewPrices.get>) {
    return query
  }
}

class Newest extends Route {
  static readonly path = '/'

  @version('>=3.1.0')
  get() {
    return ''
  }
}

class Files extends Route {
  static readonly path = '/größe/{path...}'

  get() {
    return ''
  }
}

class Hidden extends Route {
  static readonly get = this.contract({ hidden: true })

  get() {
    return ''
  }
}

describe('endpointOfAll()', () => {
  it('describes the endpoints of all versions in the document of the console', async () => {
    const routes = { Prices, NewPrices, Newest, Files, Hidden }
    await using app = createApp({ routes, version: '1.5.0', logger: false, devConsole: true })
    const { url } = await app.listen()
    const document = await read<OpenApiDocument>(`${url}/__dev__/api/openapi`)
    assert.equal(document.openapi, '3.2.0', 'it has a place for everything, whatever version the app publishes')
    const list = await read<RouteList>(`${url}/__dev__/api/routes`)
    const found = list.routes.map(({ id, operation }) => {
      if (operation === null) return [id, null]
      const [path, method] = operation
      const { summary, parameters = [] } = Object(document.paths[path])[method]
      return [id, summary, parameters.map(({ name }: { name: string }) => name).join(' ')]
    })
    assert.deepEqual(found, [
      ['Prices.get', 'Old', 'id old accept-version'],
      ['NewPrices.get', 'New', 'id limit accept-version'],
      ['Newest.get', undefined, 'accept-version'],
      ['Files.get', undefined, 'path'],
      ['Hidden.get', null],
    ])
    const forms = list.routes.flatMap(({ operation }) => {
      if (operation === null) return []
      const { fields } = Object(document.paths[operation[0]])[operation[1]]['x-form']
      return [fields.find(({ name }: { name: string }) => name === 'accept-version')?.value]
    })
    assert.deepEqual(forms, ['1.5.0', '2.0.0', '3.1.0', undefined])
    assert.deepEqual(Object.keys(app.openapi().paths), ['/prices/{id}', '/gr%C3%B6%C3%9Fe/{path}'])
  })

  it('adds an example to the version header only, not to a required idempotency key', async () => {
    const once = idempotency({ by: () => 'ann', ttl: 1_000, required: true })
    class Payments extends Route {
      static readonly post = this.contract({
        idempotency: once,
        body: text(),
        returns: text(),
      })

      @version('>=2.0.0')
      post({ body }: Input<typeof Payments.post>) {
        return body
      }
    }
    await using app = createApp({ routes: { Payments }, version: '1.5.0', logger: false, devConsole: true })
    const { url } = await app.listen()
    const { paths } = await read<OpenApiDocument>(`${url}/__dev__/api/openapi`)
    const [{ post = null } = {}] = Object.values(paths)
    assert.deepEqual(
      post?.parameters?.map(({ name, schema }) => [name, Object.keys(Object(schema))]),
      [
        ['accept-version', ['type', 'example', 'x-type']],
        ['Idempotency-Key', ['type', 'minLength', 'maxLength', 'x-type']],
      ],
    )
  })
})
