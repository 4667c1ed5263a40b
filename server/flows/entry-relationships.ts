import { type Action, action, type Method } from '../kernel/action.ts'
import { checker, unprocessably } from '../kernel/checker.ts'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { group, list as listOf, text } from '../kernel/fields.ts'
import { json, noContent } from '../kernel/http/answer.ts'
import { parseBody } from '../kernel/http/body.ts'
import { keptInDocument, type Link } from '../kernel/links.ts'
import { resolve } from '../kernel/operations.ts'
import type { Resource, Row } from '../kernel/resource.ts'
import { findExtended } from './core-entries.ts'
import { fieldsOf } from './define.ts'
import { entriesOf } from './entry-operations.ts'
import { type FoundFlow, findFlow } from './find-flow.ts'
import type { Extends } from './flow-fields.ts'

const path = '/v2/flows/:flow_id/entries/:id/relationships/:field_slug'
const linksMax = 1000

const name = text({ required: true, min: 1, max: 255 })
const linksField = listOf(group({ type: name, id: name }, {}), { maxItems: linksMax })
const check = checker(linksField.schema, 'data')

type Edit = (before: readonly Link[], sent: readonly Link[] | undefined, isOne: boolean) => readonly Link[]

const isAmong = (links: readonly Link[], { id, type }: Link) =>
  links.some((one) => one.id === id && one.type === type)

const add: Edit = (before, sent = [], isOne) =>
  isOne ? sent : [...before, ...sent.filter((one) => !isAmong(before, one))]
const replace: Edit = (_before, sent = []) => sent
const takeAway: Edit = (before, sent) => (sent ? before.filter((one) => !isAmong(sent, one)) : [])

/** The calls that link an entry to other objects, by a field of the type relationship. */
export const linkEntry = (extended: () => Extends): readonly Action[] => {
  const call = (name: string, method: Method, status: 201 | 204, about: string, edit: Edit) =>
    action({
      name: `${name}-flow-entry-relationship`,
      route: `${method} ${path}`,
      about,
      area: 'flow-entries',
      status,
      // The body of a DELETE is read by who means something by it.
      ...(method === 'DELETE' && { rawBody: true }),
      async run(ctx, { params, rawBody, headers }) {
        const flow = await findFlow(ctx, params.flow_id)
        const holds = await howMany(ctx, flow, params.field_slug)
        const { of, row } = await findOwner(ctx, flow, extended, params.id)
        const sent = linksIn(
          typeof rawBody === 'string' ? parseBody(rawBody, String(headers['content-type'])) : rawBody,
          holds,
          method === 'DELETE',
        )
        const links = await edited(ctx, of, row, { holds, slug: params.field_slug }, (before) =>
          edit(before, sent, holds === 'one'),
        )
        return status === 204 ? noContent : json(status, { data: links })
      },
    })
  return [
    call(
      'create',
      'POST',
      201,
      'Links an entry to more objects, or to another one where it has one link.',
      add,
    ),
    call('update', 'PUT', 201, 'Links an entry to these objects and no others.', replace),
    call('delete', 'DELETE', 204, 'Takes links off an entry: those that are sent, or all of them.', takeAway),
  ]
}

type Holds = 'one' | 'many'

async function howMany(ctx: Ctx, flow: FoundFlow, slug: string): Promise<Holds> {
  const field = (await fieldsOf(ctx, flow.id)).find(
    (one) => one.slug === slug && one.field_type === 'relationship' && one.enabled,
  )
  if (!field) throw new Problem('not_found', 'relationship field not found')
  return field.validation_rules[0]?.type === 'one-to-one' ? 'one' : 'many'
}

async function findOwner(
  ctx: Ctx,
  flow: FoundFlow,
  extended: () => Extends,
  name: string,
): Promise<{ readonly of: Resource; readonly row: Row }> {
  if (flow.kind === 'core') return findExtended(ctx, extended()[flow.slug] ?? [], name)
  const of = entriesOf(flow)
  const id = await resolve(ctx, of, [flow.id], name)
  const row = await ctx.store.find(of, id, [flow.id])
  if (!row) throw new Problem('not_found', 'flow entry not found')
  return { of, row }
}

function linksIn(body: unknown, holds: Holds, mayLack: boolean): readonly Link[] | undefined {
  const data = (body as { readonly data?: unknown } | null | undefined)?.data
  if (data === undefined && mayLack) return undefined
  if (data === undefined) {
    throw new Problem('unprocessable', "The field 'data' is required (data).", { source: 'data' })
  }
  const links = [(data ?? []) as Link | readonly Link[]].flat()
  unprocessably(check)(links)
  if (holds === 'one' && links.length > 1 && !mayLack) {
    throw new Problem('unprocessable', 'Validation failed: data must be one link.', { source: 'data' })
  }
  const each = new Map(links.map(({ id, type }) => [`${type} ${id}`, { type, id }]))
  return [...each.values()]
}

async function edited(
  ctx: Ctx,
  of: Resource,
  { id, scope }: Row,
  { slug, holds }: { readonly slug: string; readonly holds: Holds },
  edit: (before: readonly Link[]) => readonly Link[],
): Promise<readonly Link[]> {
  // Two requests for the same entry take turns: neither loses what the other did.
  await ctx.store.hold(of, id)
  const row = await ctx.store.find(of, id, scope)
  if (!row) throw new Problem('not_found', 'flow entry not found')
  const keeper = keptInDocument(of, { member: slug }, holds)
  const before = await keeper.read(ctx, row)
  const after = edit(before)
  if (after.length > linksMax) {
    throw new Problem('unprocessable', `An entry has at most ${linksMax} links of a field.`, {
      source: 'data',
    })
  }
  if (JSON.stringify(after) !== JSON.stringify(before)) await keeper.write(ctx, row, before, after)
  return after
}
