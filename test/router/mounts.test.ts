import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Mounts } from '#src/router/mounts.js'
import { parseTemplate } from '#src/router/template.js'

describe('Mounts', () => {
  const mounts = new Mounts(
    ['/', '/{any}', '/a/{b}', '/a', '/a/b', '/{any}/b'].map((text) => ({
      template: parseTemplate(text, 'Test'),
      value: text,
    })),
  )

  const FOUND: readonly (readonly [path: string, mount: string])[] = [
    ...([
      ['/', '/'],
      ['//a', '/'],
      ['/a', '/a'],
      ['/a/', '/a'],
      ['/ab', '/{any}'],
      ['/a/b', '/a/b'],
    ] as const),
    ...([
      ['/a/b/c/d', '/a/b'],
      ['/a/c', '/a/{b}'],
      ['/a/c/', '/a/{b}'],
      ['/x/b', '/{any}/b'],
      ['/x/y', '/{any}'],
    ] as const),
  ]
  for (const [path, mount] of FOUND) {
    it(`finds ${mount} for ${path}`, () => {
      assert.equal(mounts.of(path), mount)
    })
  }

  it('returns undefined for a path outside all mounts', () => {
    const [one] = [new Mounts([{ template: parseTemplate('/a/b', 'Test'), value: 1 }])]
    assert.deepEqual(
      ['/a', '/', '/b/a', '/a/bc'].map((path) => one.of(path)),
      [undefined, undefined, undefined, undefined],
    )
  })
})
