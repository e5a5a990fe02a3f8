/** Second script of the console's page: every view except the requests, and parts that open on demand. It runs after `main.ts`. */
import { addSecondScript } from './main.js'
import { HealthView } from './views/health.js'
import { openHelp } from './views/help.js'
import { ProblemsView } from './views/incidents.js'
import { LogsView } from './views/logs.js'
import { copyForAgent } from './views/copy-for-agent.js'
import { FileOpener } from './views/open-file.js'
import { openPalette } from './views/palette.js'
import { PerformanceView } from './views/performance.js'
import { RoutesView } from './views/routes.js'
import { comparePanel } from './views/tabs/compare.js'
import { queriesPanel } from './views/tabs/queries.js'
import { TryIt } from './views/try-it.js'

addSecondScript({
  views: {
    routes: RoutesView,
    performance: PerformanceView,
    logs: LogsView,
    problems: ProblemsView,
    health: HealthView,
  },
  FileOpener,
  TryIt,
  comparePanel,
  copyForAgent,
  queriesPanel,
  openHelp,
  openPalette,
})
