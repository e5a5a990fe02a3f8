/** Interface between the two scripts of the page. */
import type { ViewName } from '../pure/views.js'
import type { View, ViewContext } from './context.js'
import type { copyForAgent } from './copy-for-agent.js'
import type { FileOpener } from './open-file.js'
import type { comparePanel } from './tabs/compare.js'
import type { queriesPanel } from './tabs/queries.js'
import type { TryIt } from './try-it.js'

/** Parts that the view of requests does not need at first. They are in a separate script, so that the first one is small. */
export interface SecondScript {
  readonly views: Readonly<Record<Exclude<ViewName, 'requests'>, new (context: ViewContext) => View>>
  readonly FileOpener: typeof FileOpener
  readonly TryIt: typeof TryIt
  readonly comparePanel: typeof comparePanel
  readonly copyForAgent: typeof copyForAgent
  readonly queriesPanel: typeof queriesPanel
  readonly openHelp: () => void
  readonly openPalette: (context: ViewContext) => void
}

/** Context of the view of requests, which is in the first script. */
export interface RequestsContext extends ViewContext {
  /** `null` until the second script has run. */
  secondScript: SecondScript | null
}
