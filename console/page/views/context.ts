/** Interface between the page and its views. */
import type { RequestRecord } from '../../../src/devconsole/wire/request-types.js'
import type { FeedClient } from '../live/feed.js'
import type { Shelf } from '../live/shelf.js'
import type { Store } from '../live/store.js'
import type { Address } from '../pure/address.js'
import type { Command } from '../pure/shortcuts.js'
import type { State } from '../pure/state.js'
import type { ViewName } from '../pure/views.js'

export interface ViewContext {
  readonly store: Store
  readonly feed: FeedClient
  readonly shelf: Shelf
  readonly address: () => Address
  /** Goes to an address. Missing properties have the values of `START`. */
  readonly go: (address: Partial<Address>, how?: 'push' | 'replace') => void
  /** Returns the address of a view with its last filter. */
  readonly filteredView: (view: ViewName) => Partial<Address>
  /** Lets the user choose a file of requests. */
  readonly chooseFile: () => void
  /** Record to edit and send again. The view that shows it in a form sets this to `null`. */
  draft: RequestRecord | null
  /** Id of the endpoint whose form receives the focus when it is shown; `null` if there is none. */
  focusedForm: string | null
}

export interface View {
  readonly element: HTMLElement
  /** Draws the view if the state or the address has changed. */
  readonly update: (state: State, address: Address) => void
  /** Runs the command of a key. Returns whether the view has the command. */
  readonly command?: (command: Command) => boolean
  /** Stops timers. */
  readonly dispose?: () => void
}
