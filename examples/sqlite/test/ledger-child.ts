/** A process of the ledger. The header `x-kill` of a request names the moment at which the process kills itself. */
import type { Call } from '../../../src/request/call.js'
import type { Step } from '../../../src/request/endpoint.js'
import { makeSteps, type StepEntry } from '../../../src/request/step-entry.js'
import { PIPELINE_STEPS } from '../../../src/request/steps.js'
import { Ledger, ledgerApp } from '../ledger.js'

const [, , folder = ''] = process.argv

/** Step names of an endpoint, in order; found while its pipeline is built. */
const names = new Set<string>()
/** Moment at which the next commit kills the process. */
let atCommit = ''

function kill(): void {
  process.kill(process.pid, 'SIGKILL')
}

function wrapEntry(entry: StepEntry): StepEntry {
  const { name } = entry
  return {
    ...entry,
    makeAny: (target) => {
      const built = makeSteps(entry, target)
      if (target.endpoint?.route === 'Entries' && built.length > 0) names.add(name)
      return built.map((step, index) =>
        wrapStep(name, step, { isFirst: index === 0, isLast: index === built.length - 1 }),
      )
    },
  }
}

function wrapStep(
  name: string,
  step: Step<Call>,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Step<Call> {
  return (call) => {
    const moment = call.exchange.header('x-kill') ?? ''
    if (moment.endsWith('commit')) atCommit = moment
    if (isFirst && moment === `before ${name}`) kill()
    const waiting = step(call)
    if (!isLast || moment !== `after ${name}`) return waiting
    return waiting instanceof Promise ? waiting.then(kill) : kill()
  }
}

// Proof: only the type of the list is read-only.
const entries = PIPELINE_STEPS as StepEntry[]
entries.splice(0, entries.length, ...entries.map(wrapEntry))

const commit = Ledger.prototype.commit
Ledger.prototype.commit = function (this: Ledger) {
  if (atCommit === 'before commit') kill()
  commit.call(this)
  if (atCommit === 'after commit') kill()
}

const { url } = await ledgerApp(folder).listen({ port: 0 })
process.send?.({ url, names: [...names] })
