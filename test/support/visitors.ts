/** Clients of an app in development: the console and the error page of `verbena dev` respond to the same ones. */

export const PEERS = {
  '127.0.0.1': 'local',
  '::1': 'local',
  '::ffff:127.0.0.1': 'local',
  '172.17.0.1': 'allowed',
  '::ffff:172.17.0.1': 'allowed',
  '172.17.0.2': 'remote',
  '::ffff:8.8.8.8': 'remote',
  '': 'remote',
} as const
export const HOSTS: readonly (readonly [hosts: readonly string[], kind: 'known' | 'unknown' | 'malformed'])[] = [
  [['localhost:3000'], 'known'],
  [['app.localhost'], 'known'],
  [['127.0.0.1:3000'], 'known'],
  [['[::1]:3000'], 'known'],
  [['dev.example'], 'known'],
  [['evil.test'], 'unknown'],
  [['localhost.evil.test'], 'unknown'],
  [['evillocalhost'], 'unknown'],
  [[''], 'unknown'],
  [[], 'malformed'],
  [['localhost', 'localhost'], 'malformed'],
]
export const ORIGINS = ['absent', 'same', 'same over TLS', 'other', 'null', 'twice'] as const
export const SITES = ['absent', 'same-origin', 'none', 'same-site', 'cross-site', 'made up'] as const
export const PROXIES = [
  [],
  ['X-Forwarded-For', '127.0.0.1'],
  ['Forwarded', 'for=127.0.0.1'],
  ['Via', '1.1 proxy'],
] as const

export type Origin = (typeof ORIGINS)[number]

export function originFields(origin: Origin, host: string): string[] {
  if (origin === 'absent') return []
  if (origin === 'same') return ['Origin', `http://${host.toLowerCase()}`]
  if (origin === 'same over TLS') return ['Origin', `https://${host.toLowerCase()}`]
  if (origin === 'twice') return ['Origin', `http://${host.toLowerCase()}`, 'Origin', `http://${host.toLowerCase()}`]
  return ['Origin', origin === 'null' ? 'null' : 'http://evil.test']
}
