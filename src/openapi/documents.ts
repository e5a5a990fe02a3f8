/** The OpenAPI documents of an app: one for each version that clients can request. */
import { createHash } from 'node:crypto'
import { optionError } from '../errors/options.js'
import type { OpenApiDocument, OpenApiInfo, OpenApiVersion } from '../setup/document-types.js'
import type { DocumentedEndpoint, DocumentFinding } from './components.js'
import { makeDocument, type MadeDocument } from './document.js'
import type { Converters } from '../validation/describe-schema.js'
import { satisfies } from '../versioning/constraint.js'
import { compareVersions, parseVersion, printVersion, type Version } from '../versioning/version.js'
import { documentedEndpoint, documentEndpoint } from './describe-endpoint.js'
import type { Endpoint, VersionedEndpoint } from '../request/endpoint.js'
import { DEFAULTS, type OpenApiOptions, withDefaults, type VersionSettings } from '../setup/options.js'
import { isVersioned } from '../setup/versions.js'

interface DocumentsParts {
  readonly name: string
  readonly version: string
  readonly endpoints: readonly Endpoint[]
  readonly versioning: VersionSettings
  readonly converters: Converters
  readonly options: Pick<OpenApiOptions, 'version' | 'info' | 'servers' | 'tags'>
}

interface DocumentText {
  readonly text: string
  /** Strong ETag. */
  readonly etag: string
}

/** Maximum total length: 16 MB, with at most two bytes per character. Clients that request many versions must not fill the memory. */
const MAX_TEXT_LENGTH = 8 * 1024 * 1024
const MAX_TEXTS = 100

export class Documents {
  readonly isVersioned: boolean
  readonly #parts: DocumentsParts
  readonly #versioned: readonly VersionedEndpoint[]
  readonly #fallback: Version | undefined
  /** Documents by the set of endpoints that they contain. The version constraints limit the number of sets. */
  readonly #documents = new Map<string, MadeDocument>()
  /** Serialized documents by version, oldest first. */
  readonly #texts = new Map<string, DocumentText>()
  #textLength = 0

  constructor(parts: DocumentsParts) {
    this.#parts = parts
    this.#versioned = parts.endpoints.filter(isVersioned)
    this.isVersioned = this.#versioned.length > 0
    this.#fallback = parseVersion(parts.versioning.fallback)
  }

  /** Returns the document for a version; default: the default version of the app. Throws a `SetupError` for an invalid version. */
  document(requestedVersion: string | undefined): OpenApiDocument {
    const version = requestedVersion === undefined ? this.#fallback : parseVersion(requestedVersion)
    if (requestedVersion !== undefined && version === undefined) {
      throw optionError(
        'openapi()',
        'version',
        `it must be a version, not "${requestedVersion}". Write "version: '1.4.0'"`,
      )
    }
    return this.#shown(JSON.parse(this.#make(version).text), version)
  }

  /** Returns the document of all endpoints of all versions. The console reads it, and always gets OpenAPI 3.2. */
  whole(): OpenApiDocument {
    const { endpoints, versioning } = this.#parts
    return JSON.parse(
      this.#made(
        endpoints.map((endpoint) => documentEndpoint(endpoint, versioning)),
        '3.2',
      ).text,
    )
  }

  text(requestedVersion: Version | undefined): DocumentText {
    const version = requestedVersion ?? this.#fallback
    const name = version === undefined ? '' : printVersion(version)
    const cached = this.#texts.get(name)
    if (cached !== undefined) return cached
    const { text: made } = this.#make(version)
    const text = this.#isShown(version) ? JSON.stringify(this.#shown(JSON.parse(made), version)) : made
    const textEntry = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
    this.#texts.set(name, textEntry)
    this.#textLength += text.length
    for (const [oldest, { text: other }] of this.#texts) {
      if (oldest === name || (this.#textLength <= MAX_TEXT_LENGTH && this.#texts.size <= MAX_TEXTS)) break
      this.#texts.delete(oldest)
      this.#textLength -= other.length
    }
    return textEntry
  }

  findings(): DocumentFinding[] {
    const findings = [this.#fallback, ...this.#starts()].flatMap((version) => this.#make(version).findings)
    return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()]
  }

  /** Returns a version for each document that clients can request, oldest first. The current one has the endpoints of `requested`. */
  versions(requested: Version | undefined): readonly { readonly name: string; readonly isCurrent: boolean }[] {
    const all = [...(this.#fallback === undefined ? [] : [this.#fallback]), ...this.#starts()]
    const byEndpoints = new Map(all.toReversed().map((version) => [this.#keyOf(version), version]))
    const current = this.#keyOf(requested ?? this.#fallback)
    return [...byEndpoints]
      .toSorted(([, a], [, b]) => Number(a.kind === 'date') - Number(b.kind === 'date') || compareVersions(a, b))
      .map(([key, version]) => ({ name: printVersion(version), isCurrent: key === current }))
  }

  /** Returns the first version of each interval of the constraints. */
  #starts(): Version[] {
    return this.#versioned.flatMap(({ constraint }) => constraint.intervals.map(({ from }) => from))
  }

  /** Whether a document names its version. */
  #isShown(version: Version | undefined): version is Version {
    return this.isVersioned && version !== undefined
  }

  #shown(document: OpenApiDocument, version: Version | undefined): OpenApiDocument {
    const { options, versioning } = this.#parts
    if (!this.#isShown(version)) return document
    const name = printVersion(version)
    const parts = [document.info['description'], describeSelection(name, versioning)]
    const description = parts.filter((part) => typeof part === 'string').join('\n\n')
    const info = {
      ...document.info,
      version: options.info?.version ?? name,
      ...(description !== '' && { description }),
    }
    return { ...document, info }
  }

  #make(version: Version | undefined): MadeDocument {
    const key = this.#keyOf(version)
    const cached = this.#documents.get(key)
    if (cached !== undefined) return cached
    const { endpoints, versioning, options } = this.#parts
    const seen = endpoints.filter(({ constraint }) => isSeen(constraint, version))
    const documentedEndpoints = seen.map((endpoint) => documentedEndpoint(endpoint, versioning))
    const document = this.#made(documentedEndpoints, options.version ?? DEFAULTS.openapi.version)
    this.#documents.set(key, document)
    return document
  }

  /** Returns a key that is equal for versions with the same endpoints. */
  #keyOf(version: Version | undefined): string {
    return this.#versioned.map(({ constraint }) => (isSeen(constraint, version) ? 'x' : '-')).join('')
  }

  #made(endpoints: readonly DocumentedEndpoint[], openapi: OpenApiVersion): MadeDocument {
    const { name, version, converters, options } = this.#parts
    const info = withDefaults<OpenApiInfo>({ title: name, version }, options.info)
    const { servers, tags } = options
    return makeDocument({ openapi, info, servers, tags, endpoints, converters })
  }
}

/** Returns how requests select a version; `undefined` if only a function of the author knows it. */
function describeSelection(version: string, settings: VersionSettings): string | undefined {
  const { field, description, fallback, isRequired } = settings
  if (field === undefined && description === undefined) return undefined
  const how = description ?? `Requests select it with the header \`${field?.(version)}\`.`
  const without = isRequired ? 'are rejected' : `use version ${fallback}`
  return `This document describes version ${version}. ${how} Requests without a version ${without}.`
}

function isSeen(constraint: Endpoint['constraint'], version: Version | undefined): boolean {
  return constraint === null || (version !== undefined && satisfies(constraint, version))
}
