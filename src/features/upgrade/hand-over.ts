/** The handler of an upgrade takes over its connection; from then on the call waits for the end of that. */
import { serializedReply, type FullReply } from '../../context/reply.js'
import { RequestContext } from '../../context/request-context.js'
import { frameworkError } from '../../errors/http-error.js'
import { guarded } from '../../http/guarded.js'
import { NO_PAYLOAD } from '../../http/payload.js'
import type { UpgradeExchange, UpgradeRequest } from '../../http/upgrade-exchange.js'
import type { Call } from '../../request/call.js'

type TakenConnection = readonly [socket: UpgradeExchange['socket'], head: Buffer, request: UpgradeRequest]

/** Where the handler fails before it has answered, the call fails like any other. */
export async function handOver(
  input: RequestContext,
  handler: (...taken: TakenConnection) => unknown,
): Promise<FullReply> {
  // Proof: contexts are made for calls, and those of an upgrade have such an exchange.
  const call = RequestContext.sourceOf(input) as Call
  const exchange = call.exchange as UpgradeExchange
  const { openStreams } = call.app
  if (openStreams.isEnded) throw frameworkError(503, 'The server is closing')
  const { socket, rest, request } = exchange
  const end = (): void => endUpgrade(call, exchange)
  openStreams.add(end)
  exchange.handOver()
  try {
    await handler(socket, rest, request)
    if (!exchange.isAnswered) throw notAnswered(call)
  } catch (error) {
    openStreams.delete(end)
    throw error
  }
  // That there is a task lets the call wait for the end of the connection.
  call.tasks = [...(call.tasks ?? []), () => openStreams.delete(end)]
  return serializedReply(101, null, NO_PAYLOAD)
}

/** What is written when `signal` is aborted still leaves. */
function endUpgrade(call: Call, { socket, connection }: UpgradeExchange): void {
  call.abort(new DOMException('The server is closing', 'AbortError'))
  const end = (): void => {
    socket.end()
    // Where nobody reads, the end of the other side would not be seen.
    if (socket.readableFlowing === null) socket.resume()
  }
  setImmediate(() => guarded(socket, connection.state.settings.report, end))
}

function notAnswered({ label }: Call): Error {
  const fix = 'Answer, or give the socket to what answers, before the handler returns or its promise settles'
  return new Error(`Cannot leave the connection of ${label} open: its handler has written nothing. ${fix}`)
}
