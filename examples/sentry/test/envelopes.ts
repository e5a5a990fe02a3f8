/** Reads the errors and spans of Sentry's envelopes: lines of JSON, with the type of an item before its content. */

/** What Sentry shows about an error. */
export interface ReportedError {
  readonly name: string
  readonly message: string
  readonly isHandled: boolean
}

/** Names of requests, their routes, and errors, in the order of their arrival. */
export interface Reports {
  readonly requests: { readonly name: string; readonly route: string | undefined }[]
  readonly errors: ReportedError[]
}

/** Adds the content of an envelope. */
export function readEnvelope(text: string, { requests, errors }: Reports): void {
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const { items, exception, transaction } = JSON.parse(line)
    for (const { name, is_segment: isRequest, attributes } of items ?? []) {
      if (isRequest) requests.push({ name, route: attributes['http.route']?.value })
    }
    for (const { value, mechanism } of exception?.values ?? []) {
      errors.push({ name: transaction, message: value, isHandled: mechanism.handled })
    }
  }
}
