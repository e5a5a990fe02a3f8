import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readModel } from '#src/reference/model.js'
import { authenticationView, requirementsView } from '#src/reference/security-view.js'
import { plainText } from '#test/reference.js'

const section = (securitySchemes: object) =>
  plainText(authenticationView(readModel({ components: { securitySchemes } })))

describe('authenticationView()', () => {
  it('says how each kind of scheme is sent', () => {
    const rows: readonly (readonly [scheme: object, text: RegExp])[] = [
      [{ type: 'http', scheme: 'bearer' }, /a HTTP bearer Send the header Authorization: Bearer \$TOKEN \.$/],
      [{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, /a HTTP bearer JWT Send/],
      [{ type: 'http', scheme: 'Basic' }, /HTTP Basic Send the header Authorization: Basic \$BASIC \.$/],
      [{ type: 'apiKey', in: 'header', name: 'X-Key' }, /API key Send the header X-Key: \$API_KEY \.$/],
      [{ type: 'apiKey', in: 'query', name: 'key' }, /Add key=\$API_KEY to the query of the URL\.$/],
      [
        { type: 'apiKey', in: 'cookie', name: 'sid' },
        /Send the cookie sid \. A browser does this by itself after signing in\.$/,
      ],
      [
        { type: 'mutualTLS', description: 'Ask us.' },
        /mutual TLS Connect with a TLS certificate of the client\. Ask us\.$/,
      ],
      [
        { type: 'openIdConnect', openIdConnectUrl: '/openid' },
        /OpenID Connect Send the header Authorization: Bearer \$TOKEN \. The configuration is at \/openid \.$/,
      ],
      [{ type: 'other' }, /a other Send the header/],
    ]
    for (const [scheme, text] of rows) assert.match(section({ a: scheme }), text)
  })

  it('lists the flows and scopes of OAuth', () => {
    const flows = { clientCredentials: { tokenUrl: '/token', scopes: { 'users:read': 'Read users' } } }
    assert.match(
      section({ a: { type: 'oauth2', flows } }),
      /OAuth 2\.0 .* Flow clientCredentials Token URL \/token users:read Read users$/,
    )
  })

  it('is missing without schemes', () => {
    assert.equal(authenticationView(readModel({})), null)
  })
})

describe('requirementsView()', () => {
  const view = (security: unknown, others: object = {}) =>
    plainText(requirementsView(readModel(others as Record<string, unknown>), { security }))

  it('names the alternatives', () => {
    assert.equal(view([{ a: [], b: [] }, { c: [] }]), 'Requires a + b or c')
    assert.equal(view([{ a: [] }, {}]), 'Requires a , or no credentials')
  })

  it('uses the requirements of the document unless the operation has its own', () => {
    assert.equal(view(undefined, { security: [{ all: [] }] }), 'Requires all')
    assert.equal(view([], { security: [{ all: [] }] }), '')
  })
})
