import { module } from '../kernel/module.ts'
import { promotionVersions } from './promotion-versions.ts'
import { promotions } from './promotions.ts'

export { authorFields, completeAuthors } from './authors.ts'
export { mustBeCurrencies } from './currencies-of-store.ts'
export { promotionEnvelope } from './envelope.ts'
export { limitConditions } from './limit-conditions.ts'
export { loadPromotions, promotionsStateSql } from './load-promotions.ts'
export { completePeriod, periodFields, timestampOf } from './period.ts'
export { charactersMax, object } from './promotion-document.ts'
export { beforeRestart } from './promotions.ts'
export { remember, type StoredPromotion } from './remember.ts'
export { promotions }

export const promotionChapter = module({
  name: 'promotions',
  about: 'Standard promotions: discounts of eight types, automatic or by code.',
  resources: [promotions, promotionVersions],
})
