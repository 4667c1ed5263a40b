import { resource } from '../../kernel/declare/resource.ts'
import { field } from '../../kernel/shape/fields.ts'
import { walks } from '../../kernel/shape/model.ts'
import { ownerMeta } from '../../store/index.ts'
import { flowEnvelope } from './flow-envelope.ts'
import { flowsBySlug } from './flow-fields.ts'

/** Stored beside the values of an entry. `meta` is a reserved slug, so no field has this name. */
export interface EntryMeta {
  /** Only in entries of a template. */
  readonly product_id: string
}

/** An object with the fields of a flow, which are added in the same way as to a resource. */
export const entries = resource({
  type: 'entry',
  noun: ['flow-entry', 'flow-entries'],
  about: 'An object with the fields of a flow.',
  path: '/v2/flows/:flow_id/entries',
  parent: () => flowsBySlug,
  table: 'flow_entries',
  fields: { meta: field<EntryMeta | undefined>({ type: 'object' }, { hidden: true, readOnly: true }) },
  addedUnder: { column: 'flow_id' },
  filter: {
    ...walks,
    owner: { ops: ['eq'], type: 'text', where: (_op, owners) => String(owners.includes('store')) },
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'flow-entries',
  visible: 'all',
  envelope: flowEnvelope,
  refusedWith: 422,
  meta: ownerMeta,
  constraints: {
    flow_entries_product_id_fkey: { code: 'not_found', detail: 'product not found', source: 'data.id' },
  },
})
