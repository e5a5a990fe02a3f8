/** `surface` and `surfaceFields` of `verbena/prove`: the lines that eight mistakes change. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, apiKey, bearer, createApp, group, provide, Route, type App } from 'verbena'
import { version } from 'verbena/decorators'
import { surface, surfaceFields } from 'verbena/prove'
import { upgrade } from 'verbena/upgrade'
import * as z from 'zod'

const user = bearer(() => ({ name: 'ada' }))
const robot = apiKey({ in: 'header', name: 'X-API-Key' }, () => ({ name: 'robot' }))
const role = provide({ uses: { user }, errors: [403] }, () => true)

/** The mistakes that are made in the app. */
interface Mistakes {
  readonly isDeleteOpen?: boolean
  readonly isGroupMoved?: boolean
  readonly isPublic?: boolean
  readonly hasEmail?: boolean
  readonly hasFallback?: boolean
  readonly hasUpgrade?: boolean
  readonly isVersionOpen?: boolean
  readonly acceptsRobots?: boolean
}

function createNotes(mistakes: Mistakes = {}): App {
  const shape = { id: z.string(), text: z.string() }
  const Note = z.object(mistakes.hasEmail === true ? { ...shape, email: z.string().meta({ personal: true }) } : shape)
  const caller = mistakes.acceptsRobots === true ? anyOf(user, robot) : anyOf(user)

  class Notes extends Route {
    static readonly get = this.contract({ uses: { caller }, returns: z.array(Note) })
    get() {
      return []
    }

    static readonly delete = this.contract({
      returns: null,
      ...(mistakes.isDeleteOpen === true ? {} : { uses: { caller } }),
    })
    delete() {}
  }
  class Reports extends Route {
    static readonly get = this.contract({ returns: Note })
    get() {
      return { id: '1', text: '', email: '' }
    }
  }
  class Welcome extends Route {
    static readonly get = this.contract({ returns: null, ...(mistakes.isPublic === true ? { public: true } : {}) })
    get() {}
  }
  class PricesV1 extends Route {
    static readonly path = '/prices'
    static readonly uses = { user }
    static readonly get = this.contract({ returns: null, decorators: [version('<2.0.0')] })
    get() {}
  }
  class PricesV2 extends Route {
    static readonly path = '/prices'
    static readonly uses = mistakes.isVersionOpen === true ? {} : { user }
    static readonly get = this.contract({ returns: null, decorators: [version('>=2.0.0')] })
    get() {}
  }
  class Anything extends Route {
    static readonly path = '/{path...}'
    static readonly fallback = true
    static readonly get = this.contract({ returns: null })
    get() {}
  }
  const admin = mistakes.isGroupMoved === true ? { Reports } : group({ uses: { role }, routes: { Reports } })
  const routes = {
    ...{ Notes, Welcome, PricesV1, PricesV2, '/admin': admin },
    ...(mistakes.hasFallback === true ? { Anything } : {}),
    ...(mistakes.hasUpgrade === true ? { '/live': upgrade({}, (_, socket) => socket.end()) } : {}),
  }
  return createApp({ routes, openapi: false, devConsole: false, version: '2.0.0' })
}

/** Returns the changed lines, each after the first line of its block. */
function listChanges(mistakes: Mistakes): string[] {
  const [before, after] = [createNotes(), createNotes(mistakes)].map((app) => listLines(surface(app)))
  assert.ok(before !== undefined && after !== undefined)
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
}

function listLines(text: string): string[] {
  return text.split('\n\n').flatMap((block) => {
    const [heading = '', ...lines] = block.trimEnd().split('\n')
    return [heading, ...lines.map((line) => `${heading}:${line}`)]
  })
}

describe('surface()', () => {
  it('lists endpoints by path and method, with guards, inputs and outputs', () => {
    assert.equal(
      surface(createNotes()),
      [
        'verbena surface 1\n',
        'GET /admin/reports',
        '  guard user of provider role: http bearer',
        '  guard role of group /admin: rejects with 403',
        '  out 200 body id',
        '  out 200 body text\n',
        'DELETE /notes',
        '  guard caller of contract Notes.delete: http bearer',
        '  out 204 body (empty)\n',
        'GET /notes',
        '  guard caller of contract Notes.get: http bearer',
        '  out 200 body [].id',
        '  out 200 body [].text\n',
        'GET /prices (versions <2.0.0)',
        '  guard user of class PricesV1: http bearer',
        '  out 204 body (empty)\n',
        'GET /prices (versions >=2.0.0)',
        '  guard user of class PricesV2: http bearer',
        '  out 204 body (empty)\n',
        'GET /welcome',
        '  no guard',
        '  out 204 body (empty)\n',
      ].join('\n'),
    )
  })

  it('is the same for the same app', () => {
    assert.equal(surface(createNotes()), surface(createNotes()))
  })

  it('rejects a value that is not an app', () => {
    const error = { code: 'OPTION_INVALID', message: /"app" of surface\(\): it must be an app of "createApp"/ }
    assert.throws(() => surface(Object({})), error)
  })

  it('names the other copy of Verbena that created an app', () => {
    const mark = { kind: 'an app', version: 1, folder: '/elsewhere' }
    const foreign = Object({ [Symbol.for('verbena.mark')]: mark })
    assert.throws(() => surfaceFields(foreign), /surfaceFields\(\): it is an app of another copy of Verbena/)
  })
})

const MISTAKES: readonly (readonly [name: string, mistakes: Mistakes, changes: readonly string[]])[] = [
  [
    'a guard that one method lost',
    { isDeleteOpen: true },
    ['- DELETE /notes:  guard caller of contract Notes.delete: http bearer', '+ DELETE /notes:  no guard'],
  ],
  [
    'a group moved out of its guards',
    { isGroupMoved: true },
    [
      '- GET /admin/reports:  guard user of provider role: http bearer',
      '- GET /admin/reports:  guard role of group /admin: rejects with 403',
      '+ GET /admin/reports:  no guard',
    ],
  ],
  [
    'a new "public"',
    { isPublic: true },
    ['- GET /welcome:  no guard', '+ GET /welcome:  public by contract Welcome.get'],
  ],
  [
    'a field in a schema of two endpoints',
    { hasEmail: true },
    ['+ GET /admin/reports:  out 200 body email (personal)', '+ GET /notes:  out 200 body [].email (personal)'],
  ],
  [
    'a fallback',
    { hasFallback: true },
    [
      '+ GET /{path...} (fallback)',
      '+ GET /{path...} (fallback):  no guard',
      '+ GET /{path...} (fallback):  in path path (undescribed)',
      '+ GET /{path...} (fallback):  out 204 body (empty)',
    ],
  ],
  [
    'an upgrade',
    { hasUpgrade: true },
    [
      '+ GET /live (upgrade websocket)',
      '+ GET /live (upgrade websocket):  guard origin of the upgrade: rejects requests from other origins',
      '+ GET /live (upgrade websocket):  no guard',
      '+ GET /live (upgrade websocket):  in messages (undescribed)',
      '+ GET /live (upgrade websocket):  out messages (undescribed)',
    ],
  ],
  [
    'a version without the guard of the other versions',
    { isVersionOpen: true },
    [
      '- GET /prices (versions >=2.0.0):  guard user of class PricesV2: http bearer',
      '+ GET /prices (versions >=2.0.0):  no guard',
    ],
  ],
  [
    'a further scheme of anyOf',
    { acceptsRobots: true },
    [
      '- DELETE /notes:  guard caller of contract Notes.delete: http bearer',
      '- GET /notes:  guard caller of contract Notes.get: http bearer',
      '+ DELETE /notes:  guard caller of contract Notes.delete: http bearer or apiKey in header X-API-Key',
      '+ GET /notes:  guard caller of contract Notes.get: http bearer or apiKey in header X-API-Key',
    ],
  ],
]

describe('surface() after a mistake', () => {
  for (const [name, mistakes, changes] of MISTAKES) {
    it(`shows ${name}`, () => {
      assert.deepEqual(listChanges(mistakes), changes)
    })
  }
})

describe('surfaceFields()', () => {
  it('returns fields by name, with their marks, places and guards', () => {
    const fields = surfaceFields(createNotes({ hasEmail: true }))
    assert.deepEqual(
      fields.map(({ field }) => field),
      ['', 'email', 'id', 'text'],
    )
    const place = { status: 200, source: 'body', notes: [] }
    assert.deepEqual(fields[1], {
      field: 'email',
      marks: ['personal'],
      leaves: [
        {
          ...{ ...place, by: 'GET /admin/reports', path: 'email' },
          for: ['guard user of provider role: http bearer', 'guard role of group /admin: rejects with 403'],
        },
        { ...place, by: 'GET /notes', path: '[].email', for: ['guard caller of contract Notes.get: http bearer'] },
      ],
    })
  })
})
