/** A server that receives envelopes like Sentry. */
import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import { servePage, type UsedServer } from '../../../test/support/how-to-tests.js'
import { readEnvelope, type Reports } from './envelopes.js'

/** Starts it for the port of the page. Its end compares the received errors and requests with the page. */
export async function startReceiver(): Promise<UsedServer> {
  const received: Reports = { requests: [], errors: [] }
  const server = await servePage('9000', async (request, response) => {
    const bytes = await buffer(request)
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
    readEnvelope(String(text), received)
    response.end('{}')
  })
  const close = async (): Promise<void> => {
    await server.close()
    const request = { name: 'GET /orders/{id}', route: '/orders/{id}' }
    assert.deepEqual(received.requests, [request, request, request])
    assert.deepEqual(received.errors, [{ name: request.name, message: 'Order 1 is broken', isHandled: false }])
  }
  return { ...server, close }
}
