import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { insert } from '#src/router/insert.js'
import { createRouter } from '#src/router/node.js'
import { printRouter } from '#src/router/print.js'
import { parseTemplate } from '#src/router/template.js'

const ROUTES: Readonly<Record<string, string>> = {
  Files: '/files/{path...}',
  Home: '/',
  UserById: '/users/{id}',
  Users: '/users',
  Me: '/users/me',
  Äpfel: '/äpfel',
  Posts: '/users/{id}/posts',
  Anything: '/{rest...}',
  Issue: '/repos/{owner}/{repo}/issues/{number}',
}

function print(owners: readonly string[]): string {
  const router = createRouter<undefined>()
  for (const owner of owners) {
    insert(router, { template: parseTemplate(ROUTES[owner] ?? '', owner), owner, value: undefined })
  }
  return printRouter(router)
}

const TREE = `/  Home
├─ files/{path...}  Files
├─ repos/{owner}/{repo}/issues/{number}  Issue
├─ users  Users
│  ├─ me  Me
│  └─ {id}  UserById
│     └─ posts  Posts
├─ äpfel  Äpfel
└─ {rest...}  Anything`

describe('printRouter()', () => {
  it('draws literals, then parameters, then wildcards', () => {
    assert.equal(print(Object.keys(ROUTES)), TREE)
  })

  it('does not depend on the order of registration', () => {
    assert.equal(print(Object.keys(ROUTES).toReversed()), TREE)
  })

  it('draws an empty router as its root', () => {
    assert.equal(print([]), '/')
  })
})
