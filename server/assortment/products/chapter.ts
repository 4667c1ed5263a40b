import { module } from '../../kernel/module.ts'
import { associateProducts } from './associate-products.ts'
import {
  attachCustomRelationships,
  detachCustomRelationships,
  listAttachedCustomRelationships,
} from './attached-custom-relationships.ts'
import { componentProducts } from './component-products.ts'
import { customRelationships } from './custom-relationships.ts'
import { dissociateProducts } from './dissociate-products.ts'
import { listAssociatedProductIds, listAssociatedProducts } from './list-associated-products.ts'
import { listChildren } from './list-children.ts'
import { listMainImage, mainImage, productFiles } from './product-files.ts'
import { productTemplates } from './product-templates.ts'
import { products as productResource } from './products.ts'
import { tags } from './tags.ts'

export const productChapter = module({
  name: 'products',
  about: 'The products of a merchant.',
  resources: [productResource, tags, customRelationships],
  relationships: [componentProducts, productFiles, mainImage, productTemplates],
  actions: [
    listChildren,
    listMainImage,
    listAttachedCustomRelationships,
    attachCustomRelationships,
    detachCustomRelationships,
    listAssociatedProductIds,
    associateProducts,
    dissociateProducts,
    listAssociatedProducts,
  ],
})
