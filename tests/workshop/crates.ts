import { type Relationship, relationship } from '../../server/kernel/declare/relationship.ts'
import { type Resource, resource } from '../../server/kernel/declare/resource.ts'
import { field, group, map, readOnlyObject, text } from '../../server/kernel/shape/fields.ts'
import { things } from './things.ts'

/** A part of a crate: see `crate-labels.ts`. */
export interface Label {
  readonly id: string
  readonly side: string
  readonly words: string
  readonly loose?: boolean | undefined
  readonly changedAt: string
}

const comparisons = ['lt', 'le', 'eq', 'gt', 'ge'] as const

/** Objects whose id the client chooses, as it does for carts. */
export const crates: Resource = resource({
  type: 'crate',
  noun: ['crate', 'crates'],
  about: 'A crate, under an id that the client chooses.',
  path: '/v2/crates',
  table: 'crates',
  fields: {
    id: text({
      pattern: /^[A-Za-z0-9_-]{1,255}$/,
      immutable: true,
      about: 'Chosen by the client, or a UUID; unique in the store.',
      example: 'in-the-attic',
    }),
    sender: group(
      { email: text({ required: true, format: 'email', max: 320 }) },
      { about: 'The sender of the crate.' },
    ),
    marks: map(text({ max: 255 }), { maxKeys: 20, about: 'Marks on the crate.' }),
    relationships: readOnlyObject({}, { about: 'The thing on top.' }),
    labels: field<readonly Label[] | undefined>({ type: 'array' }, { hidden: true, readOnly: true }),
  },
  filter: {
    id: { ops: ['eq', 'in'], type: 'text', column: 'reference' },
    created_at: comparisons,
    updated_at: comparisons,
  },
  sort: ['created_at', 'updated_at'],
  key: { field: 'id', where: (name, bind) => `reference = ${bind(name)}` },
  order: '-updated_at',
  area: 'crates',
  envelope: { times: 'fields', digits: 0, fields: 'top', links: 'none', href: 'absolute' },
  beforeWrite: (_work, { id, values }) => {
    values.id ??= id
  },
  constraints: {
    crates_reference_key: {
      code: 'conflict',
      detail: 'a crate with the given id already exists',
      source: 'data.id',
    },
  },
})

const links = {
  about: 'The things in the crate.',
  owner: () => crates,
  target: () => things,
  area: 'crates',
} as const

/** Links in rows of their own, as there may be many. */
export const thingsOfCrate: Relationship = relationship({
  ...links,
  name: 'crate-things',
  path: '/v2/crates/:crate_id/relationships/things',
  holds: 'many',
  storage: { table: 'crate_things', ownerColumn: 'crate_id' },
  most: { n: 500, detail: (n) => `A crate may have at most ${n} things.` },
  meta: { note: text({ max: 20, about: 'Why the thing is in the crate.' }) },
  operations: { list: 200, add: 201, replace: 204, remove: 204 },
})

/** One link, in the document of the crate. */
export const topOfCrate: Relationship = relationship({
  ...links,
  name: 'crate-top',
  path: '/v2/crates/:crate_id/relationships/top',
  holds: 'one',
  storage: { member: 'top' },
  most: { n: 1, detail: () => 'Only one thing can be on top.' },
  operations: { list: 200, add: 200, replace: 200, remove: 204 },
})
