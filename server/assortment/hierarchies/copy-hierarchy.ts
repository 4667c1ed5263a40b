import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { newId } from '../../kernel/ids.ts'
import { findByName, scopeOf } from '../../kernel/query/find.ts'
import { flag, group, text } from '../../kernel/shape/fields.ts'
import type { Binds } from '../../kernel/storage/binds.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { pimJob, pimJobs, startPimJob } from '../../store/index.ts'
import { crumbOf } from './breadcrumbs.ts'
import { hierarchies } from './hierarchies.ts'
import { nodeProducts } from './node-products.ts'
import { nodes } from './nodes.ts'

/** The hierarchy to copy, and the values that differ in the copy. */
interface CopyInput {
  readonly hierarchyId: string
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly withProducts: boolean
}

/** Copies a hierarchy with all of its nodes in one transaction, so that a killed worker leaves no partial copy. */
export const copyHierarchy = pimJob<CopyInput>({
  type: 'hierarchy-duplicate',
  run: async (work, { payload: { hierarchyId, name, description, withProducts } }) => {
    const { store } = work
    // The lock keeps others from moving, renaming or deleting its nodes.
    await store.lock(hierarchies, hierarchyId)
    const source = await store.find(hierarchies, hierarchyId, [store.id])
    if (!source) throw new Problem('not_found', 'The hierarchy was deleted before it could be copied.')
    const { relationships: _, ...attributes } = source.doc
    const root = await add(work, hierarchies, [store.id], {
      ...attributes,
      name: name ?? attributes.name,
      ...(description !== undefined && { description }),
    })
    const rows = await store.runLong(
      'SELECT id FROM nodes WHERE store_id = $1 AND hierarchy_id = $2 ORDER BY created_at, id',
      hierarchyId,
    )
    const copies = rows.map(([id]) => ({ id: id as string, as: newId() }))
    await copyNodes(
      work,
      { from: hierarchyId, to: root.id, crumb: crumbOf(root.id, root.doc) },
      copies,
      withProducts,
    )
    if (withProducts) await copyProducts(work, copies)
    return { details: { hierarchy_id: root.id } }
  },
})

type Copies = readonly { readonly id: string; readonly as: string }[]
/** The pairs of a node and its copy. */
const pairs = (copies: Copies, bind: Binds['bind']): string => {
  const [ids, newIds] = [bind(copies.map(({ id }) => id)), bind(copies.map(({ as }) => as))]
  return `unnest(${ids}::uuid[], ${newIds}::uuid[]) AS pair (id, copy_id)`
}

/** Copies from the hierarchy down, because the breadcrumbs of a copy begin with those of its parent. */
async function copyNodes(
  { store }: Work,
  { from, to, crumb }: { readonly from: string; readonly to: string; readonly crumb: object },
  copies: Copies,
  withProducts: boolean,
): Promise<void> {
  await store.insertFrom(nodes, {
    columns: ['hierarchy_id', 'id', 'doc', 'hidden'],
    rows: (bind) => {
      const root = `${bind(to)}::uuid`
      const at = `'/hierarchies/' || ${root} || '/nodes/' || copy.id`
      const list = (name: string) =>
        `'${name}', json_build_object('data', '[]'::json, 'links', json_build_object('related', ${at} || '/${name}'))`
      const attributes = `(copy.doc->'attributes')::jsonb${withProducts ? '' : ` - 'curated_products'`}`
      return `
        WITH RECURSIVE pairs AS (SELECT * FROM ${pairs(copies, bind)}), copy AS (
          SELECT ${bind(from)}::uuid AS copied_id, ${root} AS id, NULL::uuid AS parent_id, NULL::json AS doc,
            NULL::json AS hidden, jsonb_build_array(${bind(JSON.stringify(crumb))}::jsonb) AS breadcrumbs
          UNION ALL
          SELECT n.id, pairs.copy_id, copy.id, n.doc, n.hidden, copy.breadcrumbs ||
            ((n.hidden->'breadcrumbs')::jsonb->-1 || jsonb_build_object('id', pairs.copy_id))
          FROM copy JOIN nodes n ON n.store_id = $1 AND n.parent_id = copy.copied_id JOIN pairs ON pairs.id = n.id
        )
        SELECT ${root}, copy.id,
          json_build_object('attributes', ${attributes}, 'relationships', json_strip_nulls(json_build_object(
            ${list('children')},
            'parent', CASE WHEN copy.parent_id <> ${root}
              THEN json_build_object('data', json_build_object('type', 'node', 'id', copy.parent_id)) END,
            ${list('products')}))),
          jsonb_set(copy.hidden::jsonb, '{breadcrumbs}', copy.breadcrumbs)::json
        FROM copy WHERE copy.parent_id IS NOT NULL`
    },
  })
}

async function copyProducts({ store }: Work, copies: Copies): Promise<void> {
  await store.insertFrom(nodeProducts, {
    columns: ['node_id', 'id', 'doc', 'curated', 'product_updated_at'],
    rows: (bind) =>
      `SELECT pair.copy_id, l.id, l.doc, l.curated, products.updated_at FROM ${pairs(copies, bind)}
       JOIN node_products l ON l.store_id = $1 AND l.node_id = pair.id
       JOIN products ON products.store_id = $1 AND products.id = l.id ORDER BY products.id`,
    unchanged: 'products',
  })
}

export const duplicateHierarchy = action({
  name: 'duplicate-hierarchy',
  route: 'POST /pcm/hierarchies/:id/duplicate_job',
  about: 'Starts a job that copies the hierarchy and all of its nodes. The response is the job.',
  area: 'hierarchies',
  status: 201,
  body: {
    type: 'hierarchy',
    fields: {
      attributes: group(
        {
          name: text({
            min: 1,
            max: 1000,
            about: 'The name of the copy. By default the name of the hierarchy.',
          }),
          description: text({
            nullable: true,
            about: 'The description of the copy. By default the description of the hierarchy.',
          }),
          include_products: flag({
            default: false,
            about: 'Whether the copies of the nodes have the same products.',
          }),
        },
        { default: {} },
      ),
    },
  },
  shows: { resource: pimJobs },

  async run(ctx, { params, body: { attributes } }) {
    const scope = await scopeOf(ctx, hierarchies, params)
    const { id } = await findByName(ctx, hierarchies, params.id, scope)
    const { name, description, include_products } = attributes
    const input = { hierarchyId: id, name, description, withProducts: include_products }
    return objectAnswer(201, pimJobs, await startPimJob(ctx, copyHierarchy, input, { copied_from: id }), ctx)
  },
})
