/** Inputs without lists, and without a number or boolean beside a string, are read as they always were: the bytes are listed here. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, form, Route, type Input } from 'verbena'
import * as z from 'zod'

const members = z.object({
  n: z.number().optional(),
  i: z.int().optional(),
  b: z.boolean().optional(),
  s: z.string().optional(),
  e: z.enum(['a', '1']).optional(),
  u: z.union([z.int(), z.string()]).optional(),
  t: z.array(z.string()).optional(),
  p: z.array(z.int()).optional(),
})

class Values extends Route {
  static readonly path = '/values/{i}'
  static readonly get = this.contract({
    params: members.pick({ i: true }),
    query: members,
    headers: members.pick({ s: true, n: true, u: true }),
    cookies: members.pick({ b: true, e: true }),
  })
  async get({ params, query, headers, cookies }: Input<typeof Values.get>) {
    return [params, query, headers, cookies]
  }
  static readonly post = this.contract({ body: form(members) })
  async post({ body }: Input<typeof Values.post>) {
    return body
  }
}

const app = createApp({ routes: { Values }, logger: false })
const NO_NUMBER = 'Invalid input: expected number, received string'

const ROWS: readonly (readonly [target: string, init: RequestInit, status: number, body: string])[] = [
  ['/values/5', {}, 200, '[{"i":5},{},{},{}]'],
  [
    '/values/1?n=1.5&i=2&b=true&s=3&e=1&u=4&t=a&t=b,c&p=6&p=7',
    { headers: { s: 'a,b', n: '8', u: '9', cookie: 'b=false; e=a' } },
    200,
    '[{"i":1},{"n":1.5,"i":2,"b":true,"s":"3","e":"1","u":"4","t":["a","b,c"],"p":[6,7]},{"s":"a,b","n":8,"u":"9"},{"b":false,"e":"a"}]',
  ],
  ['/values/1?t=a&p=6&s[]=x', {}, 200, '[{"i":1},{"t":["a"],"p":[6]},{},{}]'],
  [
    '/values/1,2?n=x&p=x',
    {},
    422,
    `[{"in":"params","pointer":"/i","message":"${NO_NUMBER}"},{"in":"query","pointer":"/n","message":"${NO_NUMBER}"},{"in":"query","pointer":"/p/0","message":"${NO_NUMBER}"}]`,
  ],
  [
    '/values/1?s=a&s=b&i=1.5',
    {},
    422,
    '[{"in":"query","pointer":"/s","message":"Expected one value"},{"in":"query","pointer":"/i","message":"Invalid input: expected int, received number"}]',
  ],
  [
    '/values/1',
    { method: 'POST', body: new URLSearchParams('n=1&b=false&t=a&t=b&u=5&e=1') },
    200,
    '{"n":1,"b":false,"e":"1","u":"5","t":["a","b"]}',
  ],
]

describe('inputs without commas, brackets or mixed types', () => {
  for (const [target, init, status, body] of ROWS) {
    it(`sends the same bytes as before: ${init.method ?? 'GET'} ${target}`, async () => {
      const response = await app.fetch(new Request(`http://localhost${target}`, init))
      const text = await response.text()
      assert.equal(response.status, status)
      assert.equal(status === 422 ? JSON.stringify(JSON.parse(text).errors) : text, body)
    })
  }
})
