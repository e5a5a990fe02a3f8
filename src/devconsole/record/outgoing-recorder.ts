/** Records queries and other outgoing calls in the request that sends them. */
import {
  observeOutgoing,
  type OutgoingCall,
  type OutgoingObserver,
  type StartedCall,
} from '../../observe/outgoing-call.js'
import type { OpenServiceCall } from '../../observe/request-recorder.js'
import type { Correlation } from './correlation.js'
import { openLibraryChannels } from './library-channels.js'

export class OutgoingRecorder implements OutgoingObserver {
  readonly #correlation: Correlation
  readonly #closers: readonly (() => void)[]

  constructor(correlation: Correlation) {
    this.#correlation = correlation
    this.#closers = [observeOutgoing(this), openLibraryChannels()]
  }

  start(call: OutgoingCall, isAdapter: boolean): StartedCall | null {
    const work = this.#correlation.work()
    if (work === null || work.query === call.text) return null
    const open = work.trail.startQuery(call, work.call, isAdapter)
    if (open === null) return null
    return {
      run: (next) => this.#correlation.inQuery(call.text, next),
      end: (outcome = {}) => open.end(outcome),
      fail: (error) => open.fail(error),
    }
  }

  called(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null {
    return this.#correlation.work()?.trail.called(name, args, method) ?? null
  }

  close(): void {
    for (const close of this.#closers) close()
  }
}
