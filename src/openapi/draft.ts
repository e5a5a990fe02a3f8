/** The draft of a component. */
import type { Side } from '../validation/json-schema.js'

/** A component that has no final name yet. */
export interface Draft {
  /** The name it wants. */
  readonly name: string
  /** Whether that is its own. */
  readonly isOwn: boolean
  readonly side: Side
  /** What it is merged within: its own name, or the schema it belongs to. */
  readonly group: unknown
  /** Filled once it is there. */
  readonly content: Record<string, unknown>
  /** Whether anything refers to it so far. */
  isUsed: boolean
}
