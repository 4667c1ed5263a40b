import { isDeepStrictEqual } from 'node:util'
import { notFound, Problem } from '../../server/kernel/errors.ts'
import { resolveId } from '../../server/kernel/query/find.ts'
import { choice, flag, group, list, type ShownValues, text } from '../../server/kernel/shape/fields.ts'
import type { Row } from '../../server/kernel/shape/model.ts'
import { optional, shown } from '../../server/kernel/shape/shown.ts'
import type { Holder, PartChange } from '../../server/kernel/thing/holder.ts'
import { parts } from '../../server/kernel/thing/parts.ts'
import { severalParts } from '../../server/kernel/thing/several-parts.ts'
import { change } from '../../server/kernel/write/by-rules.ts'
import { crates, type Label } from './crates.ts'

type Labels = readonly Label[]

/** A crate has its labels as parts. */
const crate: Holder<Row, Labels, { readonly isHandled: boolean }, { readonly by?: string | undefined }> = {
  async find(ctx, name) {
    const row = await ctx.store.findWhole(crates, await resolveId(ctx, crates, [], name))
    if (!row) throw notFound('crate', name)
    return row
  },
  contentsOf: ({ hidden }) => (hidden.labels as Labels | undefined) ?? [],
  async change(ctx, name, deed, { by } = {}) {
    const id = await resolveId(ctx, crates, [], name)
    const [row] = await ctx.store.lockWhole(crates, [id])
    if (!row) return crate.find(ctx, name)
    const labels = await deed(crate.contentsOf(row), { isHandled: by !== 'a robot' })
    return change(ctx, crates, [], id, { labels } as never)
  },
}

const fields = {
  words: text({ required: true, min: 1, max: 40, about: 'What the label says.', example: 'This side up' }),
  loose: flag({ about: 'Whether the label can be removed.' }),
}

type LabelValues = ShownValues<typeof fields>

const label = shown.group({
  type: shown.constant('label'),
  id: shown.uuid,
  side: shown.text,
  words: shown.text,
  loose: optional(shown.flag),
  changed_at: shown.text,
})

const sides = ['top', 'front']
const onSide = (side: string, source?: string) => {
  if (sides.includes(side)) return (label: Label) => label.side === side
  throw notFound('side', side, { ...(source && { source }) })
}

/** The labels on a side of a crate. */
export const crateLabels = parts({
  of: crate,
  at: '/v2/crates/:crate_id/sides/:side/labels',
  id: 'label_id',
  in: ({ side }) => ({
    of: (labels: Labels, source) => labels.filter(onSide(side, source)),
    set: (labels, own: Labels) => [
      ...labels.filter((label) => !onSide(side)(label)),
      ...own.map((label) => ({ ...label, side })),
    ],
  }),
  area: 'crates',
  body: { type: 'label', fields },
  most: {
    n: 3,
    detail: (n) => `A side of a crate has at most ${n} labels.`,
    extras: ({ side }) => ({ title: 'No room', meta: { side } }),
  },
  missing: (id) => notFound('label', id),
  mayAdd(_labels, { isHandled, source }) {
    if (!isHandled) throw new Problem('forbidden', 'Only people put labels on a crate.', { source })
  },
  mayRemove(_labels, { loose }) {
    if (!loose) throw new Problem('bad_request', 'The label is not loose. Change it first.')
  },
  make: (values: LabelValues, { id, now }: PartChange) => ({ ...values, id, changedAt: now }),
  change(label, values, { now }) {
    const changed = { ...label, ...values }
    return isDeepStrictEqual(changed, label) ? label : { ...changed, changedAt: now }
  },
  shows: label,
  show: ({ changedAt, ...label }, _crate, { side }) => ({
    type: 'label',
    ...label,
    side,
    changed_at: changedAt,
  }),
  operations: {
    list: { name: 'list-crate-labels', about: 'Returns the labels on a side of a crate.' },
    get: { name: 'get-crate-label', about: 'Returns a label of a crate.' },
    create: {
      name: 'create-crate-label',
      about: 'Puts a label on a side of a crate.',
      headers: { 'X-Put-By': text({ about: 'Who puts the label on the crate.' }) },
      request: (headers) => ({ by: headers['x-put-by']?.toString() }),
    },
    update: { name: 'update-crate-label', about: 'Changes a label of a crate.' },
    delete: { name: 'delete-crate-label', about: 'Removes a loose label of a crate.' },
  },
})

/** The labels on all sides of a crate. */
export const allCrateLabels = severalParts({
  of: crate,
  at: '/v2/crates/:crate_id/labels',
  area: 'crates',
  create: {
    name: 'add-crate-labels',
    about: 'Puts labels on the sides of a crate.',
    body: {
      data: list(group({ side: choice([...sides, 'inside'], { required: true }), ...fields }, {}), {
        required: true,
        maxItems: 10,
        about: 'The labels, each with its side.',
      }),
    },
    shows: shown.list(label),
    into: ({ side }: LabelValues & { readonly side: string }) => crateLabels.at({ side }),
    refusal: ({ detail }) => new Problem('unprocessable', `No label was added. ${detail}`),
  },
  delete: {
    name: 'delete-crate-labels',
    about: 'Removes all labels of a crate.',
    clear: (labels, name) => {
      if (labels.length) return []
      throw notFound('labels of crate', name)
    },
  },
})
