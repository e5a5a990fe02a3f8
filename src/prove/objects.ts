/** Another user's objects: an actor creates an object, and the other actors must not read, change, delete or list it. */
import type { Call } from '../request/call.js'
import type { Endpoint } from '../request/endpoint.js'
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/known-keys.js'
import { SAFE_METHODS } from '../http/methods.js'
import { isObject, ownValue } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import type { SignedActor } from './actors.js'
import { ObjectRequests, type ActorResponse } from './object-requests.js'
import { DENIED, type ProofEndpoint, type ProofParts } from './proof-app.js'
import { bodyMembers, type Example, type ExampleValues } from './sample-request.js'

/** Place of a value in the response of the request that creates an object: the last segment of `Location`, or a member of the body. */
export type ObjectPlace = 'location' | `body.${string}`

/** Request that creates an object. */
export interface ObjectCreation extends Omit<Example, 'status'> {
  /** Name of the actor that creates and owns the object. */
  readonly as: string
  /** Endpoint as the file names it, such as `POST /bookings`. */
  readonly call: string
  /** Place of the id in the response. */
  readonly id: ObjectPlace
}

/** Objects of one kind. */
export interface ObjectProof {
  /** Request that creates an object. */
  readonly create: ObjectCreation
  /** Names of other actors that may use the object, such as an administrator. */
  readonly may?: readonly string[]
  /** Path parameters with the id or other values of the response; default: the parameter after the path of `create`. */
  readonly bind?: Readonly<Record<string, ObjectPlace>>
  /** Endpoints that every actor may call for the object, such as a list for all users. */
  readonly shared?: readonly string[]
  /** Whether the app may say that the object exists, with 403 for it and 404 for an unknown id. */
  readonly existence?: 'hidden' | 'public'
}

/** A finding of an endpoint. */
interface ObjectFinding {
  readonly target: ProofEndpoint
  readonly text: string
}

/** An object that exists. */
interface OwnedObject {
  readonly id: string
  /** Values of path parameters by name. */
  readonly params: ExampleValues
  /** The response to its owner; `null` if no endpoint reads it. */
  readonly before: ActorResponse | null
}

/** Everything that the check of one kind of object needs. */
interface ObjectRun {
  readonly name: string
  readonly proof: ObjectProof
  readonly owner: SignedActor
  readonly others: readonly SignedActor[]
  readonly creator: ProofEndpoint
  /** Parameters of paths, and members of bodies, with the places of their values. */
  readonly bind: Readonly<Record<string, ObjectPlace>>
  /** Names in `bind` of the id itself. */
  readonly idNames: readonly string[]
  /** Endpoint that reads one object; `undefined` if there is none. */
  readonly reader: ProofEndpoint | undefined
}

const ORDER = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE']

export class ObjectCheck {
  /** Descriptions of the created objects. */
  readonly created: string[] = []
  readonly findings: ObjectFinding[] = []
  readonly #parts: ProofParts
  readonly #requests: ObjectRequests

  constructor(parts: ProofParts) {
    this.#parts = parts
    this.#requests = new ObjectRequests(parts)
  }

  async check(name: string, proof: ObjectProof): Promise<void> {
    const { endpoints } = this.#parts.app
    const owner = this.#getActor(proof.create.as)
    const may = new Set((proof.may ?? []).map((each) => this.#getActor(each)))
    const otherActors = this.#parts.actors.filter((actor) => actor !== owner && !may.has(actor))
    const creator = this.#getEndpoint(proof.create.call)
    const shared = new Set((proof.shared ?? []).map((label) => this.#getEndpoint(label)))
    const bind = proof.bind ?? { [idParameter(creator.endpoint, endpoints)]: proof.create.id }
    const idNames = Object.keys(bind).filter((parameter) => bind[parameter] === proof.create.id)
    const callable = endpoints.filter(({ endpoint }) => endpoint.upgrade === null)
    const used = callable.filter((target) => !shared.has(target))
    const ofObject = callable.filter((target) => takesObject(target, { bind, creator, proof }))
    const bound = ofObject.filter((target) => !shared.has(target))
    // Also if it is shared, because a change of a public object counts.
    const isReader = ({ endpoint: { method, path } }: ProofEndpoint): boolean =>
      method === 'GET' && idNames.some((parameter) => path.endsWith(`{${parameter}}`))
    const run = { name, proof, owner, others: otherActors, creator, bind, idNames, reader: ofObject.find(isReader) }
    let object = await this.#create(run)
    const isList = ({ endpoint: { method, path } }: ProofEndpoint): boolean =>
      SAFE_METHODS.has(method) && path === creator.endpoint.path
    const lists = used.filter(isList)
    for (const list of lists) await this.#checkList(list, run, object)
    const sorted = bound.toSorted((one, other) => methodOrder(one) - methodOrder(other))
    for (const target of [...sorted, ...used.filter((each) => !bound.includes(each) && this.#namesObject(each, run))]) {
      for (const actor of otherActors) {
        const isIntact = await this.#try(target, actor, run, object)
        // The next actor needs an object that still exists.
        if (!isIntact) object = await this.#create(run)
      }
    }
  }

  #getActor(name: string): SignedActor {
    const { actors } = this.#parts
    const actor = actors.find((each) => each.name === name)
    if (actor !== undefined) return actor
    const names = actors.map((each) => each.name)
    throw objectError(`"${name}" is not an actor.${suggestion(name, names)} The actors are ${names.join(', ')}`)
  }

  #getEndpoint(label: string): ProofEndpoint {
    const { endpoints } = this.#parts.app
    const target = endpoints.find((each) => each.label === label)
    if (target !== undefined) return target
    const labels = endpoints.map((each) => each.label)
    const state = `no endpoint has the name "${label}".${suggestion(label, labels)}`
    throw objectError(`${state} The endpoints are ${labels.join(', ')}`)
  }

  /** Creates the object. Throws if that fails, because nothing can be checked then. */
  async #create({ name, proof: { create }, owner, creator, bind, reader }: ObjectRun): Promise<OwnedObject> {
    const sent = await this.#requests.send(creator, owner, {}, create)
    if (!isSuccess(sent)) {
      const state = sent.issue ?? `the status is ${sent.status}`
      throw objectError(`${owner.name} cannot create "${name}" with ${create.call}: ${state}. Set "body" of "create"`)
    }
    const id = readPlace(sent, create.id, create.call)
    const bound = Object.entries(bind).map(([parameter, place]) => [parameter, readPlace(sent, place, create.call)])
    const params = { ...create.params, ...Object.fromEntries(bound) }
    this.created.push(`${name} ${id}, by ${owner.name} with ${create.call}`)
    return { id, params, before: reader === undefined ? null : await this.#readStable(reader, owner, params) }
  }

  /** Reads the object twice. Its body is only compared if both are equal. */
  async #readStable(
    reader: ProofEndpoint,
    owner: SignedActor,
    params: OwnedObject['params'],
  ): Promise<ActorResponse | null> {
    const first = await this.#requests.send(reader, owner, { params })
    const second = await this.#requests.send(reader, owner, { params })
    if (isSuccess(second)) return first.text === second.text ? second : { ...second, text: '' }
    const state = second.issue ?? `the status is ${second.status}: ${second.command}`
    this.#add(reader, `undecided, because ${owner.name} created the object and cannot read it: ${state}`)
    return null
  }

  /** Returns whether the object is as it was before. */
  async #try(target: ProofEndpoint, actor: SignedActor, run: ObjectRun, object: OwnedObject): Promise<boolean> {
    const members = Object.fromEntries(run.idNames.map((name) => [name, object.id]))
    const sent = await this.#requests.send(target, actor, { params: object.params, members })
    if (sent.issue !== null) this.#add(target, `needs an example, because ${sent.issue}`)
    else if (!DENIED.has(sent.status)) this.#addUse(target, actor, run, sent)
    else if (target.endpoint.method === 'GET') await this.#tryReads(target, actor, { run, object, status: sent.status })
    if (target.endpoint.method === 'GET') return true
    const change = await this.#findChange(run, object)
    if (change !== null) this.#add(target, `${actor.name} ${change}, and got ${sent.status}: ${sent.command}`)
    return change === null
  }

  #addUse(
    target: ProofEndpoint,
    actor: SignedActor,
    { owner, bind, creator, proof }: ObjectRun,
    sent: ActorResponse,
  ): void {
    // A new object with the same members may be valid. If the first object changes, that is found.
    if (isSuccess(sent) && !takesObject(target, { bind, creator, proof })) return
    const what = isSuccess(sent) ? 'used' : 'undecided for'
    this.#add(target, `${actor.name} ${what} the object of ${owner.name} (${sent.status}): ${sent.command}`)
  }

  /** Returns how the object differs from before; `null` if it does not. */
  async #findChange({ reader, owner }: ObjectRun, { params, before }: OwnedObject): Promise<string | null> {
    if (reader === undefined || before === null) return null
    const after = await this.#requests.send(reader, owner, { params })
    if (after.status !== before.status) return `left ${owner.name} with ${after.status} for the object`
    return before.text === '' || after.text === before.text ? null : `changed the object of ${owner.name}`
  }

  /** Requests the object with its ETag, ids beside the id if it is a number, and an id that does not exist. */
  async #tryReads(
    target: ProofEndpoint,
    actor: SignedActor,
    { run, object, status }: { run: ObjectRun; object: OwnedObject; status: number },
  ): Promise<void> {
    const { params, id, before } = object
    const etag = before?.headers.get('etag') ?? null
    if (etag !== null) {
      const sent = await this.#requests.send(target, actor, { params, headers: { 'if-none-match': etag } })
      if (!DENIED.has(sent.status))
        this.#add(target, `${actor.name} gets ${sent.status} for the ETag of another user's object: ${sent.command}`)
    }
    const replace = (other: string): OwnedObject['params'] => ({
      ...params,
      ...Object.fromEntries(run.idNames.map((name) => [name, other])),
    })
    for (const otherId of neighborIds(id)) {
      const sent = await this.#requests.send(target, actor, { params: replace(otherId) })
      if (isSuccess(sent))
        this.#add(target, `${actor.name} reads the object beside it (${sent.status}): ${sent.command}`)
    }
    if (run.proof.existence === 'public') return
    const unknown = await this.#requests.send(target, actor, { params: replace(unknownId(id)) })
    if (unknown.issue !== null || unknown.status === status) return
    const difference = `${actor.name} gets ${status} for it and ${unknown.status} for an unknown id`
    this.#add(target, `${difference}, which tells that it exists: ${unknown.command}`)
  }

  async #checkList(list: ProofEndpoint, { owner, others }: ObjectRun, { params, id }: OwnedObject): Promise<void> {
    const ofOwner = await this.#requests.send(list, owner, { params })
    if (!containsId(ofOwner.text, id)) {
      const state = ofOwner.issue ?? `the list of ${owner.name} does not contain the object: ${ofOwner.command}`
      return this.#add(list, `undecided, because ${state}`)
    }
    for (const actor of others) {
      const sent = await this.#requests.send(list, actor, { params })
      if (containsId(sent.text, id))
        this.#add(list, `${actor.name} finds the object of ${owner.name} in the list: ${sent.command}`)
    }
  }

  /** Whether an endpoint below the path of the creation takes the id in its body. */
  #namesObject({ endpoint }: ProofEndpoint, { creator, idNames }: ObjectRun): boolean {
    const { path } = creator.endpoint
    if (endpoint.path !== path && !endpoint.path.startsWith(`${path}/`)) return false
    const members = bodyMembers(endpoint, this.#parts.preparation.converters)
    return idNames.some((name) => members.includes(name))
  }

  /** Adds a finding once, because some are the same for all actors. */
  #add(target: ProofEndpoint, text: string): void {
    if (this.findings.some((each) => each.target === target && each.text === text)) return
    this.findings.push({ target, text })
  }
}

function isSuccess({ status }: ActorResponse): boolean {
  return status >= 200 && status <= 299
}

function objectError(why: string): SetupError {
  return new SetupError('PROOF_INVALID', `Cannot use the objects of authorization(): ${why}`)
}

/** Whether the path of an endpoint has a bound parameter. Without `bind`, it must begin with the path of `create`. */
function takesObject(
  { endpoint: { path } }: ProofEndpoint,
  { bind, creator, proof }: Pick<ObjectRun, 'bind' | 'creator' | 'proof'>,
): boolean {
  if (proof.bind === undefined && !path.startsWith(`${creator.endpoint.path.replace(/\/$/, '')}/{`)) return false
  return Object.keys(bind).some((parameter) => path.includes(`{${parameter}}`))
}

function methodOrder({ endpoint }: ProofEndpoint): number {
  return ORDER.indexOf(endpoint.method)
}

/** Returns the name of the parameter after the path of an endpoint. */
function idParameter({ path }: Endpoint<Call>, endpoints: readonly ProofEndpoint[]): string {
  const start = `${path.replace(/\/$/, '')}/{`
  const longer = endpoints.find(({ endpoint }) => endpoint.path.startsWith(start))
  const name = /^\w+/.exec(longer?.endpoint.path.slice(start.length) ?? '')?.[0]
  if (name !== undefined) return name
  throw objectError(`no endpoint has the path "${start}id}". Write "bind: { bookingId: 'body.id' }"`)
}

function readPlace({ headers, text }: ActorResponse, place: ObjectPlace, call: string): string {
  const location = headers.get('location')
  if (place === 'location' && location !== null) return decodeURIComponent(location.replace(/^.*\//, ''))
  const body: unknown = valueOr(() => JSON.parse(text), undefined)
  const value = place
    .split('.')
    .slice(1)
    .reduce<unknown>((inner, key) => (isObject(inner) ? ownValue(inner, key) : undefined), body)
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw objectError(`the response of ${call} has no string or number at "${place}"`)
}

/** Whether a list contains the id, as the value of any member. */
function containsId(text: string, id: string): boolean {
  const search = (value: unknown): boolean => {
    if (isObject(value)) return Object.values(value).some(search)
    return (typeof value === 'string' || typeof value === 'number') && String(value) === id
  }
  return search(valueOr(() => JSON.parse(text), undefined))
}

/** Returns the numbers beside an id; an empty list if it is not a number. */
function neighborIds(id: string): readonly string[] {
  return /^[0-9]{1,15}$/.test(id) ? [String(Number(id) + 1), String(Number(id) - 1)] : []
}

/** Returns an id of the same form that no object has. */
function unknownId(id: string): string {
  if (/^[0-9]+$/.test(id)) return '2147483000'
  return id.replaceAll(/[0-9]/g, (digit) => String((Number(digit) + 5) % 10))
}
