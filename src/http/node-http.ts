/**
 * `node:http`. In Node 22 and later, `import` of it also loads undici and TLS: it reads all exports, and `WebSocket` is an export that loads
 * them. That takes 30 to 40 ms of each start.
 */
import type * as NodeHttp from 'node:http'

export const http: typeof NodeHttp = process.getBuiltinModule('node:http')
