/** Options for all responses are free if they are not set: Verbena adds no step, and loads no code. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { responseSteps } from '#src/features/responses/response-steps.js'
import { pipelineFor } from '#src/request/steps.js'
import { TOP_SECTION } from '#src/setup/collect.js'
import { programArguments } from '#test/repository.js'

const NONE = TOP_SECTION.responseSettings

/** Returns the files for these options that one request loads in a child process. */
function loadedWith(options: object): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'answers-'))
  try {
    const args = [...programArguments('test/fixtures/answers/ask.ts'), JSON.stringify(options)]
    execFileSync(process.execPath, args, { env: { ...process.env, NODE_V8_COVERAGE: folder } })
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    const files = /\/src\/((?:http\/(?:compressed|accept)|features\/responses\/(?:cors|compress|security))[\w-]*)\./g
    return [...new Set(texts.flatMap((text) => [...text.matchAll(files)].map(([, name = '']) => name)))].toSorted()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('responseSteps()', () => {
  it('creates only the steps of options that are set', () => {
    assert.deepEqual(Object.values(responseSteps(NONE)), [null, null, null, null, null, false])
    const { length } = pipelineFor(null, [], responseSteps(NONE)).steps
    const all = responseSteps({ cors: { origins: '*' }, securityHeaders: 'api', compression: {} })
    assert.equal(pipelineFor(null, [], all).steps.length, length + 3)
  })

  it('returns the same steps for the same options', () => {
    const options = { ...NONE, cors: { origins: '*' } }
    assert.equal(responseSteps(options), responseSteps(options))
  })

  it('loads only the code of options that are set', () => {
    assert.deepEqual(loadedWith({}), [])
    assert.deepEqual(loadedWith({ cors: { origins: '*' } }), ['features/responses/cors'])
    assert.deepEqual(loadedWith({ securityHeaders: 'api' }), ['features/responses/security-headers'])
    const ofCompression = ['features/responses/compress', 'http/accept-encoding', 'http/compressed-chunks']
    assert.deepEqual(loadedWith({ compression: {} }), ofCompression)
  })
})
