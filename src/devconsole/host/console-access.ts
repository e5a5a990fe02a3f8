/** Clients and hosts of the console. */
import { isLoopback } from '../../http/forwarded.js'
import type { ConsoleSettings } from './console-settings.js'

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** @param peer address of the connection; differs from the client behind a trusted proxy */
export function isConsoleClient(client: string, peer: string, { allows }: Pick<ConsoleSettings, 'allows'>): boolean {
  return allows(client) || (isLoopback(client) && isLoopback(peer))
}

/** Returns the name in `Host`, in lower case and without its port. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

/** Whether the console accepts a host name. Others can be domains of an attacker that resolve to this machine (DNS rebinding). */
export function isConsoleHost(name: string, { allowedHosts }: Pick<ConsoleSettings, 'allowedHosts'>): boolean {
  return LOCAL_NAMES.has(name) || name.endsWith('.localhost') || allowedHosts.has(name)
}
