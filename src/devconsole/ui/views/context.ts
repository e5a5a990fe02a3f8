/** What views get: what the page knows, where it is, and the parts that are read when they are looked at. */
import type { RequestRecord } from '../../wire/request-types.js'
import type { FeedClient } from '../live/feed.js'
import type { Shelf } from '../live/shelf.js'
import type { Store } from '../live/store.js'
import type { Address } from '../pure/address.js'
import type { Command } from '../pure/shortcuts.js'
import type { State } from '../pure/state.js'
import type { ViewName } from '../pure/views.js'
import type { FileOpener } from './open-file.js'
import type { comparePanel } from './tabs/compare.js'
import type { queriesPanel } from './tabs/queries.js'
import type { TryIt } from './try-it.js'

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
  /** Parts of the page in its second script; `null` until that script has run. */
  secondScript: SecondScript | null
}

/** Parts of the page that the requests do not need at first. They are in a script of their own, so that the first one stays small. */
export interface SecondScript {
  readonly views: Readonly<Record<Exclude<ViewName, 'requests'>, ViewClass>>
  readonly FileOpener: typeof FileOpener
  readonly TryIt: typeof TryIt
  readonly comparePanel: typeof comparePanel
  readonly queriesPanel: typeof queriesPanel
  readonly openHelp: () => void
  readonly openPalette: (context: ViewContext) => void
}

export type ViewClass = new (context: ViewContext) => View

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
