import { newId } from '../kernel/ids.ts'
import type { Draft, Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { customApis } from './custom-apis.ts'
import { type Definition, stateIn } from './definition.ts'
import { namingTheField } from './taken-value.ts'

/** Stores a new entry, unless the definition has changed since its values were checked against it. */
export async function createEntry(
  work: Work,
  api: Definition,
  values: Draft['values'],
  id: string = newId(),
): Promise<Row | undefined> {
  const { entries } = api
  const draft: Draft = { id, scope: [api.id], values: { ...values } }
  await entries.beforeWrite?.(work, draft)
  const isDefinitionUnchanged = (bind: (value: unknown) => string) =>
    `r.id = ${bind(api.id)} AND ${stateIn('r')} = ${bind(api.state)}`
  const condition = { table: customApis.table, where: isDefinitionUnchanged }
  return namingTheField(api, work.store.insert(entries, draft, true, condition))
}
