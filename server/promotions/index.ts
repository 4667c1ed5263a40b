import { module } from '../kernel/module.ts'
import { promotions } from './promotions.ts'

export { authorFields, completeAuthors } from './authors.ts'
export { promotionEnvelope } from './envelope.ts'
export { completePeriod, periodFields } from './period.ts'
export { promotions }

export const promotionChapter = module({
  name: 'promotions',
  about: 'Standard promotions: discounts of eight types, automatic or by code.',
  resources: [promotions],
})
