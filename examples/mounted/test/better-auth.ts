/** Better Auth over sockets, with its own client. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAuthClient } from 'better-auth/client'
import { json, start } from './start.js'

const ADA_USER = { name: 'ada', email: 'ada@example.com', password: 'lovelace-1815' }

/** Returns the `Cookie` header for the cookies that a response sets. */
function formatCookies(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

describe('Better Auth', () => {
  it('signs up, in and out with its client, and a route reads the session', async (t) => {
    const { url } = await start(t)
    let cookie = ''
    const client = createAuthClient({
      baseURL: url,
      fetchOptions: {
        onSuccess: ({ response }) => void (cookie = formatCookies(response.headers) || cookie),
        onRequest: (context) => void context.headers.set('cookie', cookie),
        headers: { origin: url },
      },
    })
    assert.equal((await client.signUp.email(ADA_USER)).data?.user.name, 'ada')
    cookie = ''
    const { email, password } = ADA_USER
    const wrong = await client.signIn.email({ email, password: 'wrong-password' })
    assert.deepEqual([wrong.error?.status, wrong.error?.code], [401, 'INVALID_EMAIL_OR_PASSWORD'])
    assert.equal((await fetch(`${url}/me`)).status, 401)
    await client.signIn.email({ email, password })
    assert.match(cookie, /^better-auth\.session_token=/)
    assert.equal((await client.getSession()).data?.user.name, 'ada')
    assert.deepEqual(await (await fetch(`${url}/me`, { headers: { cookie } })).json(), { name: 'ada' })
    assert.deepEqual((await client.signOut()).data, { success: true })
    assert.equal((await fetch(`${url}/me`, { headers: { cookie } })).status, 401)
  })

  it('sends its cookies and errors unchanged', async (t) => {
    const { url } = await start(t)
    const user = { ...ADA_USER, email: 'second@example.com' }
    const signedUp = await fetch(`${url}/api/auth/sign-up/email`, json(user, { origin: url }))
    assert.equal(signedUp.status, 200)
    const [cookie = ''] = signedUp.headers.getSetCookie()
    assert.match(cookie, /^better-auth\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    const again = await fetch(`${url}/api/auth/sign-up/email`, json(user, { origin: url }))
    assert.equal(again.status, 422)
    assert.equal(Object(await again.json()).code, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL')
    const crossSite = await fetch(
      `${url}/api/auth/sign-out`,
      json({}, { origin: 'https://evil.example', cookie: formatCookies(signedUp.headers) }),
    )
    assert.equal(crossSite.status, 403)
    assert.deepEqual(await (await fetch(`${url}/api/auth/ok`)).json(), { ok: true })
    const head = await fetch(`${url}/api/auth/ok`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [404, ''])
    assert.equal((await fetch(`${url}/api/auth/none`)).status, 404)
    assert.equal((await fetch(`${url}/api/auth/sign-in/email`, { ...json(0), body: '{' })).status, 400)
  })
  it('counts its rate limits by the address that Verbena found', async (t) => {
    const { url } = await start(t)
    const statuses = new Set<number>()
    for (let count = 0; count < 4; count += 1) {
      const headers = { origin: url, 'x-client-ip': `192.0.2.${count}`, 'x-forwarded-for': `192.0.2.${count}` }
      const body = { email: 'none@example.com', password: 'wrong-password' }
      const { status } = await fetch(`${url}/api/auth/sign-in/email`, json(body, headers))
      statuses.add(status)
    }
    // Three attempts in ten seconds is its default for paths that sign in.
    assert.equal([...statuses].at(-1), 429)
  })
})
