import { action } from '../../kernel/declare/action.ts'
import { list } from '../../kernel/request/operations.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { cartSettings } from '../../store/index.ts'
import { ownedBy, ownerIn } from '../contents/owners.ts'
import { hasRight } from '../contents/shopper-rights.ts'
import { included } from '../shown/included.ts'
import { carts } from './carts.ts'
import { includedInList } from './included-in-lists.ts'

/** The carts of a shopper who is signed in, or all carts. Each shows its totals as of its last change. */
export const listCarts = action({
  name: 'list-carts',
  route: 'GET /v2/carts',
  about:
    'Lists the carts of the customer or account whose token the request has. Without such a token it lists all carts, or those with an owner, as the cart settings say. Each cart shows its totals as of its last change.',
  area: 'cart-lists',
  status: 200,
  query: {
    include: text({ about: 'Objects to include: custom_discounts.', example: 'custom_discounts' }),
  },
  shows: { resource: carts, page: true, beside: { included } },
  run: async (ctx, call) =>
    list(ctx, carts, [], call, await conditionFor(ctx), (portions) =>
      includedInList(ctx, call.query, portions),
    ),
})

async function conditionFor(work: Work): Promise<((bind: (value: unknown) => string) => string) | undefined> {
  const { customers, accounts } = ownerIn(work)
  const [customer] = customers
  const [account] = accounts
  const withoutPreviews = (await hasRight(work, 'shoppers_see_snapshots'))
    ? ''
    : ` AND doc->>'snapshot_date' IS NULL`
  if (customer !== undefined)
    return (bind) => ownedBy('customers', bind(JSON.stringify([customer]))) + withoutPreviews
  if (account !== undefined)
    return (bind) => ownedBy('accounts', bind(JSON.stringify([account]))) + withoutPreviews
  const { show_all_carts: all } = await readSingleton(work, cartSettings)
  return all ? undefined : () => `(customers <> '[]' OR accounts <> '[]')`
}
