/** Starts dd-trace. Load it before the app: `node --import ./datadog.ts main.ts`. */
import { subscribe } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'
import tracer from 'dd-trace'
import type { RequestError, RequestRouted } from 'verbena'

tracer.init()
// dd-trace only instruments modules that are loaded with `require`.
createRequire(import.meta.url)('node:http')

subscribe('verbena:request:routed', (message) => {
  // Proof: Verbena publishes this type on the channel.
  const { method, template } = message as RequestRouted
  if (template !== undefined)
    tracer
      .scope()
      .active()
      ?.addTags({ 'http.route': template, 'resource.name': `${method} ${template}` })
})

subscribe('verbena:request:error', (message) => {
  // Proof: as above.
  tracer
    .scope()
    .active()
    ?.setTag('error', (message as RequestError).error)
})
