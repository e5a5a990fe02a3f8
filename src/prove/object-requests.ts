/** Requests of actors that run completely, for the check of objects. */
import { readSetCookie, type Credential, type SignedActor } from './actors.js'
import type { ProofEndpoint, ProofParts } from './proof-app.js'
import { buildRequest, findExample, sampleInput, type Example, type ExampleValues } from './sample-request.js'

/** A request and its response, or the issue of a validator instead of a request. */
export interface ActorResponse {
  /** 0 if the request was not sent. */
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** Why there is no valid input; `null` if the request was sent. */
  readonly issue: string | null
  /** The request as a command. */
  readonly command: string
}

interface Sending {
  readonly params?: ExampleValues
  readonly headers?: ExampleValues
  /** Members that replace members of the body. */
  readonly members?: Readonly<Record<string, unknown>>
}

export class ObjectRequests {
  readonly #parts: ProofParts
  /** Cookies that responses have changed, by actor. */
  readonly #cookies = new Map<string, Map<string, string>>()

  constructor(parts: ProofParts) {
    this.#parts = parts
  }

  /** Sends a request that runs completely. */
  async send(
    target: ProofEndpoint,
    actor: SignedActor,
    { params = {}, headers = {}, members }: Sending,
    creation: Example = {},
  ): Promise<ActorResponse> {
    const { app, examples, preparation } = this.#parts
    const example = findExample(examples, target.label)
    const names = new Set([...target.endpoint.path.matchAll(/\{(\w+)/g)].map(([, name]) => name))
    const boundParams = Object.fromEntries(Object.entries(params).filter(([name]) => names.has(name)))
    const input = await sampleInput(
      target.endpoint,
      {
        ...example,
        ...creation,
        params: { ...example.params, ...creation.params, ...boundParams },
        headers: { ...example.headers, ...creation.headers, ...headers },
      },
      { ...preparation, members },
    )
    if ('issue' in input) return { status: 0, headers: new Headers(), text: '', issue: input.issue, command: '' }
    const request = buildRequest(input, this.#listCredentials(actor))
    const command = formatCommand(request, input.body, actor.name)
    const response = await app.run(request)
    this.#keepCookies(actor, response)
    const { status } = response
    return { status, headers: response.headers, text: await response.text(), issue: null, command }
  }

  /** Returns the credentials of an actor, with cookies that responses have changed, such as the cookie of a rotating session. */
  #listCredentials({ name, credentials }: SignedActor): readonly Credential[] {
    const cookies = this.#cookies.get(name)
    return credentials.map((each) => {
      const value = each.in === 'cookie' ? cookies?.get(each.name) : undefined
      return value === undefined ? each : { ...each, value }
    })
  }

  #keepCookies({ name }: SignedActor, response: Response): void {
    const cookies = this.#cookies.get(name) ?? new Map<string, string>()
    for (const [cookie, value] of response.headers.getSetCookie().map(readSetCookie)) cookies.set(cookie, value)
    this.#cookies.set(name, cookies)
  }
}

function formatCommand({ method, url }: Request, body: unknown, actor: string): string {
  const data =
    typeof body === 'string'
      ? ` -H 'content-type: application/json' -d '${body.replaceAll("'", String.raw`'\''`)}'`
      : ''
  return `curl -X ${method} '${url}'${data} # with the credentials of ${actor}`
}
