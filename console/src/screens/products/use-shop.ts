import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Request, send } from '../../api/client.ts'
import { type Item, isItem, pageIn, valueAt } from '../../api/objects.ts'
import { ApiProblem } from '../../api/problem.ts'
import { tokenHeaders } from './shop.ts'

/** What the server says about a product in the shop of a shopper. */
export interface ShopAnswer {
  readonly catalogs: readonly Item[]
  /** The catalog that is looked at; undefined if the store has none. */
  readonly catalogId: string | undefined
  /** The catalog that the rules choose for the shopper; undefined if they see none. */
  readonly chosenId: string | undefined
  /** Why the rules choose it: one verdict for each. */
  readonly rules: readonly Item[]
  readonly visibility: Item | undefined
  /** As the shopper sees it. */
  readonly product: Item | undefined
}

const catalogsMax = 100

export function useShop(
  itemPath: string,
  headers: Readonly<Record<string, string>>,
  catalogId: string | undefined,
) {
  return useQuery({
    queryKey: ['item', itemPath, 'shop', headers, catalogId],
    queryFn: ({ signal }) => readShop(String(itemPath.split('/').at(-1)), headers, catalogId, signal),
    placeholderData: keepPreviousData,
    retry: false,
  })
}

async function readShop(
  productId: string,
  headers: Readonly<Record<string, string>>,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<ShopAnswer> {
  const catalogs = pageIn((await send({ path: `/catalogs?page[limit]=${catalogsMax}`, signal })).body).rows
  const common = { headers: { ...headers, prefer: 'explain' }, hasShopper: hasToken(headers), signal }
  const shop = await readOrNone({ path: '/catalog', ...common })
  const rules = valueAt(shop, 'meta.explanation.catalog_rules')
  const chosenId = valueAt(shop, 'meta.explanation.catalog_id')
  const chosen = typeof chosenId === 'string' ? chosenId : undefined
  const catalogId = wanted ?? chosen ?? (catalogs[0] && String(catalogs[0].id))
  const [visibility, product] = await Promise.all([
    catalogId && send({ path: `/catalogs/${catalogId}/visibility?product=${productId}`, ...common }),
    readOrNone({ path: `/catalog/products/${productId}`, ...common }),
  ])
  return {
    ...{ catalogs, catalogId, chosenId: chosen },
    rules: Array.isArray(rules) ? rules.filter(isItem) : [],
    visibility: dataIn(visibility ? visibility.body : undefined),
    product: dataIn(product),
  }
}

const hasToken = (headers: Readonly<Record<string, string>>) =>
  Object.values(tokenHeaders).some((name) => name in headers)

const dataIn = (body: unknown): Item | undefined => {
  const data = valueAt(body, 'data')
  return isItem(data) ? data : undefined
}

/** What is published for a shopper; undefined if nothing is. */
async function readOrNone(request: Request): Promise<unknown> {
  try {
    return (await send(request)).body
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  }
}
