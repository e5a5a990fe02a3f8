/** Starts OpenTelemetry. It is loaded before everything else: `node --import ./telemetry.ts main.ts`. */
import { subscribe } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'
import { context } from '@opentelemetry/api'
import { getRPCMetadata, RPCType } from '@opentelemetry/core'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { NodeSDK } from '@opentelemetry/sdk-node'
import type { RequestRouted } from 'verbena'

const sdk = new NodeSDK({ instrumentations: [new HttpInstrumentation()] })
sdk.start()
// OpenTelemetry looks for modules that are required; an `import` of `node:http` alone would not be seen.
createRequire(import.meta.url)('node:http')

subscribe('verbena:request:routed', (message) => {
  // Proof: this is what the channel brings.
  const { template } = message as RequestRouted
  const metadata = getRPCMetadata(context.active())
  if (metadata?.type === RPCType.HTTP && template !== undefined) metadata.route = template
})
