import type { Op } from '../../kernel/shape/list-query.ts'
import { type FilterRule, walks } from '../../kernel/shape/model.ts'
import type { Binds } from '../../kernel/storage/binds.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import { breadcrumbsOf } from './breadcrumbs.ts'

/** For texts without a column. It folds case as columns do, see kernel/query/condition.ts. */
const isLike = (op: Op, text: string, pattern: string): string =>
  op === 'ilike' ? `${caseless(text)} LIKE ${caseless(pattern)}` : `${text} LIKE ${pattern}`

/** Whether a document contains one of these parts. An index supports this form. */
const contains = (document: string, parts: readonly unknown[], bind: Binds['bind']): string =>
  `(${parts.map((part) => `${document} @> ${bind(JSON.stringify(part))}::jsonb`).join(' OR ')})`

const breadcrumbs = breadcrumbsOf('nodes')
const locales = `(nodes.doc->'attributes'->'locales')::jsonb`

/** Matches any step of the breadcrumbs. `step` is the part that it contains, `text` the SQL of its text in step `c`. */
const breadcrumb = (
  ops: readonly Op[],
  step: (value: string, part: string) => object,
  text: (bind: Binds['bind'], part: string) => string,
): FilterRule => ({
  ops,
  type: 'text',
  where: (op, values, bind, part) =>
    op === 'eq' || op === 'in'
      ? contains(
          breadcrumbs,
          values.map((value) => [step(value, part)]),
          bind,
        )
      : `EXISTS (SELECT FROM jsonb_array_elements(${breadcrumbs}) c WHERE ${isLike(op, text(bind, part), bind(values[0]))})`,
})

const localized = (ops: readonly Op[], member: 'name' | 'description'): FilterRule => ({
  ops,
  part: language,
  where: (op, values, bind, part) =>
    op === 'eq' || op === 'in'
      ? contains(
          locales,
          values.map((value) => ({ [part]: { [member]: value } })),
          bind,
        )
      : isLike(op, `(${locales}->${bind(part)}::text->>'${member}')`, bind(values[0])),
})

const language = /^[A-Za-z0-9_-]{1,35}$/

const text = (column: string, ops: readonly Op[]): FilterRule => ({ ops, type: 'text', column, long: true })

const reference = { ops: walks.id, type: 'uuid' } as const

/** The filters of all lists of hierarchies and nodes. Each index serves all of these lists. */
export const nodeFilters = () => {
  const ops = ['eq', 'like', 'ilike'] as const
  return {
    ...walks,
    hierarchy_id: reference as FilterRule,
    parent_id: reference as FilterRule,
    owner: {
      ops: ['eq'],
      type: 'text',
      where: (_op, owners, bind) => `'store' = ANY(${bind(owners)}::text[])`,
    } as FilterRule,
    name: text('name', ops),
    slug: text('slug', ops),
    description: text('description', ops),
    has_children: { ops: ['eq'], type: 'boolean', column: 'has_children' } as FilterRule,
    'locales.*.name': localized(ops, 'name'),
    'locales.*.description': localized(ops, 'description'),
    'breadcrumbs.id': {
      ...breadcrumb(
        ['eq'],
        (id) => ({ id: id.toLowerCase() }),
        () => '',
      ),
      type: 'uuid',
    } as FilterRule,
    'breadcrumbs.name': breadcrumb(
      ops,
      (name) => ({ name }),
      () => `(c->>'name')`,
    ),
    'breadcrumbs.slug': breadcrumb(
      ops,
      (slug) => ({ slug }),
      () => `(c->>'slug')`,
    ),
    'breadcrumbs.locales.*.name': {
      ...breadcrumb(
        ops,
        (name, part) => ({ locales: { [part]: { name } } }),
        (bind, part) => `(c->'locales'->${bind(part)}::text->>'name')`,
      ),
      part: language,
    } as FilterRule,
  }
}
