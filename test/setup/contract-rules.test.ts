import { describe, it } from 'node:test'
import { bytes, form, json, Route, text } from 'verbena'
import { file } from 'verbena/files'
import { idempotency } from 'verbena/idempotency'
import { multipart } from 'verbena/multipart'
import { assertSetupError, createUntypedApp, looseContract } from '#test/apps.js'
import * as z from 'zod'

describe('checkContractRules()', () => {
  it('rejects a body for get, also in an inherited contract', () => {
    class Users extends Route {
      static readonly get = this.contract({ body: z.object({}) })
      get() {}
    }
    class Members extends Users {}
    const create = (routeClass: typeof Users) => () => createUntypedApp({ routes: { [routeClass.name]: routeClass } })
    assertSetupError(create(Users), 'CONTRACT_INVALID', 'Users.get', 'a GET request has no body', '"query"', '"post"')
    assertSetupError(create(Members), 'CONTRACT_INVALID', 'Members.get')
  })

  const BODY = z.object({ text: z.string() })

  /** Creates an app with one QUERY endpoint. */
  function createQuery(contract: object) {
    class Search extends Route {
      static readonly query = looseContract(this, contract)
      query() {}
    }
    return createUntypedApp({ routes: { Search } })
  }

  it('accepts a body with a media type for query', () => {
    for (const body of [BODY, json(BODY), text({ types: ['application/sql'] }), bytes()]) createQuery({ body })
    createQuery({ body: BODY, returns: { 200: BODY, 303: null, 308: null }, etag: false })
    createQuery({ body: BODY, returns: BODY, etag: true })
  })

  it('rejects query without a body, and with a form', () => {
    const rejects = (contract: object, ...parts: readonly string[]): void =>
      assertSetupError(() => createQuery(contract), 'CONTRACT_INVALID', '"Search.query"', ...parts)
    rejects({}, 'a QUERY request has a body', 'change the method to "get"')
    const isForm = 'must not be a form'
    rejects({ body: form(BODY) }, isForm)
    rejects({ body: multipart(BODY) }, isForm)
    rejects({ body: text({ types: ['text/plain', 'application/x-www-form-urlencoded'] }) }, isForm)
    rejects({ body: bytes({ types: ['multipart/mixed'] }) }, isForm)
  })

  it('rejects files, idempotency keys, and the redirects 301 and 302 for query', () => {
    const rejects = (contract: object, ...parts: readonly string[]): void =>
      assertSetupError(() => createQuery({ body: BODY, ...contract }), 'CONTRACT_INVALID', '"Search.query"', ...parts)
    rejects({ returns: file() }, 'only valid for GET')
    rejects(
      { returns: BODY, idempotency: idempotency({ by: () => 'all', ttl: 60_000 }) },
      'not valid for QUERY',
      'always retry',
    )
    rejects({ returns: { 200: BODY, 302: null } }, 'the status 302', 'Use 303')
    rejects({ returns: null, status: 301 }, 'the status 301')
  })

  it('rejects etag for methods that change something', () => {
    class Users extends Route {
      static readonly put = this.contract({ returns: BODY, etag: true })
      put() {
        return { text: '' }
      }
    }
    const create = () => createUntypedApp({ routes: { Users } })
    assertSetupError(create, 'CONTRACT_INVALID', '"etag" is only valid for GET and QUERY', 'precondition')
  })
})
