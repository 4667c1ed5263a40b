import { resource } from '../kernel/declare/resource.ts'
import { object } from '../kernel/openapi/shapes.ts'
import { choice, field, flag, group, integer, list, reference, text } from '../kernel/shape/fields.ts'
import { type Row, walks } from '../kernel/shape/model.ts'
import { catalogs } from './catalogs.ts'
import { deltaLink } from './delta-link.ts'
import { catalogEnvelope } from './envelope.ts'

const statuses = ['PENDING', 'IN_PROGRESS', 'FAILED', 'PUBLISHED'] as const

const server = { readOnly: true } as const
const hidden = { hidden: true, readOnly: true } as const
const time = (about: string) => text({ ...server, nullable: true, format: 'date-time', about })

const fields = {
  name: text({ ...server, about: 'The name that the catalog had.' }),
  description: text({ ...server, nullable: true, about: 'Its description.' }),
  catalog_id: reference('catalog', { ...server, about: 'What was published.' }),
  published_at: time('Since when shoppers see it, or saw it. Null until then.'),
  hierarchies: list(
    group({ id: reference('hierarchy', { required: true }), name: text({}), label: text({}) }, {}),
    { ...server, about: 'The hierarchies that are in it, in the order they are shown in.' },
  ),
  // What is told of it in `meta`.
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
 * What of a catalog was published at one time. Nothing of it changes. Catalogs and their rules ask for the state of
 * releases; module `releases` makes, shows and deletes them.
 */
export const releases = resource({
  type: 'catalog-release',
  noun: ['catalog-release', 'catalog-releases'],
  about: 'What of a catalog was published at one time. Nothing of it changes.',
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
      release_status: choice(statuses, { about: 'How far it is. Publishing always ends.' }),
      started_at: text({ nullable: true, format: 'date-time', about: 'When publishing began.' }),
      is_full_publish: flag({
        about: 'Whether all of the catalog was published anew, and not what changed.',
      }),
      is_full_delta: flag({ about: 'Whether its delta has all of it, and not what changed.' }),
      total_products: count('How many products its list has.'),
      total_nodes: count('How many nodes its lists have.'),
      percent_completed: count('How much of it is published.'),
      price_segmentation_enabled: flag({ about: 'Whether catalog rules choose its price books.' }),
      owner: choice(['store', 'organization'], { about: 'Whose it is.' }),
      waiting_for: text({
        about: 'Why publishing waits before it is tried again, a minute later at most. Only while it waits.',
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
          delta: link('What changed since the release before, for an hour and without a token.'),
          products: link('Its products.'),
          hierarchies: link('Its hierarchies.'),
        },
        { about: 'Where what is in it is listed.' },
      ),
    },
    of: ({ id, scope: [catalogId = ''], hidden }: Release, { instance, store, baseUrl }) => {
      const related = (path: string) => ({ links: { related: path } })
      const at = `/catalogs/${catalogId}/releases/${id}`
      return {
        relationships: {
          delta:
            hidden.status === 'PUBLISHED'
              ? related(baseUrl + deltaLink(instance, store.id, catalogId, id))
              : undefined,
          products: related(`${at}/products`),
          hierarchies: related(`${at}/hierarchies`),
        },
      }
    },
  },
})
