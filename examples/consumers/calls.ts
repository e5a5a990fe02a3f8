/** Values that each client sends, the values that must arrive, and the types that it must have. */

/** The base URL, and headers that the client sends with every request. */
export interface Target {
  readonly base: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Drawing {
  readonly shape:
    { readonly kind: 'circle'; readonly radius: number } | { readonly kind: 'square'; readonly side: number }
  readonly size: number | 'auto'
  readonly labels: Readonly<Record<string, number | undefined>>
  readonly tags: readonly string[]
  readonly drawn: string
  readonly owner: string | null
  readonly note?: string | undefined
}

interface Results {
  readonly path: { readonly shelf: string; readonly id: number }
  readonly 'list in a path': { readonly ids: readonly number[] }
  readonly query: {
    readonly limit: number | 'all'
    readonly exact?: boolean | undefined
    readonly tag?: readonly string[] | undefined
  }
  readonly 'record in a query': Readonly<Record<string, number | undefined>>
  readonly headers: { readonly 'x-trace': string; readonly 'x-tags': readonly string[] }
  readonly cookie: { readonly theme: string }
  readonly form: { readonly name: string; readonly count: number; readonly tag: readonly string[] }
  readonly multipart: { readonly title: string; readonly year: number; readonly name: string; readonly bytes: number }
  readonly json: Drawing
  /** The objects of the events; a string if the client does not parse them. */
  readonly events: readonly { readonly count: number }[] | string
  readonly problem: { readonly status: number; readonly detail?: string | undefined }
  readonly bytes: Uint8Array
  readonly text: string
  readonly nothing: null
  readonly 'no operationId': { readonly name: string }
  readonly version: { readonly amount: number; readonly currency: string }
  readonly 'version in headers of the client': { readonly amount: number; readonly currency: string }
  readonly 'version in Accept': { readonly amount: number; readonly currency: string }
}

export type CallName = keyof Results

/** Calls of one client. They throw if the response is an error, except for the call `problem`. */
export type Calls = { readonly [Name in CallName]: (target: Target) => Promise<Results[Name]> }

export const DRAWING = {
  shape: { kind: 'square' as const, side: 2.5 },
  size: 'auto' as const,
  labels: { a: 1 },
  tags: ['x', 'y'],
  drawn: '2026-01-31T12:00:00Z',
  owner: null,
}

export const ORDER = { name: 'Ann', count: 2, tag: ['a', 'b'] }

export function picture(): File {
  return new File([new Uint8Array([1, 2, 3])], 'tea.png', { type: 'image/png' })
}

export async function readBlob(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer())
}

const NEW_PRICE = { amount: 3, currency: 'EUR' }

export const EXPECTED: Results = {
  path: { shelf: 'a/b c', id: 7 },
  'list in a path': { ids: [1, 2] },
  query: { limit: 5, exact: true, tag: ['a', 'b'] },
  'record in a query': { a: 1, b: 2 },
  headers: { 'x-trace': 't1', 'x-tags': ['a', 'b'] },
  cookie: { theme: 'dark' },
  form: ORDER,
  multipart: { title: 'Tea', year: 2026, name: 'tea.png', bytes: 3 },
  json: DRAWING,
  events: [{ count: 1 }, { count: 2 }],
  problem: { status: 404, detail: 'No such order' },
  bytes: new Uint8Array([1, 2, 3]),
  text: 'Ein Gedicht',
  nothing: null,
  'no operationId': { name: 'Assam' },
  version: NEW_PRICE,
  'version in headers of the client': NEW_PRICE,
  'version in Accept': NEW_PRICE,
}
