/** Hands the connection of an upgrade to its handler. The request then lasts until the connection ends. */
import { serializedReply, type FullReply } from '../../context/reply.js'
import { BaseContext } from '../../context/request-context.js'
import { frameworkError } from '../../errors/http-error.js'
import { serverClosing } from '../../http/exchange.js'
import { guarded } from '../../http/guarded.js'
import { NO_PAYLOAD } from '../../http/payload.js'
import type { UpgradeExchange, UpgradeRequest } from '../../http/upgrade-exchange.js'
import type { Call } from '../../request/call.js'

type TakenConnection = readonly [socket: UpgradeExchange['socket'], head: Buffer, request: UpgradeRequest]

/** If the handler fails before it has written a response, the request fails like any other. */
export async function handOver(
  input: BaseContext,
  handler: (...taken: TakenConnection) => unknown,
): Promise<FullReply> {
  // Proof: every context belongs to a `Call`, and the `Call` of an upgrade has an `UpgradeExchange`.
  const call = BaseContext.sourceOf(input) as Call
  const exchange = call.exchange as UpgradeExchange
  const { openStreams } = call.app
  if (openStreams.isEnded) throw frameworkError(503, 'The server is closing')
  const { socket, rest, request } = exchange
  const end = (): void => endUpgrade(call, exchange)
  openStreams.add(end)
  exchange.handOver()
  try {
    await handler(socket, rest, request)
    if (!exchange.hasResponded) throw noResponseError(call)
  } catch (error) {
    openStreams.delete(end)
    throw error
  }
  // Because of this task, the request waits until the connection has ended.
  call.tasks = [...(call.tasks ?? []), () => openStreams.delete(end)]
  return serializedReply(101, null, NO_PAYLOAD)
}

/** Aborts `signal`, then ends the connection. Data that abort listeners write is still sent. */
function endUpgrade(call: Call, { socket, connection }: UpgradeExchange): void {
  call.abort(serverClosing())
  const end = (): void => {
    socket.end()
    // Node reports the end of the client's data only if the socket is being read.
    if (socket.readableFlowing === null) socket.resume()
  }
  setImmediate(() => guarded(socket, connection.state.settings.report, end))
}

function noResponseError({ label }: Call): Error {
  const fix = 'Write a response, directly or with a library, before the handler returns or its promise settles'
  return new Error(`Cannot leave the connection of ${label} open: the handler has not written a response. ${fix}`)
}
