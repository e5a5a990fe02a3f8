/** End-to-end rows on requests: a request to the app of `e2e-app.ts`, and the expected response. */
import { SECRET } from '#test/e2e-app.js'
import type { WireRequest } from '#test/e2e.js'
import type { Rule } from '#test/attack-rows.js'

export interface Row extends WireRequest, Rule {
  readonly reach: 'wire' | 'both'
  readonly status: number
  /** Expected headers; `null` for a header that must be missing. */
  readonly has?: Readonly<Record<string, string | null>>
  /** Expected body: JSON or a string. For a problem, only its detail and extension members. */
  readonly gives?: unknown
}

export const JSON_TYPE = { 'content-type': 'application/json' }
/** A user as responses contain it. */
export const ADA = { name: 'Ada', age: 36, id: '1' }
const GRACE = { name: 'Grace', id: '2' }
/** JSON of a user with a name of 2 MB. */
export const BIG = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) })

/** Requests are sent in process and over a socket, or only over a socket if a web `Request` cannot represent them. */
export const REQUEST_ROWS: readonly Row[] = [
  {
    rule: 'strips properties that the returns schema does not declare',
    source: 'Verbena: responses contain only declared properties',
    reach: 'both',
    target: '/user-profiles',
    status: 200,
    gives: [ADA, GRACE],
  },
  {
    rule: 'converts query strings to integers',
    source: 'Verbena: strings are converted for schemas of type integer',
    reach: 'both',
    target: '/user-profiles?limit=1',
    status: 200,
    gives: [ADA],
  },
  {
    rule: 'passes a path parameter to the method',
    source: 'RFC 3986 §3.3',
    reach: 'both',
    target: '/users/1',
    status: 200,
    gives: ADA,
  },
  {
    rule: 'sends an HttpError as problem details',
    source: 'RFC 9457 §3',
    reach: 'both',
    target: '/users/7',
    status: 404,
    gives: { detail: 'No user 7' },
  },
  {
    rule: 'sends an object as JSON with Content-Length',
    source: 'RFC 9110 §8.6',

    reach: 'both',
    target: '/home',
    status: 200,
    gives: { hello: 'world' },
    has: { 'content-type': 'application/json', 'content-length': '17', 'x-content-type-options': 'nosniff' },
  },
  {
    rule: 'responds to HEAD like GET, without content',
    source: 'RFC 9110 §9.3.2',

    reach: 'both',
    method: 'HEAD',
    target: '/home',
    status: 200,
    gives: '',
    has: { 'content-type': 'application/json', 'content-length': '17' },
  },
  {
    rule: 'responds to HEAD of an unknown path like GET, without content',
    source: 'RFC 9110 §9.3.2',

    reach: 'both',
    method: 'HEAD',
    target: '/none',
    status: 404,
    gives: '',
    has: { 'content-type': 'application/problem+json' },
  },
  {
    rule: 'responds to OPTIONS with the methods of the path',
    source: 'RFC 9110 §9.3.7',

    reach: 'both',
    method: 'OPTIONS',
    target: '/user-profiles',
    status: 204,
    gives: '',
    has: { allow: 'GET, HEAD, OPTIONS, POST', 'content-length': null },
  },
  {
    rule: 'lists the methods of the path in a 405',
    source: 'RFC 9110 §15.5.6',

    reach: 'both',
    method: 'PUT',
    target: '/user-profiles',
    status: 405,
    has: { allow: 'GET, HEAD, OPTIONS, POST' },
    gives: { detail: 'This path only supports GET, HEAD, OPTIONS, POST' },
  },
  {
    rule: 'responds 501 to a method that no route can have',
    source: 'RFC 9110 §9.1, §15.6.2',
    reach: 'both',
    method: 'PROPFIND',
    target: '/home',
    status: 501,
  },
  {
    rule: 'does not serve helper methods of a route class',
    source: 'Verbena: only methods named after verbs are endpoints',
    reach: 'both',
    target: '/user-profiles/get-by-id',
    status: 404,
  },
  { rule: 'is case-sensitive', source: 'RFC 3986 §6.2.2.1', reach: 'both', target: '/User-Profiles', status: 404 },
  {
    rule: 'does not match a path with a trailing slash',
    source: 'bypasses by a second reading of the path',
    reach: 'both',
    target: '/user-profiles/',
    status: 404,
  },
  {
    rule: 'does not merge slashes',
    source: 'bypasses by a second reading of the path',
    reach: 'both',
    target: '//user-profiles',
    status: 404,
  },
  { rule: 'rejects a malformed percent-encoding', source: 'RFC 3986 §2.1', reach: 'both', target: '/%zz', status: 400 },
  { rule: 'rejects invalid UTF-8', source: 'RFC 3629 §3', reach: 'both', target: '/users/%ff', status: 400 },
  {
    rule: 'does not decode literal segments',
    source: 'bypasses by a second reading of the path',
    reach: 'both',
    target: '/hom%65',
    status: 404,
  },
  {
    rule: 'does not split a segment at an encoded slash',
    source: 'RFC 3986 §2.2',

    reach: 'both',
    target: '/users/a%2Fb',
    status: 404,
    gives: { detail: 'No user a/b' },
  },
  {
    rule: 'rejects an encoded slash in a wildcard',
    source: 'a%2Fb and a/b would coincide',
    reach: 'both',
    target: '/files/a%2Fb',
    status: 400,
  },
  {
    rule: 'passes a wildcard as one string, decoded once',
    source: 'RFC 3986 §2.4',
    reach: 'both',
    target: '/files/a/b%20c',
    status: 200,
    gives: { path: 'a/b c' },
  },
  {
    rule: 'matches percent-encoded letters beyond ASCII',
    source: 'RFC 3987 §3.1',

    reach: 'both',
    target: '/%C3%A4pfel',
    status: 200,
    gives: 'Äpfel',
    has: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '6' },
  },
  {
    rule: 'accepts lowercase hex digits',
    source: 'RFC 3986 §6.2.2.1',
    reach: 'both',
    target: '/%c3%a4pfel',
    status: 200,
    gives: 'Äpfel',
  },
  {
    rule: 'reads brackets in a query as part of the key',
    source: 'parameter pollution: `a[b]` is a key like any other',

    reach: 'both',
    target: '/search?a[b]=1&a[b]=2&q=%C3%A9+x',
    status: 200,
    gives: { 'a[b]': ['1', '2'], q: 'é x' },
  },
  {
    rule: 'creates a user and sends its Location',
    source: 'RFC 9110 §15.3.2',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: '{"name":"Eve"}',
    status: 201,
    gives: { name: 'Eve', id: '3' },
    has: { location: '/users/3' },
  },
  {
    rule: 'rejects a missing body',
    source: 'RFC 9110 §15.5.1',
    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    status: 400,
  },
  {
    rule: 'rejects text/plain for JSON',
    source: 'RFC 9110 §15.5.16; cross-site forms',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: { 'content-type': 'text/plain' },
    body: '{"name":"Eve"}',
    status: 415,
  },
  {
    rule: 'rejects a form for JSON',
    source: 'RFC 9110 §15.5.16; cross-site forms',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name=Eve',
    status: 415,
  },
  {
    rule: 'rejects truncated JSON',
    source: 'RFC 8259 §2',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: '{',
    status: 400,
    gives: { detail: 'The body is not valid JSON' },
  },
  {
    rule: 'rejects the key __proto__',
    source: 'prototype pollution',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: '{"__proto__":{}}',
    status: 400,
  },
  {
    rule: 'rejects an invalid property without repeating its value',
    source: 'RFC 9110 §15.5.21',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: `{"name":"Eve","age":"${SECRET}"}`,
    status: 422,
  },
  {
    rule: 'rejects an integer in exponent notation',
    source: 'peers read 0x10 as 16',
    reach: 'both',
    target: '/user-profiles?limit=1e3',
    status: 422,
  },
  {
    rule: 'rejects a body above the limit',
    source: 'RFC 9110 §15.5.14',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: BIG,
    status: 413,
  },
  {
    rule: 'accepts any JSON without a contract',
    source: 'Verbena: PUT without a contract accepts JSON',

    reach: 'both',
    method: 'PUT',
    target: '/search',
    headers: JSON_TYPE,
    body: '[1]',
    status: 200,
    gives: { body: [1] },
  },
  {
    rule: 'accepts a missing body without a contract',
    source: 'Verbena: PUT without a contract accepts JSON',
    reach: 'both',
    method: 'PUT',
    target: '/search',
    status: 200,
    gives: {},
  },
  {
    rule: 'treats an empty body as missing',
    source: 'RFC 9112 §6.3',

    reach: 'wire',
    method: 'PUT',
    target: '/search',
    headers: JSON_TYPE,
    body: '',
    status: 200,
    gives: {},
  },
  { rule: 'rejects dot segments', source: 'RFC 3986 §5.2.4', reach: 'wire', target: '/x/../home', status: 400 },
  {
    rule: 'rejects encoded dot segments',
    source: 'RFC 3986 §6.2.2.3',
    reach: 'wire',
    target: '/x/%2e%2e/home',
    status: 400,
  },
  { rule: 'rejects a fragment', source: 'RFC 9112 §3.2', reach: 'wire', target: '/home#top', status: 400 },
  {
    rule: 'rejects userinfo in the absolute-form',
    source: 'RFC 9110 §4.2.4',
    reach: 'wire',
    target: 'http://user@example.com/home',
    status: 400,
  },
  {
    rule: 'accepts the absolute-form',
    source: 'RFC 9112 §3.2.2',

    reach: 'wire',
    target: 'http://example.com/home',
    status: 200,
    gives: { hello: 'world' },
  },
  {
    rule: 'accepts the asterisk-form',
    source: 'RFC 9112 §3.2.4',

    reach: 'wire',
    method: 'OPTIONS',
    target: '*',
    status: 204,
    has: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY' },
  },
  {
    rule: 'rejects the asterisk-form for methods other than OPTIONS',
    source: 'RFC 9112 §3.2.4',
    reach: 'wire',
    target: '*',
    status: 400,
  },
  {
    rule: 'rejects two Host headers',
    source: 'RFC 9112 §3.2',
    reach: 'wire',
    target: '/home',
    headers: { host: 'other' },
    status: 400,
  },
  {
    rule: 'rejects a repeated Content-Type',
    source: 'four advisories come from reading it twice',

    reach: 'wire',
    method: 'PUT',
    target: '/search',
    headers: { 'content-type': 'application/json', 'Content-Type': 'application/json' },
    body: '1',
    status: 415,
  },
  {
    rule: 'responds 501 to TRACE',
    source: 'RFC 9110 §9.3.8',
    reach: 'wire',
    method: 'TRACE',
    target: '/home',
    status: 501,
  },
]
