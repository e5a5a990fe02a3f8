/** The section about the changes since the previous version. */
import { listChanges, type ChangedOperation, type Difference } from './changes.js'
import { markup, type Content, type Html } from './html.js'
import { readModel, type Model, type Operation } from './model.js'
import { formatTitle } from './operation-view.js'
import type { PreviousVersion } from './page-options.js'
import { cutText } from '../openapi/reading/format-type.js'

/** Maximum number of operations of each kind, and of differences of one operation. */
const MAX_OPERATIONS = 200
const MAX_DIFFERENCES = 50
const MAX_TEXT_LENGTH = 200

export function changesView(model: Model, { name, document }: PreviousVersion): Html {
  const { added, changed, removed } = listChanges(readModel(document), model)
  const rows = [
    firstRows(added, MAX_OPERATIONS, (operation) => operationRow('new', linkView(operation), operation)),
    firstRows(changed, MAX_OPERATIONS, changedRow),
    firstRows(removed, MAX_OPERATIONS, (operation) => operationRow('removed', nameView(operation), operation)),
  ]
  const isSame = added.length + changed.length + removed.length === 0
  return markup`<section id="changes"><h2>Changes since ${name}</h2>${isSame ? markup`<p>No operation changed.</p>` : markup`<div class="card"><ul class=f>${rows}</ul></div>`}</section>`
}

function firstRows<T>(entries: readonly T[], max: number, view: (entry: T) => Html): Content {
  const hidden = entries.length - max
  return [...entries.slice(0, max).map(view), hidden > 0 && markup`<li class="more">${hidden} more</li>`]
}

function operationRow(mark: string, link: Html, operation: Operation): Html {
  return markup`<li><i>${mark}</i> ${link} ${formatTitle(operation)}</li>`
}

function linkView(operation: Operation): Html {
  return markup`<a href="#${operation.id}">${nameView(operation)}</a>`
}

function nameView({ method, path }: Operation): Html {
  return markup`<code>${method} ${cutText(path, MAX_TEXT_LENGTH)}</code>`
}

function changedRow({ operation, differences }: ChangedOperation): Html {
  const rows = firstRows(differences, MAX_DIFFERENCES, differenceRow)
  return markup`<li><i>changed</i> ${linkView(operation)} ${formatTitle(operation)}<ul>${rows}</ul></li>`
}

function differenceRow({ kind, name, owner, before, after }: Difference): Html {
  const rest = markup`${name !== '' && markup` <b>${cutText(name, MAX_TEXT_LENGTH)}</b>`}${owner !== '' && ` of the ${owner}`}`
  if (before !== undefined && after !== undefined) {
    return markup`<li>${capitalize(kind)}${rest}:${textView(before)} is now${textView(after)}</li>`
  }
  // Only one of them is defined.
  const text = [before, after].join('')
  return markup`<li>${before === undefined ? 'New' : 'Removed'} ${kind}${rest}${textView(text)}</li>`
}

function textView(text: string): Content {
  return text !== '' && markup` <code>${cutText(text, MAX_TEXT_LENGTH)}</code>`
}

function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
