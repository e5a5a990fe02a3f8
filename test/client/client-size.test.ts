import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { build } from 'esbuild'

describe('verbena/client in a browser', () => {
  it('has less than 8,000 bytes minified, and does not use Node APIs', async () => {
    const contents = `export { createClient } from 'verbena/client'`
    const alias = { 'verbena/client': new URL(import.meta.resolve('verbena/client')).pathname }
    const { outputFiles } = await build({
      ...{ stdin: { contents, resolveDir: '.' }, alias, bundle: true, minify: true, write: false },
      ...{ format: 'esm', platform: 'browser', target: 'es2022', logLevel: 'error' },
    })
    const [file] = outputFiles
    assert.ok(file)
    assert.ok(file.contents.length < 8000, `it is ${file.contents.length} bytes`)
    assert.doesNotMatch(file.text, /node:|\bprocess\b|\bBuffer\b/)
  })
})
