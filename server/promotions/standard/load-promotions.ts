import type { ShownValues } from '../../kernel/shape/fields.ts'
import { fromStandard } from '../discounts/standard/from-standard.ts'
import type { StandardDocument } from '../discounts/standard/standard-document.ts'
import { timestampOf } from './period.ts'
import type { PromotionFields } from './promotions.ts'
import { remember } from './remember.ts'

/** Reads the state of the store's standard promotions: null if it never had one. */
export const promotionsStateSql = '(SELECT s.state FROM promotion_states s WHERE s.store_id = $1)'

type Document = StandardDocument & ShownValues<PromotionFields>

/** All standard promotions of the store, compiled. `state` is what `promotionsStateSql` has read. */
export const loadPromotions = remember<Document>({
  table: 'promotions',
  states: 'promotion_states',
  compile(document, createdAt) {
    const { id, name, description, automatic, promotion_type, start, end } = document
    return {
      promotion: fromStandard(document, createdAt),
      shown: {
        ...{ type: 'promotion', id, name, description, automatic, promotion_type },
        start: timestampOf(start),
        end: timestampOf(end),
      },
    }
  },
})
