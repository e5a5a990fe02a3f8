/** The section about authentication, and the schemes of an operation. */
import { listEntries, listOrEmpty, objectOrEmpty, stringOrEmpty, type JsonRecord } from '../openapi/reading/json.js'
import { markup, type Html } from './html.js'
import { MAX_ITEMS, type Model } from './model.js'
import { paragraphs } from './text.js'

/** Place of a credential in a request, with a placeholder that a shell replaces. */
interface Credential {
  readonly place: 'header' | 'query' | 'cookie'
  readonly name: string
  readonly value: string
}

export function authenticationView({ schemes }: Model): Html | null {
  if (schemes.length === 0) return null
  return markup`<section id="authentication"><h2>Authentication</h2>${schemes.map(schemeView)}</section>`
}

function schemeView([name, scheme]: readonly [name: string, scheme: JsonRecord]): Html {
  const flows = listEntries(scheme['flows']).map(([flow, about]) => flowView(flow, objectOrEmpty(about)))
  return markup`<div class="card"><h3>${name} <small>${schemeKind(scheme)}</small></h3>${howToSend(scheme)}${paragraphs(stringOrEmpty(scheme['description']))}${flows}</div>`
}

function schemeKind(scheme: JsonRecord): string {
  const type = stringOrEmpty(scheme['type'])
  if (type === 'http') return `HTTP ${stringOrEmpty(scheme['scheme'])} ${stringOrEmpty(scheme['bearerFormat'])}`.trim()
  return KINDS.get(type) ?? type
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['apiKey', 'API key'],
  ['oauth2', 'OAuth 2.0'],
  ['openIdConnect', 'OpenID Connect'],
  ['mutualTLS', 'mutual TLS'],
])

function howToSend(scheme: JsonRecord): Html {
  const credential = toCredential(scheme)
  if (credential === null) return markup`<p>Connect with a TLS certificate of the client.</p>`
  const { place, name, value } = credential
  const discovery = stringOrEmpty(scheme['openIdConnectUrl'])
  const from = discovery !== '' && markup` The configuration is at <code>${discovery}</code>.`
  if (place === 'header') return markup`<p>Send the header <code>${name}: ${value}</code>.${from}</p>`
  if (place === 'query') return markup`<p>Add <code>${name}=${value}</code> to the query of the URL.</p>`
  return markup`<p>Send the cookie <code>${name}</code>. A browser does this by itself after signing in.</p>`
}

const FLOW_URLS = [
  ['Authorization', 'authorizationUrl'],
  ['Token', 'tokenUrl'],
  ['Refresh', 'refreshUrl'],
  ['Device authorization', 'deviceAuthorizationUrl'],
] as const

function flowView(name: string, flow: JsonRecord): Html {
  const urls = FLOW_URLS.flatMap(([title, key]) =>
    typeof flow[key] === 'string' ? [markup`<li>${title} URL <code>${flow[key]}</code></li>`] : [],
  )
  const scopes = listEntries(flow['scopes'])
    .slice(0, MAX_ITEMS)
    .map(([scope, about]) => markup`<li><b>${scope}</b> ${stringOrEmpty(about)}</li>`)
  return markup`<details><summary>Flow ${name}</summary><ul class=f>${urls}${scopes}</ul></details>`
}

/** Returns how a scheme is sent; `null` for a certificate. */
export function toCredential(scheme: JsonRecord): Credential | null {
  const { type, in: place } = scheme
  if (type === 'mutualTLS') return null
  if (type === 'apiKey') {
    const where = place === 'query' || place === 'cookie' ? place : 'header'
    return { place: where, name: stringOrEmpty(scheme['name']), value: where === 'cookie' ? '$COOKIE' : '$API_KEY' }
  }
  const word = stringOrEmpty(scheme['scheme']) || 'Bearer'
  const isBasic = word.toLowerCase() === 'basic'
  const name = `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
  return { place: 'header', name: 'Authorization', value: `${name} ${isBasic ? '$BASIC' : '$TOKEN'}` }
}

/** Returns the alternatives of an operation. The schemes of one alternative are required together. */
export function listRequirements({ document }: Model, about: JsonRecord): readonly (readonly string[])[] {
  const alternatives = listOrEmpty(about['security'] ?? document['security']).slice(0, MAX_ITEMS)
  return alternatives.map((each) => listEntries(each).map(([name]) => name))
}

/** Returns a sentence about the credentials of an operation; `null` if it needs none. */
export function requirementsView(model: Model, about: JsonRecord): Html | null {
  const alternatives = listRequirements(model, about)
  const named = alternatives.filter((names) => names.length > 0)
  if (named.length === 0) return null
  const list = named.map((names, index) => [
    index > 0 && ' or ',
    markup`<b>${names.slice(0, MAX_ITEMS).join(' + ')}</b>`,
  ])
  const optional = named.length < alternatives.length && ', or no credentials'
  return markup`<p class="auth"><a href="#authentication">Requires</a> ${list}${optional}</p>`
}
