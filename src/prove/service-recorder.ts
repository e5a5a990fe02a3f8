/** Records the methods of services that guards call during a proof. */
import type { ResponseMessage } from '../http/exchange.js'
import { RequestRecorder, type AppObserver, type CallHead } from '../observe/request-recorder.js'
import { noop } from '../values/noop.js'
import { ProofExchange } from './proof-exchange.js'

class ServiceRecorder extends RequestRecorder {
  override readonly named: () => void = noop
  override readonly end: () => void = noop
  readonly #calls: string[]

  constructor(head: CallHead, began: number) {
    super(head, began)
    this.#calls = head instanceof ProofExchange ? head.serviceCalls : []
  }

  override called(name: string): null {
    this.#calls.push(name)
    return null
  }

  override link(): null {
    return null
  }

  override linkResponse(message: ResponseMessage): ResponseMessage {
    return message
  }
}

const begin = (head: CallHead, began: number): RequestRecorder => new ServiceRecorder(head, began)

export const SERVICE_OBSERVER: AppObserver = {
  observes: () => true,
  begin,
  observe: begin,
  passed: () => null,
  line: noop,
}
