/** Responses of the package undici, which has another `Response` class than Node.js. */
import { fetch } from 'undici'
import { Route, type Input } from 'verbena'
import { mount } from 'verbena/mount'

/** Passes requests below the path on to another server. */
export function mountProxy(path: string, origin: string) {
  return mount(({ url, method, headers, signal }) => {
    const { pathname, search } = new URL(url)
    const target = new URL(pathname.slice(path.length) + search, origin)
    return fetch(target, {
      method,
      headers: [...headers].filter(([name]) => name !== 'host'),
      signal,
      redirect: 'manual',
    })
  })
}

/** A route that returns such a response. */
export class Upstream extends Route<{ origin: string }> {
  static readonly path = '/fetched'
  async get({ signal }: Input) {
    return await fetch(new URL('/text', this.origin), { signal })
  }
}
