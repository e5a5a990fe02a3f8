/** Marks in every place of a credential appear in no output of the console, the log or the responses. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { before, describe, it } from 'node:test'
import type { FromConsole } from '#src/cli/dev/message-types.js'
import { RecordSender } from '#src/cli/dev/send-records.js'
import { describeProblem, describeRecord } from '#src/devconsole/wire/describe-record.js'
import { requestToMarkdown } from '#src/devconsole/wire/record-text.js'
import { formatRequest } from '#src/cli/records/format-request.js'
import type { InRun } from '#src/devconsole/wire/describe-record.js'
import type { ConsoleSource } from '#src/devconsole/record/dev-lines.js'
import type { ShownRecord } from '#src/devconsole/wire/view-types.js'
import { toSendable, toCurl, toFetch, toHttp } from '../../console/page/pure/messages.js'
import { formatTitle } from '#test/attack-rows.js'
import { spreadMarks, type CopiesOf, type Outputs, type Place } from '#test/taint.js'

const copiesOf: CopiesOf = (records, url) => {
  const sendable = records.map((record) => toSendable(record, url))
  return [
    ['copies as cURL', sendable.map(toCurl).join('\n')],
    ['copies as fetch', sendable.map(toFetch).join('\n')],
    ['copies as HTTP', records.map((record) => toHttp(record, '')).join('\n')],
  ]
}

/** Returns the messages of the app to `verbena dev`, and the output of its commands. */
function commandOutputs(sent: readonly FromConsole[]): [string, string][] {
  const records = sent.flatMap((message): InRun<ShownRecord>[] => {
    return message.verbena === 'record' ? [{ ...JSON.parse(message.text), run: 1 }] : []
  })
  const terminal = { style: (_: string, text: string) => text }
  const shown = records.map(describeRecord)
  return [
    ['messages to verbena dev', JSON.stringify(sent)],
    ['verbena request', shown.map((request) => formatRequest(request, terminal)).join('\n')],
    ['verbena request --json', JSON.stringify(shown)],
    ['verbena request --markdown', shown.map(requestToMarkdown).join('\n')],
    ['lines of verbena dev', JSON.stringify(records.map(describeProblem))],
  ]
}

let count = 0
/** Creates a unique mark that does not occur by chance. */
const mark = (): string => `Mk${String(count++).padStart(3, '0')}q7Zv`

/** Property names whose values are secret. */
const NAMES = [
  ...['password', 'newPassword', 'currentPassword', 'password_confirmation', 'passwd', 'pwd', 'userPwd', 'passphrase'],
  ...['pass-code', 'secret', 'clientSecret', 'client_secret', 'secretAccessKey', 'token', 'authToken', 'accessToken'],
  ...['refresh_token', 'idToken', 'tokens', 'csrfToken', 'deviceToken2', 'apiKey', 'API_KEY', 'x-api-key', 'apikey'],
  ...['privateKey', 'accessKeyId', 'signingKey', 'authorization', 'credentials', 'awsCredential', 'cookie', 'session'],
  ...[
    'sessionId',
    'user_session',
    'connect.sid',
    'card',
    'creditCard',
    'card_number',
    'cvv',
    'cardCvc',
    'pin',
    'userPIN',
  ],
  ...['otp', 'otpCode', 'recoveryCodes', 'jwt', 'iban', 'ssn', 'newpassword', 'accesstoken', 'stripeSECRET'],
]
const HEADERS = [
  ...['X-Vault-Token', 'Private-Token', 'X-Goog-Api-Key', 'X-Api-Key', 'X-Auth-Token', 'X-Amz-Security-Token'],
  'Webhook-Signature',
  'Svix-Signature',
  ...['X-CSRF-Token', 'X-Session-Id', 'Proxy-Authorization', 'X-Client-Secret', 'PRIVATE-TOKEN', 'X-Partner'],
]

function places(): Place[] {
  return [...fieldPlaces(), ...targetPlaces(), ...bodyPlaces(), ...formPlaces(), ...authorPlaces(), ...formsOfText()]
}

const swapCase = (name: string): string => (name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase())
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Creates a place whose value is the mark itself, which the app copies. */
function spreading(place: string, of: (value: string) => Partial<Place>): Place {
  const value = mark()
  return { place, marks: [value], spread: value, ...of(value) }
}

function fieldPlaces(): Place[] {
  const password = mark()
  const encoded = base64(`ann:${password}`)
  return [
    ...HEADERS.map((name) => spreading(`the header ${name}`, (value) => ({ headers: { [name]: value } }))),
    spreading('a bearer token', (value) => ({ headers: { authorization: `Bearer ${value}` } })),
    spreading('credentials of a custom scheme', (value) => ({ headers: { authorization: `Token ${value}` } })),
    {
      place: 'basic credentials',
      marks: [password, encoded],
      spread: password,
      headers: { authorization: `Basic ${encoded}` },
    },
    {
      place: 'basic credentials, encoded',
      marks: [encoded],
      spread: encoded,
      headers: { authorization: `Basic ${encoded}` },
    },
    // The console caches headers by name, so each name occurs again with other letters and other values.
    ...HEADERS.map((name) =>
      spreading(`the header ${name} again`, (value) => ({ headers: { [swapCase(name)]: value, accept: value } })),
    ),
    spreading('a secret header, copied to public headers', (value) => ({
      headers: { 'x-api-key': value, 'x-note': `note ${value}`, 'user-agent': value, origin: `https://${value}.test` },
    })),
    spreading('a bearer token, copied to a public header', (value) => ({
      headers: { authorization: `bearer ${value}`, 'x-note': value },
    })),
    ...['x-note', 'accept-language', 'user-agent'].map((name) =>
      spreading(`a form in the header ${name}`, (value) => ({
        spread: undefined,
        headers: { [name]: `a Bearer ${value}, password=${value} https://ann:${value}@host/` },
      })),
    ),
    spreading('a long header with a secret at its start', (value) => ({
      spread: undefined,
      headers: { 'x-note': `token=${value} ${'a '.repeat(3_000)}` },
    })),
    spreading('a cookie in quotes', (value) => ({ headers: { cookie: `a=b; sid="${value}"` } })),
    spreading('the second cookie of a name', (value) => ({ headers: { cookie: `token=none1; token=${value}` } })),
    spreading('a cookie, copied to a public header', (value) => ({
      headers: { cookie: `session=${value}`, referer: `http://localhost/a/${value}` },
    })),
    spreading('the cookie of a session', (value) => ({ headers: { cookie: `theme=dark; sid=${value}` } })),
    spreading('a cookie that an API key names', (value) => ({ headers: { cookie: `badge=${value}; a=b` } })),
    spreading('a long cookie of any name', (value) => ({
      spread: `${value}${'x'.repeat(8)}`,
      headers: { cookie: `c=${value}${'x'.repeat(8)}` },
    })),
    spreading('an encoded cookie', (value) => ({
      spread: `${value}/a b`,
      headers: { cookie: `sid=${encodeURIComponent(`${value}/a b`)}` },
    })),
  ]
}

function targetPlaces(): Place[] {
  return [
    spreading('a path parameter', (value) => ({ path: `/taint/${value}/item` })),
    spreading('a query key that an API key names', (value) => ({ query: `club=${value}` })),
    ...['access_token', 'apiKey', 'user[password]', 'newPassword', 'otp'].map((name) =>
      spreading(`the query key ${name}`, (value) => ({ query: `page=2&${encodeURIComponent(name)}=${value}` })),
    ),
    ...['filter[auth][token]', 'a.password', 'api key', 'API-KEY', 'id_token'].map((name) =>
      spreading(`the query key ${name}`, (value) => ({ query: `${encodeURIComponent(name)}=${value}&page=3` })),
    ),
    spreading('a query key with encoded letters', (value) => ({ query: `%70assword=${value}` })),
    spreading('a repeated query key', (value) => ({ query: `token=none2&token=${value}` })),
    spreading('a secret query value that is also a public one', (value) => ({ query: `pin=${value}&note=${value}` })),
    spreading('a form in a public query key', (value) => ({
      spread: undefined,
      query: `next=${encodeURIComponent(`https://ann:${value}@host/?token=${value}`)}`,
    })),
    spreading('a query key with encoded characters', (value) => ({
      spread: `a/${value}?"b`,
      query: `secret=${encodeURIComponent(`a/${value}?"b`)}`,
    })),
    spreading('the query of a referer', (value) => ({
      spread: undefined,
      headers: { referer: `http://localhost/login?authToken=${value}` },
    })),
  ]
}

function bodyPlaces(): Place[] {
  const number = 777_000_777_123
  return [
    ...NAMES.map((name) => spreading(`the property ${name}`, (value) => ({ body: { [name]: value } }))),
    spreading('a nested property', (value) => ({ body: { a: [{ b: { newPassword: value } }] } })),
    spreading('a value in an object of secrets', (value) => ({ body: { credentials: { user: 'ann', word: value } } })),
    spreading('a property in a list in a list', (value) => ({ body: { list: [[{ token: [value] }], 'public'] } })),
    spreading('a property beside its copies', (value) => ({
      body: { note: value, pin: value, list: [`it is ${value}`] },
    })),
    spreading('a value that is also a property name', (value) => ({
      body: { secret: value, [value]: 1, [`a ${value}`]: 2 },
    })),
    spreading('a property of a long body', (value) => ({ body: { pad: 'x'.repeat(17_000), password: value } })),
    spreading('a property after many others', (value) => ({
      body: { ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, index])), token: value },
    })),
    spreading('a form of text in a public property', (value) => ({
      spread: undefined,
      body: { note: `authToken=${value} and Bearer ${value}`, url: `https://ann:${value}@host/` },
    })),
    spreading('a property with escaped characters', (value) => ({
      spread: `"${value}"\n/`,
      body: { password: `"${value}"\n/` },
    })),
    { place: 'a number', marks: [String(number)], spread: number, body: { pin: number } },
    spreading('a long value', (value) => {
      const long = `${value}${'0123456789'.repeat(200)}`
      return { spread: long, body: { token: long } }
    }),
    spreading('a value of six characters', (value) => {
      const short = `Zq${value.slice(2, 5)}k`
      return { marks: [short], spread: short, body: { otp: short } }
    }),
  ]
}

function formPlaces(): Place[] {
  return ['newPassword', 'card_number', 'user[pin]', 'client-secret', 'a.token', 'PASSWORD', 'csrf_token'].map((name) =>
    spreading(`the form field ${name}`, (value) => ({ body: `a=1&${encodeURIComponent(name)}=${value}` })),
  )
}

/** Secrets of application code, recognizable by their name or form. */
function authorPlaces(): Place[] {
  const made = (place: string, act: (value: string) => NonNullable<Place['act']>): Place => {
    const value = mark()
    return { place, marks: [value], act: act(value) }
  }
  return [
    made('an argument for a password parameter', (value) => (vault) => vault.login('ann@example.com', value)),
    made(
      'an argument after a destructured parameter',
      (value) => (vault) => vault.send('ann', { subject: value.slice(0, 3) }, value),
    ),
    made('a value that was passed as a password before', (value) => (vault) => {
      vault.login('ann', value)
      vault.take(value, { note: value })
    }),
    made('a named argument', (value) => (vault) => vault.take(value, { authToken: value }, [value])),
    made(
      'a field of a log line',
      (value) => (_, logger) => logger.info({ own: true, secretAccessKey: value, a: value }, value),
    ),
    made(
      'a key-value pair in a log line',
      (value) => (_, logger) => logger.info({ own: true }, `called with authToken=${value}`),
    ),
    made(
      'JSON in a log line',
      (value) => (_, logger) => logger.info({ own: true }, JSON.stringify({ newPassword: value })),
    ),
  ]
}

/** Secrets recognizable by their form, in errors, causes, log lines, arguments and responses. */
function formsOfText(): Place[] {
  const forms: readonly (readonly [string, (value: string) => string])[] = [
    ['a URL with a slash in its password', (value) => `postgres://ann:a/${value}@db/x`],
    ['a URL with special characters in its password', (value) => `see https://ann:p@ss/${value}?#@host/path`],
    ['a URL with a secret in its query', (value) => `GET https://host/a?creditCard=${value}&b=1`],
    ['a bearer token in a string', (value) => `sent Bearer ${value}`],
    ['basic credentials in a string', (value) => `Basic ${base64(`ann:${value}`)}`],
    ['a JSON Web Token', (value) => `eyJhbGciOiJIUzI1NiJ9.${value}.c2ln`],
    ['a private key', (value) => `-----BEGIN PRIVATE KEY-----\n${value}\n-----END PRIVATE KEY-----`],
  ]
  return forms.map(([place, write]) => {
    const value = mark()
    return { place, marks: [value, base64(`ann:${value}`)], spread: write(value), isPlain: true }
  })
}

describe('marks in every place of a credential', () => {
  const all = places()
  let outputs: Outputs
  before(async () => {
    const sent: FromConsole[] = []
    const attach = (published: unknown): void => {
      // Proof: the console publishes its source.
      const source = published as ConsoleSource
      source.observe(new RecordSender(source, (message) => sent.push(message) > 0))
    }
    subscribe('verbena:dev:console', attach)
    outputs = new Map([...(await spreadMarks(all, copiesOf)), ...commandOutputs(sent)])
    unsubscribe('verbena:dev:console', attach)
  })

  for (const { place, marks } of all) {
    it(formatTitle({ rule: `appear in no output: ${place}`, source: 'CWE-532, CWE-200' }), () => {
      const leaks = marks.flatMap((text) =>
        [...outputs].flatMap(([name, output]) => (output.includes(text) ? [name] : [])),
      )
      assert.deepEqual(leaks, [], `${place} appears in ${leaks.join(', ')}`)
    })
  }

  it(formatTitle({ rule: 'do not hide other values', source: 'the suite itself' }), () => {
    for (const [output, text] of [
      ['the store', 'page=2'],
      ['the live feed', 'called with authToken=redacted'],
      ['HAR', 'theme'],
      ['lines of JSON', 'Cannot use redacted'],
      ['lines of a terminal', 'It is redacted'],
      ['error answers', 'limit'],
      ['messages to verbena dev', 'page=2'],
      ['verbena request', 'page=2'],
    ] as const) {
      const isShown = outputs.get(output)?.includes(text) === true
      assert.equal(isShown, text !== 'theme', `${output}: ${text}`)
    }
  })
})
