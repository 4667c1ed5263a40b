import type { Action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import type { Resource } from '../kernel/resource.ts'
import type { View } from './view.ts'
import { type Asked, releaseView, shopperView } from './views.ts'
import { ofWholeEdition } from './whole-edition.ts'

/**
 * What is published is read at two addresses: by shoppers in the catalog that the rules choose for them, and by the
 * merchant in any release of any catalog. Each call is declared once, for both.
 */
export interface Family {
  /** Stands in the names of its calls. */
  readonly of: 'catalog' | 'release'
  readonly path: '/catalog' | '/catalogs/:catalog_id/releases/:release_id'
  /** Whose view it is, in the sentences that tell of its calls. */
  readonly seen: string
  readonly area: 'catalog' | 'catalogs'
  view(ctx: Ctx, call: Asked & { readonly params: Readonly<Record<string, string>> }): Promise<View>
}

const shopper: Family = {
  of: 'catalog',
  path: '/catalog',
  seen: 'in the catalog that the rules choose for the shopper',
  area: 'catalog',
  view: shopperView,
}

const merchant: Family = {
  of: 'release',
  path: '/catalogs/:catalog_id/releases/:release_id',
  seen: 'in a release',
  area: 'catalogs',
  view: (ctx, call) => releaseView(ctx, call as Parameters<typeof releaseView>[1]),
}

/** What is told of a list. Whose rows it has is told once, where shoppers read it: the merchant's is the same. */
export const listed = (of: Family['of'], resource: Resource, rows: Resource) =>
  of === 'catalog' ? ({ resource, page: true, rows: [rows] } as const) : ({ resource, page: true } as const)

type Declared = (family: Family) => Action

export const forShoppers = (calls: readonly Declared[]): readonly Action[] =>
  calls.map((call) => ofWholeEdition(call(shopper)))
export const forMerchants = (calls: readonly Declared[]): readonly Action[] =>
  calls.map((call) => ofWholeEdition(call(merchant)))
