/** The step that answers conditions and ranges. What it needs is loaded with the first answer that it looks at. */
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'

type Judge = (call: Call, isTagged: boolean) => Promise<void> | undefined

let judge: Judge | null = null

/** For answers with `etag: true`, and for those that may be a file. */
export function conditionalStep({ verb, contract, produces }: EndpointPlan): Step<Call> | false {
  if (contract?.etag === true) return (call) => evaluateReply(call, true)
  if (verb !== 'get' || produces !== null) return false
  return (call) => (call.reply.payload.part === undefined ? undefined : evaluateReply(call, false))
}

/** Nothing catches what is thrown here: the reply is settled. */
function evaluateReply(call: Call, isTagged: boolean): Promise<void> | undefined {
  const { status } = call.reply
  if (status < 200 || status >= 300) return undefined
  return judge === null ? load().then((loaded) => loaded(call, isTagged)) : judge(call, isTagged)
}

async function load(): Promise<Judge> {
  /* c8 ignore next -- what runs the tests writes a branch of its own around an import */
  const { applyConditions: loaded } = await import('./conditional.js')
  judge = loaded
  return loaded
}
