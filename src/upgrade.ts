/**
 * `verbena/upgrade`: connections with another protocol, such as WebSocket.
 *
 * @module
 */

// # Upgrades
export { upgrade } from './features/upgrade/upgrade.js'
export type { UpgradeHandler, UpgradeInput, UpgradeNeeds } from './features/upgrade/upgrade.js'
export type { UpgradeRequest } from './http/upgrade-exchange.js'
