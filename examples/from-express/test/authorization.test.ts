/** The proof of authorization of step 3: who may call what, and whether a user can change the notes of another one. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { authorization, type ActorOption } from 'verbena/prove'
import { createStep3 } from '../step-3.js'

process.env['NODE_ENV'] = 'test'
process.env['UPDATE'] = '1'
delete process.env['CI']

const directory = mkdtempSync(join(tmpdir(), 'proof-'))
after(() => rmSync(directory, { recursive: true }))

function signIn(name: string, password: string): ActorOption {
  const headers = { 'content-type': 'application/json' }
  return ({ fetch }) => fetch('/session', { method: 'POST', headers, body: JSON.stringify({ name, password }) })
}

it('lets users delete only their own notes', async () => {
  const file = join(directory, 'authorization.txt')
  const actors = { ada: signIn('ada', 'correct horse'), eve: signIn('eve', 'battery staple'), nobody: {} }
  // All clients may read notes, so a 403 reveals nothing. All users may add a photo.
  const shared = ['GET /notes', 'GET /notes/{id}', 'GET /notes/{id}/photo', 'POST /notes/{id}/photo']
  const create = { as: 'ada', call: 'POST /notes', body: { text: 'Buy tea' }, id: 'body.id' } as const
  const objects = { notes: { create, shared, existence: 'public' } } as const
  const { created } = await authorization(createStep3(), { actors, file, objects, subtests: false })
  assert.match(String(created), /^notes 1, by ada with POST \/notes/)
  assert.match(readFileSync(file, 'utf8'), /\nreached  reached  401      DELETE \/notes\/\{id\}\n/)
})
