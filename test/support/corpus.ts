/** A valid request of each kind that the probe app supports. Each character is one byte. */

function request(line: string, headers: string, body?: string): string {
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}${length}\r\n${body ?? ''}`
}

const typed = (type: string): string => `Content-Type: ${type}\r\n`
const JSON_TYPE = typed('application/json')

/** One request of each kind. All but one leave the connection open. */
export const CORPUS: readonly [string, ...string[]] = [
  request('GET /alive', ''),
  request('GET /echo/name?x=1', 'Accept: */*\r\nUser-Agent: mutator\r\n'),
  request('HEAD /alive', ''),
  request('HEAD /chunks', ''),
  request('OPTIONS /person', ''),
  request('OPTIONS *', ''),
  request('GET /nothing', ''),
  request('GET /two/a/b', 'Connection: close\r\n'),
  request('GET /files/a/b/c', ''),
  request('GET /%C3%84pfel', ''),
  request('GET /query?limit=7&ratio=1.5&on=true&tag=a&tag=b&q=%41', ''),
  request('GET /raw-query?a=1&a=2&b[c]=3', ''),
  request('GET /cookies', 'Cookie: a=1; b="2"; a=3\r\n'),
  request('GET /chunks', ''),
  request('GET /ticks', 'Accept: text/event-stream\r\n'),
  request('GET /slow?ms=3', 'X-Id: 9\r\n'),
  request('GET /big?size=70000', ''),
  request('POST /json', JSON_TYPE, '{"a":[1,{"b":"\\u00e4"}],"n":1.5e3}'),
  request('POST /json', `${JSON_TYPE}Expect: 100-continue\r\n`, '[1,2,3]'),
  request('POST /person', JSON_TYPE, '{"name":"Ada","age":36}'),
  request('DELETE /person', JSON_TYPE),
  request('POST /small', JSON_TYPE, '{"a":"b"}'),
  request('POST /small', JSON_TYPE, `"${'a'.repeat(100)}"`),
  request('POST /form', typed('application/x-www-form-urlencoded'), 'n=7&a=b+c&d=%41'),
  request('POST /text', typed('text/plain; charset=utf-8'), 'h\xc3\xa4llo'),
  request('POST /bytes', typed('application/octet-stream'), '\0\x01\x02\xff'),
  request('POST /upload', typed('application/octet-stream'), 'x'.repeat(5000)),
  request('POST /nothing', JSON_TYPE, 'x'.repeat(3000)),
  `POST /upload HTTP/1.1\r\nHost: a\r\n${typed('application/octet-stream')}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n`,
]
