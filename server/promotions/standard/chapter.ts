import { module } from '../../kernel/module.ts'
import { promotionVersions } from './promotion-versions.ts'
import { promotions } from './promotions.ts'

export const promotionChapter = module({
  name: 'promotions',
  about: 'Standard promotions: discounts of eight types, automatic or by code.',
  resources: [promotions, promotionVersions],
})
