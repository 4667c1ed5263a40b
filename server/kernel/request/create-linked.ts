import { type Check, checker, refuseWith422 } from '../body/checker.ts'
import { Faults } from '../body/faults.ts'
import type { Call } from '../declare/call.ts'
import type { Operation } from '../declare/operation.ts'
import { type Link, newLinksField, type Relationship } from '../declare/relationship.ts'
import type { Resource } from '../declare/resource.ts'
import { objectAnswer } from '../http/object-answer.ts'
import { newId } from '../ids.ts'
import { findById } from '../query/find.ts'
import type { Answer } from '../shape/answer.ts'
import { describe } from '../shape/fields.ts'
import { normalize } from '../shape/values.ts'
import type { Ctx } from '../work/context.ts'
import { scopeOfNew } from './first-write.ts'
import { create, inputOf } from './operations.ts'
import { addNewLinks, linksOfNew } from './relationships.ts'

/** Lets creates accept the links of relationships that allow it (`inCreate`), even across modules. */
export function withLinkedCreates<M extends { readonly operations: readonly Operation[] }>(
  modules: readonly M[],
): readonly M[] {
  const all = modules.flatMap(({ operations }) =>
    operations.flatMap(({ of }) => (of.is === 'relationship' ? of.relationship : [])),
  )
  const relationships = [...new Set(all)].filter(({ inCreate }) => inCreate)
  const withLinks = (operation: Operation): Operation => {
    const { of } = operation
    if (of.is !== 'resource' || of.name !== 'create') return operation
    const links = relationships.filter(({ owner }) => owner() === of.resource)
    if (!links.length) return operation
    const readLinks = reader(of.resource, links)
    return {
      ...operation,
      of: { ...of, links },
      run: (ctx, call) => createLinked(ctx, of.resource, readLinks, call),
    }
  }
  return modules.map((module) => ({ ...module, operations: module.operations.map(withLinks) }))
}

type ReadLinks = readonly (readonly [of: Relationship, links: readonly Link[]])[]

/** Reads the links of a create's body. Refuses faults in the links together with those in the fields. */
function reader(resource: Resource, relationships: readonly Relationship[]): (body: unknown) => ReadLinks {
  const field = newLinksField(relationships)
  const plain: Check = checker(describe(field), 'data.relationships')
  const check = resource.refusedWith ? refuseWith422(plain) : plain
  return (body) => {
    const input = (body as { data?: { relationships?: unknown } } | null | undefined)?.data?.relationships
    if (input == null) return []
    const faults = new Faults()
    faults.check(() => check(input))
    if (faults.any) faults.check(() => inputOf(resource).create(body))
    faults.refuse()
    const values = normalize(field, input) as Parameters<typeof linksOfNew>[1]
    const links = relationships.map((of) => [of, linksOfNew(of, values)] as const)
    return links.filter(([, some]) => some.length)
  }
}

async function createLinked(
  ctx: Ctx,
  resource: Resource,
  readLinks: (body: unknown) => ReadLinks,
  call: Call,
): Promise<Answer> {
  const newLinks = readLinks(call.body)
  const scope = await scopeOfNew(ctx, resource, call.params)
  if (!newLinks.length) return create(ctx, resource, scope, call)
  const id = ctx.chosenId ?? newId()
  return ctx.transaction(async (inside) => {
    await create(inside, resource, scope, call, id)
    for (const [of, links] of newLinks) await addNewLinks(inside, of, { id, scope }, links)
    return objectAnswer(201, resource, await findById(inside, resource, id, scope), inside)
  })
}
