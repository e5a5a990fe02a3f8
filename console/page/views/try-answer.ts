/** View of the response to a request that was sent from the page. */
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { h, type Child } from '../dom/h.js'
import { emptyMessage, pairs, statusMark } from '../dom/parts.js'
import type { TryResponse } from '../live/send.js'
import { formatAddress } from '../pure/address.js'
import { formatBytes, formatCount, ms } from '../pure/format.js'
import { pictureType, toDataUrl } from '../pure/picture.js'
import { bytesView, isJsonMediaType, textView } from './code-view.js'
import { waterfallBar } from './tabs/waterfall.js'

export function responseFacts({ status, duration, bytes }: TryResponse): HTMLElement {
  const mark = status === 0 ? h('span', { class: 'st s3' }, 'a redirect') : statusMark(status, true)
  const size = h('span', null, formatBytes(bytes.byteLength))
  return h('div', { class: 'facts num' }, mark, h('span', null, ms(duration)), size)
}

export function addRecord(facts: HTMLElement, record: RequestSummary | null): void {
  if (record === null) return
  facts.append(h('a', { class: 'link', href: formatAddress({ id: record.id }) }, 'Open in Requests'))
  facts.after(waterfallBar(record['dev.phases']))
}

export function responseHeaders({ headers }: TryResponse): Child {
  if (headers.length === 0) return null
  return h(
    'details',
    { class: 'heads' },
    h('summary', null, formatCount(headers.length, 'header')),
    pairs(headers, 'wire'),
  )
}

export function responseBody({ bytes, text, type }: TryResponse): Child {
  const picture = pictureType(bytes)
  if (picture !== null) return h('img', { class: 'picture', alt: picture, src: toDataUrl(bytes, picture) })
  // The decoder writes U+FFFD for bytes that are not text.
  if (/[\0\ufffd]/.test(text)) {
    const first = new Uint8Array(bytes.slice(0, 64))
    return bytesView(
      Array.from(first, (byte) => byte.toString(16).padStart(2, '0')),
      bytes.byteLength,
    )
  }
  return text === '' ? emptyMessage('No body.') : textView(text, isJsonMediaType(type))
}
