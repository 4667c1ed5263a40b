import type { Client } from '../../support/client.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Field = any

/** A flow with fields of these types. */
export async function makeFlow(admin: Client, slug: string, fields: Readonly<Record<string, object>>) {
  const data = { type: 'flow', name: slug, slug, description: 'For a test', enabled: true }
  const reply = await admin.post('/v2/flows', { data })
  if (reply.status !== 201) throw new Error(`No flow ${slug}: ${JSON.stringify(reply.body)}`)
  const { id } = reply.body.data
  const ids: Record<string, string> = {}
  const addField = async (name: string, facts: object) => {
    const field = await admin.post('/v2/fields', { data: fieldOf(id, name, facts) })
    if (field.status === 201) ids[name] = field.body.data.id
    return field
  }
  for (const [name, facts] of Object.entries(fields)) {
    const field = await addField(name, facts)
    if (field.status !== 201) throw new Error(`No field ${name}: ${JSON.stringify(field.body)}`)
  }
  const entries = `/v2/flows/${slug}/entries`
  return {
    id: id as string,
    path: `/v2/flows/${id}`,
    entries,
    addField,
    change: (name: string, facts: Field) =>
      admin.put(`/v2/fields/${ids[name]}`, { data: { type: 'field', ...facts } }),
    drop: (name: string) => admin.delete(`/v2/fields/${ids[name]}`),
    create: (values: object) => admin.post(entries, { data: { type: 'entry', ...values } }),
  }
}

export const fieldOf = (flowId: string, slug: string, facts: object) => ({
  type: 'field',
  name: slug,
  slug,
  description: 'For a test',
  enabled: true,
  required: false,
  relationships: { flow: { data: { id: flowId, type: 'flow' } } },
  ...facts,
})
