import { Problem } from '../../kernel/errors.ts'
import { emptyRelationship, linkTo, object, relationshipTo } from '../../kernel/openapi/shapes.ts'
import { field, integer, map, readOnlyObject, text } from '../../kernel/shape/fields.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isUnchanged } from '../../kernel/write/drafts.ts'
import { ownerMeta } from '../../store/index.ts'
import type { Crumb } from './breadcrumbs.ts'

/** Texts by language. */
export type NodeLocales = Readonly<Record<string, { readonly name?: string; readonly description?: string }>>

const nameMax = 1000

const localesSchema = {
  type: 'object',
  maxProperties: 100,
  propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,35}$' },
  additionalProperties: {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: nameMax },
      description: { type: 'string', maxLength: 65_535 },
    },
    additionalProperties: false,
  },
}

const own = { hidden: true, readOnly: true } as const

/** The fields of both hierarchies and nodes. */
export const nodeFields = {
  // Clients repeat the id in an update.
  sent_id: text({ stored: false, inputName: 'id', max: 255 }),
  name: text({ required: true, min: 1, max: nameMax, about: 'Shown to shoppers.', example: 'Bread' }),
  slug: text({
    nullable: true,
    min: 1,
    max: nameMax,
    about: 'The part of web addresses that stands for the node or hierarchy.',
    example: 'bread',
  }),
  description: text({ nullable: true, about: 'Shown to shoppers.' }),
  locales: field<NodeLocales | null | undefined>(localesSchema, {
    nullable: true,
    about: 'The name and description by language, such as `fr-FR`. An update replaces all languages.',
    example: { 'fr-FR': { name: 'Pain', description: 'Pain et petits pains' } },
  }),
  admin_attributes: map(text({}), { maxKeys: 100, about: 'Notes of the merchant.' }),
  shopper_attributes: map(text({}), { maxKeys: 100, about: 'Further texts for shoppers.' }),
  breadcrumbs: field<readonly Crumb[] | undefined>({ type: 'array' }, own),
  // When the object itself last changed, in milliseconds. `updated_at` also moves when an ancestor is renamed.
  changed_at: integer(own),
}

const crumbs = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'name'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      name: { type: 'string' },
      slug: { type: 'string' },
      locales: { type: 'object', additionalProperties: { properties: { name: { type: 'string' } } } },
    },
  },
}

/** The `meta` of both hierarchies and nodes. */
export const nodeMeta = {
  ...ownerMeta.fields,
  breadcrumbs: field<readonly Crumb[] | undefined>(crumbs, {
    about: 'The path from the hierarchy down to the node, which is included.',
  }),
}

/** A relationship that links to a list. Its `data` is always empty. */
interface RelatedList {
  readonly data: readonly []
  readonly links: { readonly related: string }
}

export interface NodeRelationships {
  readonly children: RelatedList
  readonly parent?: { readonly data: { readonly type: 'node'; readonly id: string } }
  readonly products?: RelatedList
}

export const relatedList = (related: string): RelatedList => ({ data: [], links: { related } })

export const relationshipsField = readOnlyObject<NodeRelationships>(
  object(
    {
      children: emptyRelationship('related'),
      parent: relationshipTo(linkTo('node')),
      products: emptyRelationship('related'),
    },
    ['children'],
  ),
  { about: 'The parent, and the lists of children and products.' },
)

/**
 * When the object itself last changed, in milliseconds. An update without changes keeps the time, and so the position
 * among the siblings.
 */
export const changedAt = <F extends typeof nodeFields>({ clock }: Work, fields: F, draft: Draft<F>): number =>
  Number((isUnchanged(fields, draft) && draft.before?.hidden.changed_at) || clock.now().getTime())

/** Refuses a body whose id differs from the id in the path. */
export function mustKeepId({ id, values, before }: Draft<typeof nodeFields>): void {
  if (!before || values.sent_id === undefined || values.sent_id.toLowerCase() === id) return
  throw new Problem('unprocessable', `data.id must be the id in the path, ${id}.`, { source: 'data.id' })
}

/** Siblings have different names and slugs. */
export const siblingConstraints = {
  nodes_name_key: {
    code: 'unprocessable',
    detail: 'Names must be unique amongst siblings.',
    source: 'data.attributes.name',
  },
  nodes_slug_key: {
    code: 'unprocessable',
    detail: 'Slugs must be unique amongst siblings.',
    source: 'data.attributes.slug',
  },
  // The parent node.
  nodes_parent_fkey: { code: 'not_found', detail: 'node not found' },
} as const

const namedAsParent = () =>
  new Problem('unprocessable', 'The name must differ from the name of the parent.', {
    source: 'data.attributes.name',
  })

export function mustDifferFromParent(name: string, parent: Crumb | undefined): void {
  if (name === parent?.name) throw namedAsParent()
}

/** The caller has locked the hierarchy, so no one adds or renames a child meanwhile. */
export async function mustDifferFromChildren({ store }: Work, id: string, name: string): Promise<void> {
  const same = await store.read(
    'SELECT 1 FROM nodes WHERE store_id = $1 AND parent_id = $2 AND md5(name) = md5($3) AND name = $3 LIMIT 1',
    id,
    name,
  )
  if (same.length) throw namedAsParent()
}
