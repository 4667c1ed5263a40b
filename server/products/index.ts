import { module } from '../kernel/module.ts'
import { products as productResource } from './products.ts'

export { productEnvelope } from './envelope.ts'
export { productResource as products }

export const productChapter = module({
  name: 'products',
  about: 'What a merchant knows about what they sell.',
  resources: [productResource],
})
