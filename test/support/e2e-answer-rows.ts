/** End-to-end rows on responses: content negotiation, errors, kinds of bodies, headers. */
import { ADA, type Row } from '#test/e2e-rows.js'

/** Requests are sent as in `e2e-rows.ts`. */
export const ANSWER_ROWS: readonly Row[] = [
  {
    rule: 'lists the available media types in a 406',
    source: 'RFC 9110 §15.5.7',

    reach: 'both',
    target: '/user-profiles',
    headers: { accept: 'text/html' },
    status: 406,
    gives: { detail: 'This is available as application/json', available: ['application/json'] },
  },
  {
    rule: 'responds with an acceptable media type',
    source: 'RFC 9110 §12.5.1',

    reach: 'both',
    target: '/user-profiles?limit=1',
    headers: { accept: 'text/html, application/*;q=0.1' },
    status: 200,
    gives: [ADA],
  },
  {
    rule: 'ignores Accept if the contract declares no media type',
    source: 'RFC 9110 §12.5.1',

    reach: 'both',
    target: '/home',
    headers: { accept: 'text/html' },
    status: 200,
  },
  {
    rule: 'hides the message of an unexpected error',
    source: 'RFC 9457 §5',
    reach: 'both',
    target: '/broken',
    status: 500,
    gives: {},
  },
  {
    rule: 'responds 500 if the reply cannot be serialized',
    source: 'RFC 9457 §5',

    reach: 'both',
    method: 'POST',
    target: '/broken',
    status: 500,
    gives: {},
  },
  {
    rule: 'responds with the status, detail and headers of an HttpError',
    source: 'RFC 9110 §15.6.4',

    reach: 'both',
    method: 'DELETE',
    target: '/broken',
    status: 503,
    gives: { detail: 'Back at noon', at: 'noon' },
    has: { 'retry-after': '60' },
  },
  {
    rule: 'sends a string as text in UTF-8',
    source: 'RFC 9110 §8.3.2',

    reach: 'both',
    target: '/kinds/text',
    status: 200,
    gives: 'héllo',
    has: { 'content-length': '6', 'content-type': 'text/plain; charset=utf-8' },
  },
  {
    rule: 'sends bytes as application/octet-stream',
    source: 'RFC 9110 §8.3',

    reach: 'both',
    target: '/kinds/bytes',
    status: 200,
    gives: 'hi',
    has: { 'content-type': 'application/octet-stream', 'content-length': '2' },
  },
  {
    rule: 'sends null as JSON',
    source: 'RFC 8259 §3',
    reach: 'both',
    target: '/kinds/null',
    status: 200,
    gives: null,
    has: { 'content-length': '4' },
  },
  {
    rule: 'sends undefined as a 204 without content and length',
    source: 'RFC 9110 §15.3.5, §8.6',

    reach: 'both',
    target: '/kinds/none',
    status: 204,
    gives: '',
    has: { 'content-type': null, 'content-length': null },
  },
  {
    rule: 'sends a stream in chunks',
    source: 'RFC 9112 §7.1',

    reach: 'both',
    target: '/kinds/stream',
    status: 200,
    gives: 'one twö',
    has: { 'content-type': 'text/plain; charset=utf-8', 'content-length': null },
  },
  {
    rule: 'responds to HEAD of a stream without content',
    source: 'RFC 9110 §9.3.2',
    reach: 'both',
    method: 'HEAD',
    target: '/kinds/stream',
    status: 200,
    gives: '',
  },
  {
    rule: 'sends a web Response unchanged',
    source: 'Verbena: a Response is complete',

    reach: 'both',
    target: '/kinds/response',
    status: 202,
    gives: 'made',
    has: { 'x-made': '1' },
  },
  {
    rule: 'encodes a Location once',
    source: 'RFC 9110 §10.2.2',

    reach: 'both',
    target: '/kinds/redirect',
    status: 303,
    gives: '',
    has: { location: '/users/1?a=%C3%BC', 'content-length': '0' },
  },
  {
    rule: 'sends one header line for each cookie',
    source: 'RFC 6265 §3',

    reach: 'wire',
    target: '/kinds/cookies',
    status: 200,
    gives: 'x',
    has: { 'set-cookie': 'a=1\nb=2', vary: 'cookie' },
  },
]
