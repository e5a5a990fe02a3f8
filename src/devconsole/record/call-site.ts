/** Finds the code that made a call. Formatting a stack with source maps takes 40 µs or more (Node 20), so each position is cached. */
import { startOutgoing } from '../../observe/outgoing-call.js'
import { readLine } from '../host/stack.js'
import type { CodePlace } from '../wire/request-types.js'

/** A service call adds ten frames of Verbena, and `fetch` adds about 30 frames of Node.js 20. */
const [FRAMES, QUERY_FRAMES] = [25, 50]
/** Maximum number of positions, each with a stack of about 2 kB. */
const MAX_POSITIONS = 500

/** A position in the code, found by its frames. */
interface Position {
  readonly holder: { readonly stack?: unknown }
  /** The newest result, and the folder of the app for it. */
  places: readonly CodePlace[] | null
  root: string
}

const positions = new Map<string, Position>()

/** Returns the first frame of the app; `null` if the app is not on the stack. The stack is formatted when the function is called. */
export type CallSite = (root: string) => CodePlace | null

/** Returns the code that sent a query; `sender` is the call site of the service call that sent it. */
export type QuerySite = (root: string, sender: CodePlace | null) => CodePlace | null

export function siteHere(): CallSite {
  const position = positionBelow(siteHere, FRAMES)
  return (root) => findPositionPlaces(position, root)[0] ?? null
}

/**
 * Finds the code that sends a query. An adapter is also code of the app, and its frames are on top of the stack. After some libraries,
 * the stack contains no other code of the app.
 *
 * @param stack stack of the code that created the query, if the adapter knows it
 */
export function querySiteHere(isAdapter: boolean, stack: string = ''): QuerySite {
  const position = positionBelow(startOutgoing, QUERY_FRAMES)
  const created = positions.get(stack) ?? addPosition(stack, { stack })
  return (root, sender) => {
    const [creator] = findPositionPlaces(created, root)
    const [first, ...callers] = findPositionPlaces(position, root)
    const caller = isAdapter ? callers.find(({ file }) => file !== first?.file) : first
    // In an app of one file, the adapter is in the same file as its caller.
    return creator ?? caller ?? sender ?? callers[0] ?? first ?? null
  }
}

/** Returns the position of the code below the function `below`. The first call from it takes a second stack, which is formatted later. */
function positionBelow(below: Function, frames: number): Position {
  const key = readStackFrames(stackBelow(below, frames))
  return positions.get(key) ?? addPosition(key, stackBelow(below, frames))
}

function addPosition(key: string, holder: Position['holder']): Position {
  const position = { holder, places: null, root: '' }
  if (positions.size >= MAX_POSITIONS) positions.clear()
  positions.set(key, position)
  return position
}

function findPositionPlaces(position: Position, root: string): readonly CodePlace[] {
  if (position.places !== null && position.root === root) return position.places
  position.root = root
  return (position.places = findCodePlaces(String(position.holder.stack), root))
}

function stackBelow(below: Function, frames: number): { readonly stack?: unknown } {
  const { stackTraceLimit } = Error
  const holder = {}
  Reflect.set(Error, 'stackTraceLimit', frames)
  Error.captureStackTrace(holder, below)
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  return holder
}

/** Returns the frames without formatting the stack. If `Error` is frozen, returns the formatted stack, which is also a valid key. */
function readStackFrames(holder: { readonly stack?: unknown }): string {
  const { prepareStackTrace } = Error
  Reflect.set(Error, 'prepareStackTrace', listFrames)
  try {
    return String(holder.stack)
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace)
  }
}

/** Line and column would be computed from the source for each frame, which takes longer than the position. */
function listFrames(_: unknown, sites: readonly NodeJS.CallSite[]): string {
  return sites.map((site) => `${site.getFileName()}:${site.getPosition()}`).join('\n')
}

function findCodePlaces(stack: string, root: string): CodePlace[] {
  const frames = stack.split('\n').flatMap((line) => readLine(line, root) ?? [])
  return frames.filter(({ kind }) => kind === 'app').map(({ file, line }) => ({ file, line }))
}
