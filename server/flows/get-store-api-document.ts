import { action } from '../kernel/action.ts'
import { type Added, ownNow, withAdded } from '../kernel/added-fields.ts'
import type { Work } from '../kernel/context.ts'
import { json } from '../kernel/http/answer.ts'
import type { Resource } from '../kernel/resource.ts'
import type { Extends } from './flow-fields.ts'
import { extensionsOf, withExtensions } from './template-entries.ts'
import { findTemplates } from './templates.ts'

/** The API document as this store has it: with the fields that its flows add, to products by templates too. */
export const getStoreApiDocument = (extended: () => Extends) =>
  action({
    name: 'get-store-api-document',
    route: 'GET /v2/settings/specifications/openapi',
    about:
      'Describes the API in an OpenAPI document as this store has it: with the fields that its flows add to resources, ' +
      'and to products by templates.',
    area: 'flows',
    status: 200,

    async run(ctx) {
      const added = await addedTo(ctx, Object.values(extended()).flat())
      const extensions = extensionsOf([...new Set((await findTemplates(ctx)).values())])
      const ownOf = (of: Resource) => {
        const own = typeof of.addedUnder === 'string' ? withAdded(of, added.get(of.addedUnder)) : of
        return own.shownWith === withExtensions ? { ...own, shownWith: extensions } : own
      }
      return json(200, { servers: [{ url: ctx.baseUrl }], ...ctx.instance.apiDocument(ownOf) })
    },
  })

/** What the store adds to resources, by the names that it is added under. */
async function addedTo(work: Work, all: readonly Resource[]): Promise<ReadonlyMap<string, Added>> {
  const byName = new Map<string, Added>()
  for (const of of new Map(all.map((one) => [one.addedUnder, one])).values()) {
    const { added, addedUnder } = await ownNow(work, of, [])
    if (added && typeof addedUnder === 'string') byName.set(addedUnder, added)
  }
  return byName
}
