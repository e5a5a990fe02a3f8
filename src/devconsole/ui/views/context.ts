/** What views get: what the page knows, where it is, and the parts that are read when they are looked at. */
import type { RequestRecord } from '../../wire/request-types.js'
import type { FeedClient } from '../live/feed.js'
import type { Shelf } from '../live/shelf.js'
import type { Store } from '../live/store.js'
import type { Address } from '../pure/address.js'
import type { Command } from '../pure/shortcuts.js'
import type { State } from '../pure/state.js'

/** What views get. */
export interface ViewContext {
  readonly store: Store
  readonly feed: FeedClient
  readonly shelf: Shelf
  /** Where the page is. */
  readonly address: () => Address
  /** Goes somewhere else; parts that are left out stay as the start has them. */
  readonly go: (address: Partial<Address>, how?: 'push' | 'replace') => void
  /** Lets the user choose a file of requests. */
  readonly chooseFile: () => void
  /** Record that waits to be edited and sent again; it is taken by who shows the form. */
  draft: RequestRecord | null
}

/** A view. */
export interface View {
  readonly element: HTMLElement
  /** Shows what the page knows now. */
  readonly update: (state: State, address: Address) => void
  /** Does what a key asks for; true when it did. */
  readonly command?: (command: Command) => boolean
  /** Ends what goes on by itself. */
  readonly dispose?: () => void
}
