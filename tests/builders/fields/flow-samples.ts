import { entries } from '../../../server/fields/flows/entries.ts'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { withAddedFields } from '../../../server/kernel/storage/added-fields.ts'
import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'
import { fieldOf } from './flows.ts'

let counter = Math.floor(Math.random() * 1e9)

/** Flows that have room for more fields. Those of entries get none: an update may make a value required. */
const open = new WeakMap<SharedSamples, { flow: Promise<string>; left: number }>()

function flowOf(samples: SharedSamples): Promise<string> {
  const current = open.get(samples)
  const one =
    current && current.left > 0
      ? current
      : { flow: samples.make(samples.named('flow')).then(({ id }) => id), left: 50 }
  one.left -= 1
  open.set(samples, one)
  return one.flow
}

/** The links of an entry, by a new field of its flow. */
async function linksOfEntry(client: Client, samples: SharedSamples): Promise<string> {
  counter += 1
  const flow = samples.named('flow')
  const { id } = await samples.shared(flow, flow.resource.path)
  const field = { ...fieldOf(id, `links-${counter}`, {}), field_type: 'relationship' }
  const rules = [{ type: 'one-to-many', to: 'product' }]
  const { status } = await client.post('/v2/fields', { data: { ...field, validation_rules: rules } })
  if (status !== 201) throw new Error(`No sample field: ${status}`)
  return `${await samples.path('/v2/flows/:flow_id/entries/:id')}/relationships/${field.slug}`
}

/** The links of a profile, to which a flow adds them: few tests look at profiles. */
const linksOfProfile = async (client: Client, samples: SharedSamples): Promise<string> => {
  const profile = samples.named('password-profile')
  const collection = await samples.path(profile.resource.path)
  const { id } = await samples.shared(profile, collection)
  const slug = 'password-profiles'
  const flow = { type: 'flow', name: slug, slug, description: '', enabled: true }
  const reply = await client.post('/v2/flows', { data: flow })
  if (reply.status === 201) {
    const field = { ...fieldOf(reply.body.data.id, 'friends', {}), field_type: 'relationship' }
    const rules = [{ type: 'one-to-many', to: 'product' }]
    await client.post('/v2/fields', { data: { ...field, validation_rules: rules } })
  }
  return `/v2/${slug}/${id}/relationships/friends`
}

export const flows: ModuleSamples = {
  // As it is in a flow without fields.
  runTime: [resource({ ...withAddedFields(entries, undefined) })],
  notInUpdates: ['flow-field.validation_rules'],
  completions: {
    flow: async () => {
      counter += 1
      return { slug: `samples-${counter}` }
    },
    'flow-field': async (_client, samples) => {
      counter += 1
      return {
        slug: `field-${counter}`,
        field_type: 'string',
        required: false,
        validation_rules: [],
        default: null,
        relationships: { flow: { data: { id: await flowOf(samples), type: 'flow' } } },
      }
    },
  },
  makers: {
    'field-of-flow': async (client, samples) => {
      counter += 1
      const flow = samples.named('flow')
      const { id } = await samples.shared(flow, flow.resource.path)
      const field = { ...fieldOf(id, `below-${counter}`, {}), field_type: 'string' }
      return (await client.post('/v2/fields', { data: field })).body.data
    },
  },
  paths: {
    'create-flow-entry-relationship': linksOfEntry,
    'update-flow-entry-relationship': linksOfEntry,
    'delete-flow-entry-relationship': linksOfEntry,
    'get-relationship-of-extended': linksOfProfile,
    'create-relationship-of-extended': linksOfProfile,
    'update-relationship-of-extended': linksOfProfile,
    'delete-relationship-of-extended': linksOfProfile,
  },
  bodies: {
    'create-relationship-of-extended': async () => ({ data: [] }),
    'update-relationship-of-extended': async () => ({ data: [] }),
    'create-flow-entry-relationship': async () => ({ data: [] }),
    'update-flow-entry-relationship': async () => ({ data: [] }),
  },
}
