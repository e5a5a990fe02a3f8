/** `npm run visit`: sends requests to the example at a URL. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { programArguments } from '#test/repository.js'

interface Ended {
  readonly code: number | null
  readonly printed: string
}

function visit(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const command = [...programArguments('examples/users/visit.ts'), ...args]
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { env: { ...process.env, ...env } }, (_, out, err) =>
      resolve({ code: child.exitCode, printed: out + err }),
    )
  })
}

describe('npm run visit', () => {
  it('visits the given URL, or the port in PORT', async () => {
    const paths: (string | undefined)[] = []
    const server = createServer((request, response) => {
      paths.push(request.url)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    const root = `http://127.0.0.1:${address.port}`
    for (const [args, env] of [
      [[root], { PORT: '1' }],
      [[`${root}/`], { PORT: '1' }],
      [[], { PORT: String(address.port) }],
    ] as const) {
      paths.length = 0
      const { code, printed } = await visit(args, env)
      assert.equal(code, 0, printed)
      assert.match(printed, new RegExp(`^Visited ${root}: 18 × 200\\. `))
      assert.equal(paths[0], '/home')
    }
    server.close()
  })

  it('prints the usage if the URL is invalid', async () => {
    for (const args of [['localhost:3001'], ['nowhere'], ['http://127.0.0.1:1', 'http://127.0.0.1:2']]) {
      const { code, printed } = await visit(args)
      assert.deepEqual(
        [code, printed],
        [1, `Cannot visit "${args.join(' ')}": write "npm run visit -- http://127.0.0.1:3001"\n`],
      )
    }
  })
})
