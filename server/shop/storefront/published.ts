import { type Resource, type ResourceDeclaration, resource } from '../../kernel/declare/resource.ts'
import type { Fields } from '../../kernel/shape/fields.ts'

interface PublishedDefinition
  extends Pick<
    ResourceDeclaration<Fields>,
    'type' | 'noun' | 'about' | 'path' | 'table' | 'fields' | 'filter' | 'scope' | 'order'
  > {
  readonly meta: Fields
}

/** Declares objects of editions, as shoppers see them. Actions show them. */
export const published = ({ meta, ...own }: PublishedDefinition): Resource =>
  resource({
    ...own,
    // Computed for a whole page: see show-products.ts and show-nodes.ts.
    meta: { fields: meta, of: () => ({}) },
    ignoresSort: true,
    offsetMax: 10_000,
    editions: true,
    area: 'catalog',
    visible: 'all',
    // Their times are among the fields.
    envelope: {
      times: 'none',
      digits: 3,
      fields: 'attributes',
      links: 'single',
      href: 'absolute',
      pageLinks: 'existing',
    },
    operations: [],
  })
