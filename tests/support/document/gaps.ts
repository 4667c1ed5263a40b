import type { Fault } from './fits.ts'

/** What the document does not say yet: the operations, and what of them. This list only shrinks. */
const gaps: readonly (readonly [operation: RegExp, what: RegExp])[] = [[/catalog-rule|choose-catalog/, /./]]

/** What it will never say, and why. */
const exceptions: readonly (readonly [operation: RegExp, what: RegExp, why: string])[] = [
  [
    /./,
    /^201 \/ must have required property 'data'$/,
    'A repeated answer is an empty object once the personal data in it was erased.',
  ],
  [
    /inventory-location/,
    /^header ep-inventories-multi-location$/,
    'Clients send it to the whole chapter; locations have one form.',
  ],
  [
    /release/,
    /^header ep-(channel|context-tag)$/,
    'Clients send it with every call; of a release no catalog rule is asked.',
  ],
]

export const isKnownGap = ({ operation, what }: Fault): boolean =>
  [...gaps, ...exceptions].some(([operations, whats]) => operations.test(operation) && whats.test(what))

/** Whether a line of the lint is of what has no type yet. This list only shrinks, too. */
export const isOpenYet = (line: string): boolean => /^Published(Product|Node|Hierarchy)/.test(line)
