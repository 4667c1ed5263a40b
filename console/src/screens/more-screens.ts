import { type ComponentType, lazy } from 'react'
import type { Resource, Right } from '../api/document.ts'
import { resourceOf } from '../api/resources.ts'
import type { ChangeMany } from '../lists/change-many.ts'
import { noParts, type RecordParts } from '../records/record-parts.ts'
import { readScreenWords, words } from '../words/words.ts'
import { canChangeMany } from './bulk-changes/changeable.ts'

/** Loads a screen with its texts. */
async function withWords<T>(screen: Promise<T>): Promise<T> {
  const [loaded] = await Promise.all([screen, readScreenWords()])
  return loaded
}

/** What the pages of objects have beside what the document declares, by the id of their list. */
const recordParts: Readonly<Record<string, () => Promise<RecordParts>>> = {
  'bulk-changes': () =>
    import('./bulk-changes/bulk-change-parts.ts').then(({ bulkChangeParts }) => bulkChangeParts),
  'custom-apis': () =>
    import('./custom-apis/custom-api-parts.ts').then(({ customApiParts }) => customApiParts),
  orders: () => import('./orders/order-parts.ts').then(({ orderParts }) => orderParts),
  products: () => import('./products/product-parts.ts').then(({ productParts }) => productParts),
  stocks: () => import('./stock/stock-parts.ts').then(({ stockParts }) => stockParts),
  'authentication-realms': () => import('./identity/identity-parts.ts').then(({ realmParts }) => realmParts),
  'user-authentication-infos': () =>
    import('./identity/identity-parts.ts').then(({ userParts }) => userParts),
  'user-authentication-oidc-profile-infos': () =>
    import('./identity/identity-parts.ts').then(({ linkParts }) => linkParts),
}

export async function loadRecordParts(id: string): Promise<RecordParts> {
  const load = recordParts[id]
  return load ? withWords(load()) : noParts
}

const ChangeWindow = lazy(() =>
  withWords(import('./bulk-changes/change-window.tsx')).then(({ ChangeWindow }) => ({
    default: ChangeWindow,
  })),
)

/** How many objects of a list are changed at once; undefined where they are changed one at a time. */
export function changeManyOf(resource: Resource): ChangeMany | undefined {
  const write = resourceOf('bulk-changes')?.create
  if (!write || !resource.update || !canChangeMany(resource)) return undefined
  return { Window: ChangeWindow, rights: [resource.update.right, write.right] }
}

/** A screen that is neither a list nor an object of the document. */
export interface Page {
  /** Its place in the rail: see `areas.ts`. */
  readonly id: string
  /** Its address, and its path in the API if it shows one. */
  readonly path: string
  readonly right: Right
  /** The list in whose group it stands on the page of all resources. */
  readonly beside: string
  title(): string
  readonly Screen: ComponentType
}

export const pages: readonly Page[] = [
  {
    ...{ id: 'open-payments', path: '/v2/open-payments', right: 'read transactions', beside: 'orders' },
    title: () => words.areas.openPayments,
    Screen: lazy(() =>
      withWords(import('./orders/open-payments.tsx')).then(({ OpenPayments }) => ({ default: OpenPayments })),
    ),
  },
]
