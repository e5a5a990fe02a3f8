/** Compares an operation of two documents: parameters, request body, responses and security. */
import { expandAlternatives, type Alternative } from './alternatives.js'
import { keywordPlaces, type Change, type ChangeFinding, type Operation, type Side } from './finding.js'
import {
  canonical,
  child,
  children,
  followReference,
  member,
  members,
  schemaChild,
  type DocumentLocation,
} from './place.js'
import { pairSchemas } from './items.js'
import type { SchemaComparison } from './schemas.js'
import { securityChanges } from './security.js'

/** The part of an operation that a schema describes, with its names in rule ids and messages. */
interface Subject {
  readonly side: Side
  readonly rule: string
  /** Rule name of the values inside it. */
  readonly inner: string
  readonly name: string
  /** Whether it is a form, which sends an array by repeating a field. */
  readonly isForm?: boolean
}

const FORMS: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

export class OperationComparison {
  readonly #before: Operation
  readonly #after: Operation
  readonly #schemas: SchemaComparison

  constructor(before: Operation, after: Operation, schemas: SchemaComparison) {
    this.#before = before
    this.#after = after
    this.#schemas = schemas
  }

  changes(): Change[] {
    return [...this.#parameters(), ...this.#body(), ...this.#responses(), ...securityChanges(this.#before, this.#after)]
  }

  #parameters(): Change[] {
    const [old, now] = [collectParameters(this.#before), collectParameters(this.#after)]
    const differences = [...old].flatMap(([key, parameter]) => {
      const same = now.get(key)
      if (same !== undefined) return this.#parameter(parameter, same)
      if (isFlagSet(parameter, 'deprecated')) return []
      return [
        createChange('request-parameter-removed', parameter, `${readParameterName(parameter)} is no longer accepted`),
      ]
    })
    const added = [...now].flatMap(([key, parameter]) =>
      old.has(key) || !isFlagSet(parameter, 'required')
        ? []
        : [
            createChange(
              'new-required-request-parameter',
              parameter,
              `${readParameterName(parameter)} is new and required`,
            ),
          ],
    )
    return [...differences, ...added]
  }

  #parameter(before: DocumentLocation, after: DocumentLocation): Change[] {
    const subject = {
      side: 'request',
      rule: 'request-parameter',
      inner: 'request-parameter-property',
      name: readParameterName(after),
    } as const
    const [old, now] = [parameterSchema(before), parameterSchema(after)]
    const changes = this.#acceptsOneItem(old, now) ? [] : this.#schema(old, now, subject)
    if (isFlagSet(before, 'required')) return changes
    changes.unshift(...defaultChanges(old, now, subject.name))
    if (!isFlagSet(after, 'required')) return changes
    return [createChange('request-parameter-became-required', after, `${subject.name} is now required`), ...changes]
  }

  /** Whether an array replaces a single value. This is compatible in parameters and forms, because a single value is sent the same way. */
  #acceptsOneItem(before: DocumentLocation, after: DocumentLocation): boolean {
    const isArray = ({ types }: Alternative): boolean => types.has('array')
    if (expandAlternatives([before]).some(isArray) || !expandAlternatives([after]).some(isArray)) return false
    const { root, pointer, value: items } = before
    const list = { type: 'array', items, minItems: 1, maxItems: 1, uniqueItems: true }
    return this.#schemas.compare([{ root, pointer: `${pointer}/list`, value: list }], [after], 'request').length === 0
  }

  #body(): Change[] {
    const [before, after] = [
      member(this.#before.operation, 'requestBody'),
      member(this.#after.operation, 'requestBody'),
    ]
    if (before.value === undefined) {
      return isFlagSet(after, 'required')
        ? [createChange('request-body-added-required', after, 'the request body is new and required')]
        : []
    }
    if (after.value === undefined)
      return [createChange('request-body-removed', before, 'the request body is no longer accepted')]
    const became = !isFlagSet(before, 'required') && isFlagSet(after, 'required')
    const subject = {
      side: 'request',
      rule: 'request-body',
      inner: 'request-property',
      name: 'the request body',
    } as const
    return [
      ...(became ? [createChange('request-body-became-required', after, 'the request body is now required')] : []),
      ...this.#content(before, after, subject),
    ]
  }

  #responses(): Change[] {
    const [before, after] = [member(this.#before.operation, 'responses'), member(this.#after.operation, 'responses')]
    return members(before).flatMap(([status, response]) => {
      const same = member(after, status)
      if (same.value !== undefined) return this.#response(response, same, status)
      // A removed error status is covered by `default`.
      if (!status.startsWith('2')) return []
      return [createChange('response-success-status-removed', response, `the ${status} response was removed`)]
    })
  }

  #response(before: DocumentLocation, after: DocumentLocation, status: string): Change[] {
    const name = `the ${status} response`
    const subject = { side: 'response', rule: 'response-body', inner: 'response-property', name } as const
    const [old, now] = [child(before, 'headers'), child(after, 'headers')]
    const fields = new Map(members(now).map(([field, place]) => [field.toLowerCase(), place]))
    const ofHeaders = members(old).flatMap(([field, header]) =>
      this.#header(header, fields.get(field.toLowerCase()), `the header "${field}" of ${name}`),
    )
    return [...ofHeaders, ...this.#content(before, after, subject)]
  }

  #header(before: DocumentLocation, after: DocumentLocation | undefined, name: string): Change[] {
    const isRequired = isFlagSet(before, 'required')
    if (after === undefined) {
      const rule = `${isRequired ? 'required' : 'optional'}-response-header-removed`
      return isFlagSet(before, 'deprecated') ? [] : [createChange(rule, before, `${name} was removed`)]
    }
    const subject = { side: 'response', rule: 'response-header', inner: 'response-header', name } as const
    const changes = this.#schema(parameterSchema(before), parameterSchema(after), subject)
    if (!isRequired || isFlagSet(after, 'required')) return changes
    return [createChange('response-header-became-optional', after, `${name} may now be absent`), ...changes]
  }

  /** Compares the content of each media type. */
  #content(before: DocumentLocation, after: DocumentLocation, subject: Subject): Change[] {
    const { side, name } = subject
    const types = members(child(after, 'content'))
    return members(child(before, 'content')).flatMap(([type, media]) => {
      const same =
        types.find(([other]) => other === type) ??
        types.find(([other]) => side === 'request' && coversType(other, type))
      if (same !== undefined) {
        const named = { ...subject, name: `${name}${types.length > 1 ? ` (${type})` : ''}` }
        return this.#media(media, same[1], { ...named, isForm: side === 'request' && FORMS.has(type) })
      }
      const [rule, says] =
        side === 'request' ? ['request-body', 'no longer accepts'] : ['response', 'is no longer sent as']
      return [createChange(`${rule}-media-type-removed`, media, `${name} ${says} ${type}`)]
    })
  }

  #media(before: DocumentLocation, after: DocumentLocation, subject: Subject): Change[] {
    const changes = pairSchemas(before, after).flatMap(([old, now]) => this.#mediaSchema(old, now, after, subject))
    const hasFields = [before, after].every((media) => child(media, 'schema').value !== undefined)
    const isForm = subject.side === 'request' && hasFields
    return isForm ? [...changes, ...partChanges(before, after, subject.name)] : changes
  }

  #mediaSchema(old: DocumentLocation, now: DocumentLocation, after: DocumentLocation, subject: Subject): Change[] {
    if (old.value !== undefined && now.value !== undefined) return this.#schema(old, now, subject)
    if (subject.side === 'request') {
      if (now.value === undefined) return []
      return [createChange('request-body-media-type-schema-added', now, `${subject.name} now has a schema`)]
    }
    if (old.value === undefined) return []
    return [createChange('response-body-media-type-schema-removed', after, `${subject.name} no longer has a schema`)]
  }

  #schema(before: DocumentLocation, after: DocumentLocation, subject: Subject): Change[] {
    const findings = this.#schemas.compare([before], [after], subject.side)
    const fields = subject.isForm ? this.#fieldsWithOneItem(before, after) : []
    return findings
      .filter(({ trail: [name, ...inner] }) => name === undefined || inner.length > 0 || !fields.includes(name))
      .map((finding) => inSentence(finding, subject))
  }

  /** Returns the fields of a form that became an array and still accept the single value. */
  #fieldsWithOneItem(before: DocumentLocation, after: DocumentLocation): string[] {
    const fields = child(schemaChild(after), 'properties')
    return children(child(schemaChild(before), 'properties')).flatMap(([name, field]) => {
      const same = child(fields, name)
      return same.value !== undefined && this.#acceptsOneItem(field, same) ? [name] : []
    })
  }
}

function inSentence({ rule, trail, pointer, says }: ChangeFinding, { rule: of, inner, name }: Subject): Change {
  const where = trail.length === 0 ? name : `"/${trail.join('/')}" of ${name}`
  return { rule: rule.replace('*', trail.length === 0 ? of : inner), pointer, message: `${where} ${says}` }
}

function createChange(rule: string, { pointer }: DocumentLocation, message: string): Change {
  return { rule, pointer, message }
}

function isFlagSet(place: DocumentLocation, key: string): boolean {
  return child(place, key).value === true
}

/** Reports a changed default, because clients that omit the parameter rely on it. */
function defaultChanges(before: DocumentLocation, after: DocumentLocation, name: string): Change[] {
  const [old, now] = [findDefault(before), findDefault(after)]
  const [was, is] = [formatDefault(old), formatDefault(now)]
  // If the parameter became an array, its default is the same with one item.
  if (was === is || `[${was}]` === is) return []
  const removedOrChanged = now === undefined ? 'removed' : 'changed'
  const rule = `request-parameter-default-value-${old === undefined ? 'added' : removedOrChanged}`
  return [createChange(rule, now ?? after, `${name} has a different "default": ${is} instead of ${was}`)]
}

function findDefault(schema: DocumentLocation): DocumentLocation | undefined {
  return expandAlternatives([schema]).flatMap((alternative) => keywordPlaces(alternative, 'default'))[0]
}

function formatDefault(place: DocumentLocation | undefined): string {
  return place === undefined ? 'none' : canonical(place)
}

/** Returns the parameters of the path item and the operation by `in` and name, but path parameters by their position in the path. */
function collectParameters({ operation, item, path }: Operation): Map<string, DocumentLocation> {
  const order = [...path.matchAll(/{([^{}]*)}/g)].map(([, name]) => name)
  const parameters = new Map<string, DocumentLocation>()
  for (const level of [item, operation]) {
    for (const [, parameter] of members(child(level, 'parameters'))) {
      const [name, where] = ['name', 'in'].map((key) => String(child(parameter, key).value))
      const key = where === 'header' ? name?.toLowerCase() : name
      parameters.set(where === 'path' ? `path ${order.indexOf(name)}` : `${where} ${key}`, parameter)
    }
  }
  return parameters
}

function readParameterName(parameter: DocumentLocation): string {
  return `the ${String(child(parameter, 'in').value)} parameter "${String(child(parameter, 'name').value)}"`
}

/** Returns the schema of a parameter or a header: its `schema`, or the schema of its `content`. */
function parameterSchema(place: DocumentLocation): DocumentLocation {
  const schemaPlace = child(place, 'schema')
  const [content] = children(child(place, 'content'))
  return schemaPlace.value === undefined && content !== undefined
    ? child(followReference(content[1]), 'schema')
    : schemaPlace
}

/** Reports media types that a part of a form no longer accepts. */
function partChanges(before: DocumentLocation, after: DocumentLocation, name: string): Change[] {
  return children(child(after, 'encoding')).flatMap(([part, encoding]) => {
    const [known, taken] = [
      child(child(child(before, 'encoding'), part), 'contentType'),
      child(encoding, 'contentType'),
    ]
    if (taken.value === undefined) return []
    const types = mediaTypes(taken)
    return mediaTypes(known)
      .filter((type) => !types.some((range) => coversType(range, type)))
      .map((type) =>
        createChange(
          'request-body-encoding-content-type-removed',
          taken,
          `"/${part}" of ${name} no longer accepts ${type}`,
        ),
      )
  })
}

/** Returns the media types in a `contentType`, or the range of all types without one. */
function mediaTypes({ value = '*/*' }: DocumentLocation): string[] {
  return String(value)
    .split(',')
    .map((type) => type.trim())
}

/** Whether a range of media types, such as `image/*`, contains a type. */
function coversType(range: string, type: string): boolean {
  return range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
}
