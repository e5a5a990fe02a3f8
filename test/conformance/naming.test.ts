/** Kebab case of names; each row checks the function and, at compile time, the type. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kebabCase, type KebabCase } from '#src/naming/kebab-case.js'

type Row<Name extends string> = readonly [name: Name, expected: KebabCase<Name>]

// Does not compile if the expected string differs from the type.
function row<const Name extends string>(name: Name, expected: KebabCase<Name>): Row<Name> {
  return [name, expected]
}

const TABLE: readonly (readonly [name: string, expected: string])[] = [
  row('UserProfiles', 'user-profiles'),
  row('APIStatus', 'api-status'),
  row('Home', 'home'),
  row('OAuth2Tokens', 'o-auth2-tokens'),
  row('HTTP2Server', 'http2-server'),
  row('StatusAPI', 'status-api'),
  row('A', 'a'),
  row('AB', 'ab'),
  row('ABc', 'a-bc'),
  row('AbC', 'ab-c'),
  row('AbCD', 'ab-cd'),
  row('userById', 'user-by-id'),
  row('V2', 'v2'),
  row('V2Beta3', 'v2-beta3'),
  row('X509Certificate', 'x509-certificate'),
  row('ISO8601', 'iso8601'),
  row('Base64URL', 'base64-url'),
  row('A1B2', 'a1-b2'),
  row('User_Profiles', 'user-profiles'),
  row('user_profiles', 'user-profiles'),
  row('USER_PROFILES', 'user-profiles'),
  row('API_Status', 'api-status'),
  row('_Users', 'users'),
  row('Users_', 'users'),
  row('__Users$$', 'users'),
  row('User__By$Id', 'user-by-id'),
  row('$Users', 'users'),
  row('A_1', 'a-1'),
  row('_', ''),
  row('', ''),
  row('ÄpfelÖl', 'äpfel-öl'),
  row('CaféÀLaCarte', 'café-à-la-carte'),
  row('ПривітСвіт', 'привіт-світ'),
  row('ΟΔΟΣ', 'οδος'),
  row('ΟδόςΝέα', 'οδός-νέα'),
  row('Straße', 'straße'),
  row('用户', '用户'),
  row('User用户List', 'user用户-list'),
  row('API用户', 'api用户'),
  row('user-profiles', 'user-profiles'),
]

describe('kebabCase() and KebabCase', () => {
  for (const [name, expected] of TABLE) {
    it(`converts "${name}" to "${expected}"`, () => {
      assert.equal(kebabCase(name), expected)
    })
  }

  it('does not compile for a different string', () => {
    // @ts-expect-error - the type is the exact text
    assert.notEqual(kebabCase(row('APIStatus', 'a-p-i-status')[0]), 'a-p-i-status')
  })
})
