/** The rows of the end-to-end table: requests to the app of `e2e-app.ts`, and the answers they must get; here those about requests. */
import { SECRET } from '#test/e2e-app.js'
import type { WireRequest } from '#test/e2e.js'
import type { Rule } from '#test/rows.js'

/** One row. */
export interface Row extends WireRequest, Rule {
  readonly reach: 'wire' | 'both'
  readonly status: number
  /** Headers of the answer; `null` for one that must not be there. */
  readonly has?: Readonly<Record<string, string | null>>
  /** The body: JSON, or a text. Of a problem, the members besides those that every problem has. */
  readonly gives?: unknown
}

/** The header of a JSON body. */
export const JSON_TYPE = { 'content-type': 'application/json' }
/** A user as an answer shows it. */
export const ADA = { name: 'Ada', age: 36, id: '1' }
const GRACE = { name: 'Grace', id: '2' }
/** A user whose name takes two megabytes. */
export const BIG = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) })

/** Asked in memory and over a socket, or over a socket alone where a web request cannot say it. */
export const REQUEST_ROWS: readonly Row[] = [
  {
    rule: 'lists what the service gives, projected',
    source: 'own rule: nothing leaves that the schema does not describe',
    reach: 'both',
    target: '/user-profiles',
    status: 200,
    gives: [ADA, GRACE],
  },
  {
    rule: 'converts the text of a query',
    source: 'own rule: text is converted where the schema says integer',
    reach: 'both',
    target: '/user-profiles?limit=1',
    status: 200,
    gives: [ADA],
  },
  {
    rule: 'answers with the value of a path parameter',
    source: 'RFC 3986 §3.3',
    reach: 'both',
    target: '/users/1',
    status: 200,
    gives: ADA,
  },
  {
    rule: 'answers an HttpError as a problem',
    source: 'RFC 9457 §3',
    reach: 'both',
    target: '/users/7',
    status: 404,
    gives: { detail: 'No user 7' },
  },
  {
    rule: 'answers an object as JSON of a known length',
    source: 'RFC 9110 §8.6',

    reach: 'both',
    target: '/home',
    status: 200,
    gives: { hello: 'world' },
    has: { 'content-type': 'application/json', 'content-length': '17', 'x-content-type-options': 'nosniff' },
  },
  {
    rule: 'answers HEAD like GET, without content',
    source: 'RFC 9110 §9.3.2',

    reach: 'both',
    method: 'HEAD',
    target: '/home',
    status: 200,
    gives: '',
    has: { 'content-type': 'application/json', 'content-length': '17' },
  },
  {
    rule: 'answers HEAD of nothing like GET, without content',
    source: 'RFC 9110 §9.3.2',

    reach: 'both',
    method: 'HEAD',
    target: '/none',
    status: 404,
    gives: '',
    has: { 'content-type': 'application/problem+json' },
  },
  {
    rule: 'answers OPTIONS with what the path allows',
    source: 'RFC 9110 §9.3.7',

    reach: 'both',
    method: 'OPTIONS',
    target: '/user-profiles',
    status: 204,
    gives: '',
    has: { allow: 'GET, HEAD, OPTIONS, POST', 'content-length': null },
  },
  {
    rule: 'names the methods of a path that lacks the one asked for',
    source: 'RFC 9110 §15.5.6',

    reach: 'both',
    method: 'PUT',
    target: '/user-profiles',
    status: 405,
    has: { allow: 'GET, HEAD, OPTIONS, POST' },
    gives: { detail: 'This path answers GET, HEAD, OPTIONS, POST' },
  },
  {
    rule: 'does not know a method that no route can have',
    source: 'RFC 9110 §9.1, §15.6.2',
    reach: 'both',
    method: 'PROPFIND',
    target: '/home',
    status: 501,
  },
  {
    rule: 'serves no helper method',
    source: 'own rule: only methods named after verbs are endpoints',
    reach: 'both',
    target: '/user-profiles/get-by-id',
    status: 404,
  },
  { rule: 'tells cases apart', source: 'RFC 3986 §6.2.2.1', reach: 'both', target: '/User-Profiles', status: 404 },
  {
    rule: 'takes a trailing slash for another path',
    source: 'bypasses by a second reading of the path',
    reach: 'both',
    target: '/user-profiles/',
    status: 404,
  },
  {
    rule: 'merges no slashes',
    source: 'bypasses by a second reading of the path',
    reach: 'both',
    target: '//user-profiles',
    status: 404,
  },
  { rule: 'refuses a broken encoding', source: 'RFC 3986 §2.1', reach: 'both', target: '/%zz', status: 400 },
  { rule: 'refuses half a character', source: 'RFC 3629 §3', reach: 'both', target: '/users/%ff', status: 400 },
  {
    rule: 'does not decode literals',
    source: 'bypasses by a second reading of the path',
    reach: 'both',
    target: '/hom%65',
    status: 404,
  },
  {
    rule: 'takes an encoded slash for no separator',
    source: 'RFC 3986 §2.2',

    reach: 'both',
    target: '/users/a%2Fb',
    status: 404,
    gives: { detail: 'No user a/b' },
  },
  {
    rule: 'refuses an encoded slash in a wildcard',
    source: 'a%2Fb and a/b would coincide',
    reach: 'both',
    target: '/files/a%2Fb',
    status: 400,
  },
  {
    rule: 'gives a wildcard as one string, decoded once',
    source: 'RFC 3986 §2.4',
    reach: 'both',
    target: '/files/a/b%20c',
    status: 200,
    gives: { path: 'a/b c' },
  },
  {
    rule: 'matches letters beyond ASCII in their encoded form',
    source: 'RFC 3987 §3.1',

    reach: 'both',
    target: '/%C3%A4pfel',
    status: 200,
    gives: 'Äpfel',
    has: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '6' },
  },
  {
    rule: 'takes lower-case hex',
    source: 'RFC 3986 §6.2.2.1',
    reach: 'both',
    target: '/%c3%a4pfel',
    status: 200,
    gives: 'Äpfel',
  },
  {
    rule: 'reads a flat query',
    source: 'parameter pollution: `a[b]` is a key like any other',

    reach: 'both',
    target: '/search?a[b]=1&a[b]=2&q=%C3%A9+x',
    status: 200,
    gives: { 'a[b]': ['1', '2'], q: 'é x' },
  },
  {
    rule: 'creates, and says where',
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
    rule: 'refuses no body where one is needed',
    source: 'RFC 9110 §15.5.1',
    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    status: 400,
  },
  {
    rule: 'refuses text for JSON',
    source: 'RFC 9110 §15.5.16; cross-site forms',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: { 'content-type': 'text/plain' },
    body: '{"name":"Eve"}',
    status: 415,
  },
  {
    rule: 'refuses a form for JSON',
    source: 'RFC 9110 §15.5.16; cross-site forms',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name=Eve',
    status: 415,
  },
  {
    rule: 'refuses half of JSON',
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
    rule: 'refuses a dangerous key',
    source: 'prototype pollution',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: '{"__proto__":{}}',
    status: 400,
  },
  {
    rule: 'refuses a field that is wrong, and does not repeat it',
    source: 'RFC 9110 §15.5.21',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: `{"name":"Eve","age":"${SECRET}"}`,
    status: 422,
  },
  {
    rule: 'refuses a lax integer',
    source: 'peers read 0x10 as 16',
    reach: 'both',
    target: '/user-profiles?limit=1e3',
    status: 422,
  },
  {
    rule: 'refuses a body above the limit',
    source: 'RFC 9110 §15.5.14',

    reach: 'both',
    method: 'POST',
    target: '/user-profiles',
    headers: JSON_TYPE,
    body: BIG,
    status: 413,
  },
  {
    rule: 'takes any JSON without a contract',
    source: 'own rule: PUT without a contract takes JSON',

    reach: 'both',
    method: 'PUT',
    target: '/search',
    headers: JSON_TYPE,
    body: '[1]',
    status: 200,
    gives: { body: [1] },
  },
  {
    rule: 'takes no body without a contract',
    source: 'own rule: PUT without a contract takes JSON',
    reach: 'both',
    method: 'PUT',
    target: '/search',
    status: 200,
    gives: {},
  },
  {
    rule: 'takes an empty body for none',
    source: 'RFC 9112 §6.3',

    reach: 'wire',
    method: 'PUT',
    target: '/search',
    headers: JSON_TYPE,
    body: '',
    status: 200,
    gives: {},
  },
  { rule: 'refuses dot segments', source: 'RFC 3986 §5.2.4', reach: 'wire', target: '/x/../home', status: 400 },
  {
    rule: 'refuses encoded dot segments',
    source: 'RFC 3986 §6.2.2.3',
    reach: 'wire',
    target: '/x/%2e%2e/home',
    status: 400,
  },
  { rule: 'refuses a fragment', source: 'RFC 9112 §3.2', reach: 'wire', target: '/home#top', status: 400 },
  {
    rule: 'refuses userinfo in an absolute-form',
    source: 'RFC 9110 §4.2.4',
    reach: 'wire',
    target: 'http://user@example.com/home',
    status: 400,
  },
  {
    rule: 'reads the absolute-form',
    source: 'RFC 9112 §3.2.2',

    reach: 'wire',
    target: 'http://example.com/home',
    status: 200,
    gives: { hello: 'world' },
  },
  {
    rule: 'reads the asterisk-form',
    source: 'RFC 9112 §3.2.4',

    reach: 'wire',
    method: 'OPTIONS',
    target: '*',
    status: 204,
    has: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
  },
  {
    rule: 'refuses the asterisk for other methods',
    source: 'RFC 9112 §3.2.4',
    reach: 'wire',
    target: '*',
    status: 400,
  },
  {
    rule: 'refuses two hosts',
    source: 'RFC 9112 §3.2',
    reach: 'wire',
    target: '/home',
    headers: { host: 'other' },
    status: 400,
  },
  {
    rule: 'refuses a repeated media type',
    source: 'four advisories come from reading it twice',

    reach: 'wire',
    method: 'PUT',
    target: '/search',
    headers: { 'content-type': 'application/json', 'Content-Type': 'application/json' },
    body: '1',
    status: 415,
  },
  {
    rule: 'does not do TRACE',
    source: 'RFC 9110 §9.3.8',
    reach: 'wire',
    method: 'TRACE',
    target: '/home',
    status: 501,
  },
]
