import { actsAsSeller } from '../../kernel/auth/principal.ts'
import type { Incoming, Operation } from '../../kernel/declare/operation.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Module } from '../../kernel/module.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import { storeSettings } from '../../store/index.ts'
import { flatStockTransactions, stockTransactions } from './stock-transactions.ts'
import { flatStocks, stocks } from './stocks.ts'

const header = 'EP-Inventories-Multi-Location'

/** A form of stock in requests and responses. The public contract has two on the same paths; a header chooses one. */
export interface Dialect {
  readonly stocks: Resource
  readonly transactions: Resource
  /** The status of a new transaction. */
  readonly created: 200 | 201
}

export const flatDialect: Dialect = { stocks: flatStocks, transactions: flatStockTransactions, created: 200 }
export const locatedDialect: Dialect = { stocks, transactions: stockTransactions, created: 201 }

/** Some clients do not send the header. The attributes in their bodies show that they use the located dialect. */
const isLocated = ({ headers, body }: Incoming): boolean =>
  String(headers[header.toLowerCase()]).toLowerCase() === 'true' || hasAttributes(body)

function hasAttributes(body: unknown): boolean {
  const { data } = (body ?? {}) as { readonly data?: { readonly attributes?: unknown } | null }
  return typeof data?.attributes === 'object'
}

/** Declares operations in two dialects. Each response is in the dialect of its request. */
export const inEither = (flat: Module, located: Module): Module => ({
  ...flat,
  operations: flat.operations.map((declared) => {
    const usual = closable(declared)
    const other = located.operations.find(
      ({ method, path }) => method === usual.method && path === usual.path,
    )
    return other ? eitherOf(usual, closable(other)) : usual
  }),
})

/** Refuses shoppers if the store does not let them read stock. */
const closable = (operation: Operation): Operation => ({
  ...operation,
  run: async (ctx, call) => {
    if (!actsAsSeller(ctx.who)) {
      const { shoppers_read_stock } = await readSingleton(ctx, storeSettings)
      if (!shoppers_read_stock) throw new Problem('forbidden', 'Shoppers of this store cannot read stock.')
    }
    return operation.run(ctx, call)
  },
})

const eitherOf = (usual: Operation, other: Operation): Operation => ({
  ...usual,
  about: `${usual.about} With the header \`${header}: true\` the fields are under \`attributes\`.`,
  alternative: { header, operation: other },
  run: (ctx, call) => (isLocated(call) ? other : usual).run(ctx, call),
})
