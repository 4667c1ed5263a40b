import type { Fault } from './fits.ts'

/** What the document does not say, and why. */
const exceptions: readonly (readonly [operation: RegExp, what: RegExp, why: string])[] = [
  [
    /^(?!get-|list-)/,
    /^20[01] \/ must have required property 'data'$/,
    'A repeated answer is an empty object once the personal data in it was erased.',
  ],
  [
    /^(add-cart-items|create-product)$/,
    /^201 \/data(\/\d+)? must have required property/,
    'A repeated answer that was too long to be stored has types and ids: of several objects, or of one that is gone.',
  ],
  [
    /inventory-location/,
    /^header ep-inventories-multi-location$/,
    'Clients send it to the whole chapter; locations have one form.',
  ],
  [
    /^list-/,
    /^query (filter|include|sort|page\[total_method\])/,
    'Clients send these to every list; where they mean nothing they are ignored.',
  ],
  [
    /^(list-accounts|serve-file)$/,
    /^header (prefer|x-moltin-|ep-)/,
    'A test sends them everywhere, as clients do with every call; where they mean nothing they are ignored.',
  ],
  [
    /^(start|finish)-oidc-login$/,
    /^status 405$/,
    'HEAD is refused: a sign-in that is only looked at would be used up.',
  ],
  [
    /^(build-child-products|create-line-as)$/,
    /^body$/,
    'A test sends a body to an operation that reads none, or reads it in its own way.',
  ],
  [
    /^multi-search$/,
    /^body /,
    'Adapters send numbers as texts, and null for what is not chosen: such values are read or ignored.',
  ],
  [
    /^(get-stream|get-fault|create-line-as)$/,
    /^(200 |201 )?(header etag|status 304)$/,
    'Actions of tests alone.',
  ],
  [/^refuse-all$/, /^status 502$/, 'A test throws a status that no operation has.'],
  [
    /release/,
    /^header ep-(channel|context-tag)$/,
    'Clients send it with every call; of a release no catalog rule is asked.',
  ],
]

export const isException = ({ operation, what }: Fault): boolean =>
  exceptions.some(([operations, whats]) => operations.test(operation) && whats.test(what))
