/** The step for conditional requests and ranges. Its code is loaded with the first response that needs it. */
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'

type Judge = (call: Call, isTagged: boolean) => Promise<void> | undefined

let judge: Judge | null = null

/** Returns the step for responses with `etag: true`, or that may be a file; otherwise `false`. */
export function conditionalStep({ verb, contract, produces }: EndpointPlan): Step<Call> | false {
  if (contract?.etag === true) return (call) => evaluateReply(call, true)
  if (verb !== 'get' || produces !== null) return false
  return (call) => (call.reply.payload.part === undefined ? undefined : evaluateReply(call, false))
}

/** The reply is final, so an error thrown here would become a plain 500. */
function evaluateReply(call: Call, isTagged: boolean): Promise<void> | undefined {
  const { status } = call.reply
  if (status < 200 || status >= 300) return undefined
  return judge === null ? loadConditional().then((loaded) => loaded(call, isTagged)) : judge(call, isTagged)
}

async function loadConditional(): Promise<Judge> {
  /* c8 ignore next -- the test runner adds a branch around an import */
  const { applyConditions: loaded } = await import('./conditional.js')
  judge = loaded
  return loaded
}
