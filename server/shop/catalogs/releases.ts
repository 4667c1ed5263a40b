import { resource } from '../../kernel/declare/resource.ts'
import { object } from '../../kernel/openapi/shapes.ts'
import { choice, field, flag, group, integer, list, reference, text } from '../../kernel/shape/fields.ts'
import { type Row, walks } from '../../kernel/shape/model.ts'
import { catalogEnvelope } from './catalog-envelope.ts'
import { catalogs } from './catalogs.ts'
import { signDeltaLink } from './delta-link.ts'

const statuses = ['PENDING', 'IN_PROGRESS', 'FAILED', 'PUBLISHED'] as const

const server = { readOnly: true } as const
const hidden = { hidden: true, readOnly: true } as const
const time = (about: string) => text({ ...server, nullable: true, format: 'date-time', about })

const fields = {
  name: text({ ...server, about: 'The name of the catalog when it was published.' }),
  description: text({
    ...server,
    nullable: true,
    about: 'The description of the catalog when it was published.',
  }),
  catalog_id: reference('catalog', { ...server, about: 'The id of the published catalog.' }),
  published_at: time('When shoppers began to see it. Null until then.'),
  hierarchies: list(
    group({ id: reference('hierarchy', { required: true }), name: text({}), label: text({}) }, {}),
    { ...server, about: 'The hierarchies of the release, in display order.' },
  ),
  // `meta` shows these.
  status: choice(statuses, { ...hidden, default: 'PENDING' }),
  started_at: text(hidden),
  is_full_publish: flag({ ...hidden, default: false }),
  is_full_delta: flag({ ...hidden, default: false }),
  export_full_delta: flag({ ...hidden, default: false }),
  price_segmentation_enabled: flag({ ...hidden, default: false }),
  total_products: integer(hidden),
  total_nodes: integer(hidden),
  percent_completed: integer({ ...hidden, default: 0 }),
  waiting_for: text(hidden),
}

export type ReleaseFields = typeof fields
export type Release = Row<ReleaseFields>

const count = (about: string) => integer({ nullable: true, about })
const link = (about: string) => field(object({ links: object({ related: { type: 'string' } }) }), { about })

/**
 * A published state of a catalog. Its content never changes. Catalogs and their rules need the state of releases, so
 * they are declared here; module `releases` creates, shows and deletes them.
 */
export const releases = resource({
  type: 'catalog-release',
  noun: ['catalog-release', 'catalog-releases'],
  about: 'A published state of a catalog. Its content never changes.',
  path: '/catalogs/:catalog_id/releases',
  parent: () => catalogs,
  table: 'catalog_releases',
  fields,
  filter: walks,
  sort: ['created_at', 'id', 'updated_at'],
  whole: true,
  area: 'catalogs',
  envelope: { ...catalogEnvelope, times: 'meta' },
  operations: [],
  meta: {
    fields: {
      release_status: choice(statuses, { about: 'The state of publishing. Publishing always ends.' }),
      started_at: text({ nullable: true, format: 'date-time', about: 'When publishing started.' }),
      is_full_publish: flag({
        about: 'Whether the whole catalog was published, not only the changes.',
      }),
      is_full_delta: flag({ about: 'Whether the delta contains everything, not only the changes.' }),
      total_products: count('The number of products in the list of products.'),
      total_nodes: count('The number of nodes in the lists of nodes.'),
      percent_completed: count('How much of it is published, in percent.'),
      price_segmentation_enabled: flag({ about: 'Whether catalog rules choose the price books.' }),
      owner: choice(['store', 'organization'], { about: 'The owner.' }),
      waiting_for: text({
        about:
          'Why publishing waits for its next try, which comes within a minute. Present only while it waits.',
      }),
    },
    of: ({ hidden }: Release) => ({
      release_status: hidden.status,
      started_at: hidden.started_at ?? null,
      is_full_publish: hidden.is_full_publish,
      is_full_delta: hidden.is_full_delta,
      total_products: hidden.total_products ?? null,
      total_nodes: hidden.total_nodes ?? null,
      percent_completed: hidden.percent_completed,
      price_segmentation_enabled: hidden.price_segmentation_enabled,
      owner: 'store' as const,
      waiting_for: hidden.waiting_for,
    }),
  },
  also: {
    fields: {
      relationships: group(
        {
          delta: link(
            'The changes since the previous release. The link is valid for an hour and needs no token.',
          ),
          products: link('The products of the release.'),
          hierarchies: link('The hierarchies of the release.'),
        },
        { about: 'Links to the content of the release.' },
      ),
    },
    of: ({ id, scope: [catalogId = ''], hidden }: Release, { instance, store, baseUrl }) => {
      const related = (path: string) => ({ links: { related: path } })
      const at = `/catalogs/${catalogId}/releases/${id}`
      return {
        relationships: {
          delta:
            hidden.status === 'PUBLISHED'
              ? related(baseUrl + signDeltaLink(instance, store.id, catalogId, id))
              : undefined,
          products: related(`${at}/products`),
          hierarchies: related(`${at}/hierarchies`),
        },
      }
    },
  },
})
