/** `Accept` and `Accept-Encoding` as well-known clients send them by default; `undefined` for a header that they do not send. */
interface ClientHeaders {
  readonly client: string
  readonly accept: string | undefined
  readonly encoding?: string
}

const JAVA_8 = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'
const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'

export const CLIENT_HEADERS: readonly ClientHeaders[] = [
  { client: 'Java HttpURLConnection before 19', accept: JAVA_8 },
  { client: 'Java HttpURLConnection from 19', accept: 'text/html, image/gif, image/jpeg, */*; q=0.2' },
  { client: 'Java HttpClient', accept: undefined },
  { client: 'Java SAAJ', accept: `text/xml, multipart/related, ${JAVA_8}` },
  { client: 'Spring RestTemplate', accept: 'application/json, application/*+json' },
  { client: 'Spring RestTemplate, strings', accept: 'text/plain, application/json, application/*+json, */*' },
  { client: 'Jersey on HttpURLConnection', accept: JAVA_8, encoding: 'gzip,deflate' },
  { client: 'Apache HttpClient 4', accept: undefined, encoding: 'gzip,deflate' },
  { client: 'Apache HttpClient 5', accept: undefined, encoding: 'gzip, x-gzip, deflate' },
  { client: 'OkHttp', accept: undefined, encoding: 'gzip' },
  { client: 'Feign', accept: '*/*' },
  { client: 'Dalvik on old Android', accept: undefined, encoding: 'gzip' },
  {
    client: 'WebView of Android 2',
    accept:
      'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5,application/youtube-client',
    encoding: 'gzip',
  },
  { client: 'curl', accept: '*/*' },
  { client: 'curl --compressed', accept: '*/*', encoding: 'deflate, gzip, br, zstd' },
  { client: 'wget', accept: '*/*', encoding: 'identity' },
  { client: 'HTTPie', accept: 'application/json, */*;q=0.5', encoding: 'gzip, deflate' },
  { client: 'Python urllib', accept: undefined, encoding: 'identity' },
  { client: 'Python requests', accept: '*/*', encoding: 'gzip, deflate, br, zstd' },
  { client: 'Python aiohttp', accept: '*/*', encoding: 'gzip, deflate, br' },
  { client: 'Go net/http', accept: undefined, encoding: 'gzip' },
  { client: '.NET HttpClient', accept: undefined },
  { client: '.NET WCF', accept: undefined, encoding: 'gzip, deflate' },
  { client: '.NET with weights from floats', accept: 'text/html, application/json;q=0.80000001192092896' },
  { client: 'PowerShell', accept: undefined, encoding: 'gzip, deflate, br' },
  { client: 'Node fetch', accept: '*/*', encoding: 'gzip, deflate' },
  { client: 'Node http', accept: undefined },
  { client: 'axios', accept: 'application/json, text/plain, */*', encoding: 'gzip, compress, deflate, br' },
  { client: 'jQuery, JSON', accept: 'application/json, text/javascript, */*; q=0.01', encoding: 'gzip, deflate' },
  { client: 'Postman', accept: '*/*', encoding: 'gzip, deflate, br' },
  { client: 'PHP Guzzle', accept: undefined },
  { client: 'PHP cURL', accept: '*/*' },
  { client: 'Ruby net/http', accept: '*/*', encoding: 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3' },
  { client: 'Ruby RestClient', accept: '*/*; q=0.5, application/xml', encoding: 'gzip, deflate' },
  { client: 'Perl LWP', accept: undefined },
  { client: 'Dart', accept: undefined, encoding: 'gzip' },
  { client: 'CFNetwork on iOS', accept: '*/*', encoding: 'gzip, deflate, br' },
  { client: 'Delphi Indy', accept: 'text/html, */*', encoding: 'identity' },
  {
    client: 'Lynx',
    accept: 'text/html, text/plain, text/sgml, text/css, */*;q=0.01',
    encoding: 'gzip, compress, bzip2',
  },
  { client: 'Chrome', accept: CHROME, encoding: 'gzip, deflate, br, zstd' },
  {
    client: 'Firefox',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    encoding: 'gzip, deflate',
  },
  { client: 'Firefox before 66', accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' },
  {
    client: 'Safari',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    encoding: 'gzip, deflate',
  },
  {
    client: 'Safari 4',
    accept: 'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5',
  },
  { client: 'Edge 18', accept: 'text/html, application/xhtml+xml, application/xml; q=0.9, */*; q=0.8' },
  {
    client: 'Internet Explorer 8',
    accept: 'image/gif, image/x-xbitmap, image/jpeg, application/x-shockwave-flash, application/vnd.ms-excel, */*',
    encoding: 'gzip, deflate',
  },
  {
    client: 'Opera 12',
    accept:
      'text/html, application/xml;q=0.9, application/xhtml+xml, image/png, image/webp, image/jpeg, image/gif, image/x-xbitmap, */*;q=0.1',
  },
  {
    client: 'Konqueror',
    accept: 'text/html, image/jpeg;q=0.9, image/png;q=0.9, text/*;q=0.9, image/*;q=0.9, */*;q=0.8',
  },
  { client: 'an empty header', accept: '' },
  { client: 'a star only', accept: '*' },
]
