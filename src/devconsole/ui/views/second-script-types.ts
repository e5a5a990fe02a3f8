/** The second script of the page, as the first one uses it. */
import type { ViewName } from '../pure/views.js'
import type { View, ViewContext } from './context.js'
import type { FileOpener } from './open-file.js'
import type { comparePanel } from './tabs/compare.js'
import type { queriesPanel } from './tabs/queries.js'
import type { TryIt } from './try-it.js'

/** Parts of the page that the requests do not need at first. They are in a separate script, so that the first one stays small. */
export interface SecondScript {
  readonly views: Readonly<Record<Exclude<ViewName, 'requests'>, new (context: ViewContext) => View>>
  readonly FileOpener: typeof FileOpener
  readonly TryIt: typeof TryIt
  readonly comparePanel: typeof comparePanel
  readonly queriesPanel: typeof queriesPanel
  readonly openHelp: () => void
  readonly openPalette: (context: ViewContext) => void
}

/** The context of the view of requests, which the first script contains. */
export interface RequestsContext extends ViewContext {
  /** `null` until the second script has run. */
  secondScript: SecondScript | null
}
