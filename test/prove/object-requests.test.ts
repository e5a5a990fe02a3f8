// own process: it changes environment variables, because proofs refuse to run in production
/** `authorization` with `objects`: its options, requests with sessions or without an example, and setup errors. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listFindings, MatrixFile, USERS, type User } from '#test/proof.js'
import { bearer, createApp, HttpError, Route, type Input } from 'verbena'
import type { ActorOption, AuthorizationOptions, ObjectProof } from 'verbena/prove'
import { session, signedIn } from 'verbena/session'
import * as z from 'zod'

interface Note {
  readonly id: string | number
  readonly owner: string
  text: string
}

/** An app of notes with a method for each part of it. */
function createNotes(
  change: {
    readonly list?: (notes: readonly Note[], user: User) => unknown
    readonly read?: (note: Note | undefined, user: User) => unknown
    readonly id?: (count: number) => string | number
    readonly text?: z.ZodType<string>
  } = {},
) {
  const user = bearer((token) => USERS.get(token))
  const notes: Note[] = []
  const isOwn =
    ({ name }: User) =>
    (note: Note): boolean =>
      note.owner === name
  const read = (note: Note | undefined, user: User): unknown => {
    if (note === undefined || note.owner !== user.name) throw new HttpError(404)
    return note
  }
  const body = z.object({ text: change.text ?? z.string() })
  class Notes extends Route {
    static readonly path = '/teams/{team}/notes'
    static readonly get = this.contract({ uses: { user } })
    static readonly post = this.contract({ uses: { user }, body, status: 201 })
    async get({ user }: Input<typeof Notes.get>) {
      return change.list === undefined ? notes.filter(isOwn(user)) : change.list(notes, user)
    }
    async post({ body, user, params }: Input<typeof Notes.post>) {
      const id = change.id?.(notes.length) ?? `n-${notes.length + 10}`
      if (params.team !== 'a') throw new HttpError(404, 'No such team')
      notes.push({ id, owner: user.name, text: body.text })
      return { note: { id } }
    }
  }
  class NoteById extends Route {
    static readonly path = '/teams/{team}/notes/{noteId}'
    static readonly get = this.contract({ uses: { user } })
    async get({ user, params }: Input<typeof NoteById.get>) {
      return (change.read ?? read)(
        notes.find(({ id }) => String(id) === params.noteId),
        user,
      )
    }
  }
  class Share extends Route {
    static readonly path = '/share/{noteId}'
    static readonly post = this.contract({ uses: { user }, body })
    async post({ user, params }: Input<typeof Share.post>) {
      read(
        notes.find(({ id }) => String(id) === params.noteId),
        user,
      )
    }
  }
  return createApp({ routes: { Notes, NoteById, Share }, openapi: false })
}

const NOTES: ObjectProof = {
  create: { as: 'ada', call: 'POST /teams/{team}/notes', params: { team: 'a' }, id: 'body.note.id' },
}
const TWO = { ada: { bearer: 't-ada' }, eve: { bearer: 't-eve' } }

async function proveNotes(
  change: Parameters<typeof createNotes>[0],
  notes: ObjectProof = NOTES,
  examples: AuthorizationOptions['examples'] = {},
): Promise<readonly string[]> {
  using file = new MatrixFile()
  const run = file.update(createNotes(change), { actors: TWO, objects: { notes }, examples })
  return (await listFindings(run)).map((line) => line.replace(/ \(\w+\)/, ''))
}

describe('authorization(): objects with options', () => {
  it('binds parameters of the path of the creation, and reads the id below the body', async () => {
    assert.deepEqual(await proveNotes({}), [])
  })

  it('checks a path elsewhere only if "bind" names its parameter', async () => {
    const open = { read: (note: Note | undefined) => note ?? null }
    const bind = { noteId: 'body.note.id' } as const
    assert.deepEqual(await proveNotes({}, { ...NOTES, bind }), [])
    const findings = await proveNotes(open, { ...NOTES, bind })
    assert.deepEqual(findings, [
      `GET /teams/{team}/notes/{noteId}: eve used the object of ada (200): curl -X GET 'http://localhost/teams/a/notes/n-10' # with the credentials of eve`,
    ])
  })

  it('accepts shared endpoints, and an object whose existence is public', async () => {
    const everybody = { list: (notes: readonly Note[]) => notes }
    const [found] = await proveNotes(everybody)
    assert.match(String(found), /^GET \/teams\/\{team\}\/notes: eve finds the object of ada in the list: curl/)
    assert.deepEqual(await proveNotes(everybody, { ...NOTES, shared: ['GET /teams/{team}/notes'] }), [])
    const known = {
      read: (note: Note | undefined, user: User) => {
        if (note?.owner === user.name) return note
        throw new HttpError(note === undefined ? 404 : 403)
      },
    }
    const [told] = await proveNotes(known)
    assert.match(
      String(told),
      /: eve gets 403 for it and 404 for an unknown id, which tells that it exists: curl .*n-65'/,
    )
    assert.deepEqual(await proveNotes(known, { ...NOTES, existence: 'public' }), [])
  })

  it('does not accept a list that is empty for its owner, and an object that its owner cannot read', async () => {
    assert.match(
      String(await proveNotes({ list: () => [] })),
      /notes: undecided, because the list of ada does not contain the object: curl/,
    )
    assert.match(
      String(await proveNotes({ read: () => assert.fail('down') })),
      /undecided, because ada created the object and cannot read it: the status is 500: curl[^,]*,[^,]*: eve undecided for the object of ada \(500\)/,
    )
  })

  it('requests the ids beside a number', async () => {
    const read = (note: Note | undefined, user: User): unknown => {
      if (note?.id === 8 && user.name === 'eve') return note
      if (note?.owner !== user.name) throw new HttpError(404)
      return note
    }
    const app = { id: (count: number) => count + 7, read }
    // The first note is made by an example of another kind, so that the second one is beside it.
    using file = new MatrixFile()
    const objects = { first: NOTES, second: NOTES }
    const lines = await listFindings(file.update(createNotes(app), { actors: TWO, objects }))
    assert.match(
      lines.join('\n'),
      /eve used the object of ada \(200\): curl -X GET 'http:\/\/localhost\/teams\/a\/notes\/8'/,
    )
    const beside = { id: (count: number) => count + 8, read }
    const more = await listFindings(file.update(createNotes(beside), { actors: TWO, objects }))
    assert.match(
      more.join('\n'),
      /eve reads the object beside it \(200\): curl -X GET 'http:\/\/localhost\/teams\/a\/notes\/8'/,
    )
  })

  it('needs an example for input that the schemas cannot provide', async () => {
    const text = z.string().regex(/^[a-z]+-[0-9]$/)
    const notes = { ...NOTES, bind: { noteId: 'body.note.id' } } as const
    const message = /ada cannot create "notes" with POST \/teams\/\{team\}\/notes: the status is 422\. Set "body"/
    await assert.rejects(proveNotes({ text }, notes), { code: 'PROOF_INVALID', message })
    const create = { ...NOTES.create, body: { text: 'x-1' } }
    assert.match(
      String(await proveNotes({ text }, { ...notes, create })),
      /POST \/share\/\{noteId\}: eve undecided for the object of ada \(422\)/,
    )
    const examples = { 'POST /share/{noteId}': { body: { text: 'x-1' } } }
    assert.deepEqual(await proveNotes({ text }, { ...notes, create }, examples), [])
  })

  it('reports a request without valid input once for all actors', async () => {
    using file = new MatrixFile()
    const notes = { ...NOTES, bind: { noteId: 'body.note.id' } } as const
    const actors = { ...TWO, mallory: { bearer: 't-mallory' } }
    // The path of this id removes a segment.
    const run = file.update(createNotes({ id: () => '..' }), { actors, objects: { notes } })
    const lines = (await listFindings(run)).filter((line) => line.includes('needs an example'))
    assert.ok(lines.length > 0, String(lines))
    assert.equal(new Set(lines).size, lines.length)
  })

  const WRONG: readonly (readonly [notes: object, code: string, message: RegExp])[] = [
    [
      { create: { ...NOTES.create, as: 'adda' } },
      'PROOF_INVALID',
      /"adda" is not an actor\. Did you mean "ada"\? The actors are ada, eve/,
    ],
    [{ ...NOTES, may: ['grace'] }, 'PROOF_INVALID', /"grace" is not an actor\. The actors are/],
    [
      { create: { ...NOTES.create, call: 'POST /notes' } },
      'PROOF_INVALID',
      /no endpoint has the name "POST \/notes"\. The endpoints are POST/,
    ],
    [{ ...NOTES, shared: ['GET /notes'] }, 'PROOF_INVALID', /no endpoint has the name "GET \/notes"/],
    [
      { create: { ...NOTES.create, params: { team: 'b' } } },
      'PROOF_INVALID',
      /cannot create "notes" .*: the status is 404/,
    ],
    [
      { create: { ...NOTES.create, id: 'body.id' } },
      'PROOF_INVALID',
      /the response of POST .* has no string or number at "body\.id"/,
    ],
    [{ create: { ...NOTES.create, id: 'location' } }, 'PROOF_INVALID', /has no string or number at "location"/],
    [
      { create: { ...NOTES.create, id: 'id' } },
      'OPTION_INVALID',
      /"create\.id" of the objects "notes": it must be 'location' or/,
    ],
    [
      { create: { ...NOTES.create, call: 'GET /teams/{team}/notes' }, may: [] },
      'PROOF_INVALID',
      /has no string or number/,
    ],
    [
      { create: { as: 'ada', call: 'POST /share/{noteId}', id: 'body.id' } },
      'PROOF_INVALID',
      /no endpoint has the path "\/share\/\{noteId\}\/\{id\}"/,
    ],
  ]
  for (const [notes, code, message] of WRONG) {
    it(`rejects objects: ${message.source.slice(0, 50)}`, async () => {
      await assert.rejects(proveNotes({}, Object(notes)), { code, message })
    })
  }
})

describe('authorization(): objects with sessions', () => {
  it('sends the cookies of rotating sessions, and compares only the status of an object that always changes', async () => {
    using file = new MatrixFile()
    const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
    const user = signedIn(visitor, (name: unknown) => String(name))
    const owners = new Map<number, string>()
    let reads = 0
    class Login extends Route {
      static readonly path = '/login/{name}'
      static readonly post = this.contract({ uses: { visitor } })
      async post({ params, visitor }: Input<typeof Login.post>) {
        visitor.start(params.name)
      }
    }
    class Items extends Route {
      static readonly post = this.contract({ uses: { user, visitor } })
      async post({ user, visitor }: Input<typeof Items.post>) {
        visitor.start(user)
        owners.set(owners.size + 1, user)
        return { id: owners.size }
      }
    }
    class ItemById extends Route {
      static readonly path = '/items/{id}'
      static readonly get = this.contract({ uses: { user, visitor }, params: z.object({ id: z.int().max(9) }) })
      static readonly delete = this.contract({ uses: { user }, params: z.object({ id: z.int() }) })
      async get({ user, visitor, params }: Input<typeof ItemById.get>) {
        visitor.start(user)
        if (owners.get(params.id) !== user) throw new HttpError(404)
        return { reads: ++reads }
      }
      async delete({ params }: Input<typeof ItemById.delete>) {
        owners.delete(params.id)
      }
    }
    const app = createApp({ routes: { Login, Items, ItemById }, openapi: false })
    const signIn =
      (name: string): ActorOption =>
      ({ fetch }) =>
        fetch(`/login/${name}`, { method: 'POST' })
    const objects: Record<string, ObjectProof> = {
      items: { create: { as: 'ada', call: 'POST /items', id: 'body.id' } },
    }
    const actors = { ada: signIn('ada'), eve: signIn('eve') }
    const lines = await listFindings(file.update(app, { actors, objects }))
    assert.deepEqual(
      lines.map((line) => line.replace(/ \(\w+\)/, '').replace(/: curl.*/, '')),
      [
        'DELETE /items/{id}: eve used the object of ada (204)',
        'DELETE /items/{id}: eve left ada with 404 for the object, and got 204',
      ],
    )
  })
})
