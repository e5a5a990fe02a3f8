/** `verbena/upgrade`: connections that change their protocol, such as WebSockets. */

// # Upgrades
export { upgrade } from './features/upgrade/upgrade.js'
export type { UpgradeHandler, UpgradeInput, UpgradeNeeds } from './features/upgrade/upgrade.js'
export type { UpgradeRequest } from './http/upgrade-exchange.js'
