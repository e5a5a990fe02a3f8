/** The section about the changes since the previous version. */
import { listChanges, type ChangedOperation, type Difference } from './changes.js'
import { markup, type Content, type Html } from './html.js'
import { readModel, type Model } from './model.js'
import { formatTitle } from './operation-view.js'
import type { PreviousVersion } from './page-options.js'
import { cutText } from '../openapi/reading/format-type.js'

/** Maximum number of operations, and of differences of one operation. */
const MAX_OPERATIONS = 500
const MAX_DIFFERENCES = 50
const MAX_TEXT_LENGTH = 200

export function changesView(model: Model, { name, document }: PreviousVersion): Html {
  const { added, changed, removed } = listChanges(readModel(document), model)
  const all = [
    ...added.map((operation) => ({ mark: 'new', operation, differences: [] })),
    ...changed.map((change) => ({ mark: 'changed', ...change })),
    ...removed.map((operation) => ({ mark: 'removed', operation, differences: [] })),
  ]
  const rows = firstRows(all, MAX_OPERATIONS, operationRow)
  return markup`<section id="changes"><h2>Changes since ${name}</h2><div class="card">${all.length === 0 ? 'No operation changed.' : markup`<ul class=f>${rows}</ul>`}</div></section>`
}

function firstRows<T>(entries: readonly T[], max: number, view: (entry: T) => Html): Content {
  const hidden = entries.length - max
  return [...entries.slice(0, max).map(view), hidden > 0 && markup`<li class="more">${hidden} more</li>`]
}

function operationRow({ mark, operation, differences }: ChangedOperation & { readonly mark: string }): Html {
  const name = markup`<code>${operation.method} ${cutText(operation.path, MAX_TEXT_LENGTH)}</code>`
  const link = mark === 'removed' ? name : markup`<a href="#${operation.id}">${name}</a>`
  const rows = firstRows(differences, MAX_DIFFERENCES, differenceRow)
  return markup`<li><i>${mark}</i> ${link} ${formatTitle(operation)}${differences.length > 0 && markup`<ul>${rows}</ul>`}</li>`
}

function differenceRow({ kind, name, owner, before, after }: Difference): Html {
  const part = markup`${kind}${name !== '' && markup` <b>${cutText(name, MAX_TEXT_LENGTH)}</b>`}${owner !== '' && ` of the ${owner}`}`
  if (before !== undefined && after !== undefined) {
    return markup`<li>Changed ${part}:${textView(before)} is now${textView(after)}</li>`
  }
  // Only one of them is defined.
  const text = textView([before, after].join(''))
  return markup`<li>${before === undefined ? 'New' : 'Removed'} ${part}${text}</li>`
}

function textView(text: string): Content {
  return text !== '' && markup` <code>${cutText(text, MAX_TEXT_LENGTH)}</code>`
}
