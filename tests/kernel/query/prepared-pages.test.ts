import { expect, test } from 'vitest'
import { childrenOfNode } from '../../../server/assortment/hierarchies/node-lists.ts'
import { nodeProducts } from '../../../server/assortment/hierarchies/node-products.ts'
import { products } from '../../../server/assortment/products/products.ts'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import type { Window } from '../../../server/kernel/query/page-text.ts'
import { pageSql } from '../../../server/kernel/query/sql.ts'

const orders: readonly (readonly [Resource, string])[] = [
  [products, 'created_at'],
  [products, 'id'],
  [products, 'name'],
  [childrenOfNode, 'place'],
  [nodeProducts, 'place'],
]

test.each(orders)(
  'pages of a whole list have one text for each order, $0.noun.1 by %s',
  (resource, column) => {
    const ofPage = (window: Partial<Window>) =>
      pageSql(
        { resource, scope: [] },
        undefined,
        { limit: 25, offset: 0, column, descending: true, ...window },
        'store',
      )
    const behind = (value: string) => ({ behind: { value, id: value, cast: '' } })
    const alike: readonly (readonly [Partial<Window>, Partial<Window>])[] = [
      [{ limit: 1 }, { limit: 100 }],
      [{ offset: 1 }, { offset: 90_000, limit: 3 }],
      [behind('1'), { ...behind('2'), limit: 7 }],
    ]
    for (const [one, other] of alike) {
      expect(ofPage(one)).toMatchObject({ text: ofPage(other).text })
      expect(ofPage(one)).not.toHaveProperty('once')
    }
  },
)
