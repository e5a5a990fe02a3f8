/** Starts OpenTelemetry. Load it before the app: `node --import ./telemetry.ts main.ts`. */
import { subscribe } from 'node:diagnostics_channel'
import { createRequire } from 'node:module'
import { context } from '@opentelemetry/api'
import { getRPCMetadata, RPCType } from '@opentelemetry/core'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { NodeSDK } from '@opentelemetry/sdk-node'
import type { RequestRouted } from 'verbena'

const sdk = new NodeSDK({ instrumentations: [new HttpInstrumentation()] })
sdk.start()
// OpenTelemetry only instruments modules that are loaded with `require`.
createRequire(import.meta.url)('node:http')

subscribe('verbena:request:routed', (message) => {
  // Proof: Verbena publishes this type on the channel.
  const { template } = message as RequestRouted
  const metadata = getRPCMetadata(context.active())
  if (metadata?.type === RPCType.HTTP && template !== undefined) metadata.route = template
})
