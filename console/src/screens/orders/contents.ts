import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { listIn } from './order.ts'
import type { Contents } from './totals.ts'

export const useContents = (itemPath: string) =>
  useQuery({
    queryKey: ['item', itemPath, 'contents'],
    queryFn: async ({ signal }): Promise<Contents> => {
      const include = 'items,tax_items,custom_discounts,promotions'
      const { body } = await send({ path: `${itemPath}?include=${include}`, signal })
      return {
        items: listIn(body, 'included.items'),
        taxes: listIn(body, 'included.tax_items'),
        customDiscounts: listIn(body, 'included.custom_discounts'),
        promotions: listIn(body, 'included.promotions'),
      }
    },
  })
