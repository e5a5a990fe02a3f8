/** Another user's objects: an actor creates an object, and the other actors must not read, change, delete or list it. */
import type { Call } from '../request/call.js'
import type { Endpoint } from '../request/endpoint.js'
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/known-keys.js'
import { isObject, ownValue } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import type { SignedActor } from './actors.js'
import { ObjectRequests, type ObjectParts, type Sent } from './object-requests.js'
import type { ProofEndpoint } from './proof-app.js'
import { bodyMembers, type Example } from './sample-request.js'

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
export interface ObjectFinding {
  readonly target: ProofEndpoint
  readonly text: string
}

/** An object that exists. */
interface OwnedObject {
  readonly id: string
  /** Values of path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  /** Names that contain the id, in paths and bodies. */
  readonly idNames: readonly string[]
}

const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const REJECTED: ReadonlySet<number> = new Set([401, 403, 404])

export class ObjectCheck {
  /** Descriptions of the created objects. */
  readonly created: string[] = []
  readonly findings: ObjectFinding[] = []
  readonly #parts: ObjectParts
  readonly #requests: ObjectRequests

  constructor(parts: ObjectParts) {
    this.#parts = parts
    this.#requests = new ObjectRequests(parts)
  }

  async check(name: string, proof: ObjectProof): Promise<void> {
    const { create, may = [], shared = [] } = proof
    const { actors, app } = this.#parts
    const owner = this.#getActor(create.as)
    const object = await this.#create(name, proof, owner)
    const isUsed = (target: ProofEndpoint): boolean =>
      !shared.includes(target.label) && target.endpoint.upgrade === null
    const own = app.endpoints.filter((target) => isUsed(target) && takesObject(target.endpoint, object))
    const sorted = own.toSorted((one, other) => orderOf(one) - orderOf(other))
    const reader = sorted.find(({ endpoint }) => endpoint.method === 'GET' && endpoint.path.endsWith('}'))
    const before = reader === undefined ? null : await this.#readStable(reader, owner, object)
    const others = actors.filter((actor) => actor !== owner && !may.includes(actor.name))
    const list = app.endpoints.find((target) => isUsed(target) && target.label === create.call.replace(/^\w+/, 'GET'))
    if (list !== undefined) await this.#checkList(list, { owner, others, object })
    for (const target of [...sorted, ...this.#findBodies(object, create.call).filter(isUsed)]) {
      for (const actor of others) {
        await this.#try(target, actor, { object, proof, etag: before?.headers.get('etag') ?? null })
        if (reader === undefined || before === null || target.endpoint.method === 'GET') continue
        await this.#checkUnchanged(target, actor, { reader, owner, object, before })
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

  /** Creates the object. Throws if that fails, because nothing can be checked then. */
  async #create(name: string, { create, bind }: ObjectProof, owner: SignedActor): Promise<OwnedObject> {
    const { endpoints } = this.#parts.app
    const target = endpoints.find(({ label }) => label === create.call)
    if (target === undefined) {
      const labels = endpoints.map(({ label }) => label)
      throw objectError(`no endpoint has the name "${create.call}".${suggestion(create.call, labels)}`)
    }
    const sent = await this.#requests.send(target, owner, {}, create)
    if (typeof sent === 'string') throw objectError(`"${create.call}" needs a body or other input: ${sent}`)
    if (sent.status < 200 || sent.status > 299) {
      throw objectError(
        `${owner.name} cannot create it: the status is ${sent.status}. Set "body" of "create.${create.call}"`,
      )
    }
    const read = (place: ObjectPlace): string => readPlace(sent, place, create.call)
    const id = read(create.id)
    const names = bind ?? { [findParameter(target.endpoint, endpoints)]: create.id }
    const params = Object.entries(names).map(([parameter, place]) => [parameter, read(place)] as const)
    const given = Object.entries(create.params ?? {}).map(([parameter, value]) => [parameter, String(value)] as const)
    this.created.push(`${name} ${id}, by ${owner.name} with ${create.call}`)
    const idNames = params.flatMap(([parameter, value]) => (value === id ? parameter : []))
    return { id, params: Object.fromEntries([...given, ...params]), idNames }
  }

  /** Reads the object twice. Its body is only compared if both are equal. */
  async #readStable(reader: ProofEndpoint, owner: SignedActor, { params }: OwnedObject): Promise<Sent | null> {
    const [first, second] = [
      await this.#requests.send(reader, owner, { params }),
      await this.#requests.send(reader, owner, { params }),
    ]
    if (typeof first === 'string' || typeof second === 'string') return null
    if (second.status < 200 || second.status > 299) {
      this.#add(
        reader,
        `undecided, because ${owner.name} created the object and gets ${second.status}: ${second.command}`,
      )
      return null
    }
    return first.text === second.text ? second : { ...second, text: '' }
  }

  async #checkUnchanged(
    target: ProofEndpoint,
    actor: SignedActor,
    { reader, owner, object, before }: { reader: ProofEndpoint; owner: SignedActor; object: OwnedObject; before: Sent },
  ): Promise<void> {
    const after = await this.#requests.send(reader, owner, { params: object.params })
    if (typeof after === 'string') return
    if (after.status === before.status && (before.text === '' || after.text === before.text)) return
    const change = after.status === before.status ? 'changed it' : `left ${owner.name} with ${after.status}`
    this.#add(target, `${actor.name} ${change}, whatever the response said`)
  }

  async #try(
    target: ProofEndpoint,
    actor: SignedActor,
    { object, proof, etag }: { object: OwnedObject; proof: ObjectProof; etag: string | null },
  ): Promise<void> {
    const { params, id, idNames } = object
    const members = Object.fromEntries(idNames.map((name) => [name, id]))
    const sent = await this.#requests.send(target, actor, { params, members })
    if (typeof sent === 'string') return this.#add(target, `needs an example, because ${sent}`)
    const isOfBody = !takesObject(target.endpoint, object)
    if (!REJECTED.has(sent.status)) {
      const isDone = sent.status >= 200 && sent.status <= 299
      // A new object with a similar body may be valid. If the first object changes, `#checkUnchanged` reports it.
      if (isDone && isOfBody) return
      const what = isDone ? 'used' : 'undecided for'
      return this.#add(
        target,
        `${actor.name} ${what} the object of ${proof.create.as} (${sent.status}): ${sent.command}`,
      )
    }
    if (target.endpoint.method !== 'GET') return
    if (etag !== null) await this.#tryCached(target, actor, { params, etag })
    await this.#tryOthers(target, actor, { object, status: sent.status, isPublic: proof.existence === 'public' })
  }

  async #tryCached(
    target: ProofEndpoint,
    actor: SignedActor,
    { params, etag }: { params: OwnedObject['params']; etag: string },
  ): Promise<void> {
    const sent = await this.#requests.send(target, actor, { params, headers: { 'if-none-match': etag } })
    if (typeof sent === 'string' || REJECTED.has(sent.status)) return
    this.#add(target, `${actor.name} gets ${sent.status} for the ETag of another user's object: ${sent.command}`)
  }

  /** Requests ids beside the id, if it is a number, and an id that does not exist. */
  async #tryOthers(
    target: ProofEndpoint,
    actor: SignedActor,
    { object, status, isPublic }: { object: OwnedObject; status: number; isPublic: boolean },
  ): Promise<void> {
    const replace = (id: string): OwnedObject['params'] =>
      Object.fromEntries(Object.entries(object.params).map(([name, value]) => [name, value === object.id ? id : value]))
    const number = /^[0-9]{1,15}$/.test(object.id) ? Number(object.id) : null
    for (const id of number === null ? [] : [number + 1, number - 1]) {
      const sent = await this.#requests.send(target, actor, { params: replace(String(id)) })
      if (typeof sent === 'string' || sent.status < 200 || sent.status > 299) continue
      this.#add(target, `${actor.name} reads the object beside it (${sent.status}): ${sent.command}`)
    }
    if (isPublic) return
    const unknown = await this.#requests.send(target, actor, { params: replace(unknownId(object.id)) })
    if (typeof unknown === 'string' || unknown.status === status) return
    const difference = `${actor.name} gets ${status} for it and ${unknown.status} for an unknown id`
    this.#add(target, `${difference}, which tells that it exists: ${unknown.command}`)
  }

  async #checkList(
    list: ProofEndpoint,
    { owner, others, object }: { owner: SignedActor; others: readonly SignedActor[]; object: OwnedObject },
  ): Promise<void> {
    const { params, id } = object
    const ofOwner = await this.#requests.send(list, owner, { params })
    if (typeof ofOwner === 'string') return this.#add(list, `needs an example, because ${ofOwner}`)
    if (!containsId(ofOwner.text, id))
      return this.#add(
        list,
        `undecided, because the list of ${owner.name} does not contain the object: ${ofOwner.command}`,
      )
    for (const actor of others) {
      const sent = await this.#requests.send(list, actor, { params })
      if (typeof sent !== 'string' && containsId(sent.text, id))
        this.#add(list, `${actor.name} finds the object of ${owner.name} in the list: ${sent.command}`)
    }
  }

  /** Returns endpoints below the path of the creation that take the id in their body. */
  #findBodies(object: OwnedObject, call: string): ProofEndpoint[] {
    const { app, preparation } = this.#parts
    const path = call.replace(/^\S+ /, '')
    return app.endpoints.filter(({ endpoint }) => {
      if (takesObject(endpoint, object) || !(endpoint.path === path || endpoint.path.startsWith(`${path}/`)))
        return false
      const members = bodyMembers(endpoint, preparation.converters)
      return object.idNames.some((name) => members.includes(name))
    })
  }

  /** Adds a finding once, because some are the same for all actors. */
  #add(target: ProofEndpoint, text: string): void {
    if (this.findings.some((each) => each.target === target && each.text === text)) return
    this.findings.push({ target, text })
  }
}

function objectError(why: string): SetupError {
  return new SetupError('PROOF_INVALID', `Cannot use the objects of authorization(): ${why}`)
}

/** Whether the path of an endpoint has a parameter that contains the id. */
function takesObject({ path }: Endpoint<Call>, { idNames }: OwnedObject): boolean {
  return idNames.some((name) => path.includes(`{${name}}`))
}

function orderOf({ endpoint }: ProofEndpoint): number {
  return ORDER.indexOf(endpoint.method)
}

/** Returns the name of the parameter after the path of an endpoint. */
function findParameter({ path }: Endpoint<Call>, endpoints: readonly ProofEndpoint[]): string {
  const start = `${path === '/' ? '' : path}/{`
  const longer = endpoints.find(({ endpoint }) => endpoint.path.startsWith(start))
  const name = /^\w+/.exec(longer?.endpoint.path.slice(start.length) ?? '')?.[0]
  if (name !== undefined) return name
  throw objectError(`no endpoint has the path "${start}id}". Write "bind: { bookingId: 'body.id' }"`)
}

function readPlace({ headers, text }: Sent, place: ObjectPlace, call: string): string {
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

/** Returns an id of the same form that no object has. */
function unknownId(id: string): string {
  if (/^[0-9]+$/.test(id)) return '2147483000'
  return id
    .replaceAll(/[0-9]/g, (digit) => String((Number(digit) + 5) % 10))
    .replace(/[a-f](?=[^a-f]*$)/, (letter) => (letter === 'a' ? 'b' : 'a'))
}
