import { isDeepStrictEqual } from 'node:util'
import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { record } from '../../kernel/feed/record.ts'
import { resolveId } from '../../kernel/query/find.ts'
import { choice, field, flag, group, list, text } from '../../kernel/shape/fields.ts'
import { type Draft, type Row, walks } from '../../kernel/shape/model.ts'
import { readOnly, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { renewMember } from '../../kernel/work/sealed-members.ts'
import { change, remove } from '../../kernel/write/by-rules.ts'
import {
  type Configuration,
  changeConfiguration,
  observedConfiguration,
  openConfiguration,
  settingFields,
  shownConfiguration,
} from './configuration.ts'
import { eventKey, mustBeKnownKeys } from './event-keys.ts'
import { integrationEnvelope } from './integration-envelope.ts'
import { integrationTypes } from './kinds.ts'

/** How many events one integration can observe. */
const observedMax = 5

const configuration = {
  about:
    'Where events are sent, and how. An update changes the settings that it contains. With another ' +
    '`integration_type` it has all of them.',
}

const fields = {
  name: text({
    required: true,
    min: 1,
    max: 255,
    about: 'The name of the integration.',
    example: 'Warehouse',
  }),
  description: text({ default: '', max: 65_535, about: 'What the integration is for.' }),
  enabled: flag({
    default: true,
    about:
      'Whether events are sent. The server sets it to false when the target has failed for long: see `paused`.',
  }),
  integration_type: choice(integrationTypes, {
    required: true,
    about: 'How events are sent. `aws-sqs` is another spelling of `aws_sqs`.',
    example: 'webhook',
  }),
  observes: list(text({ min: 1, max: 255 }), {
    required: true,
    maxItems: 100,
    about: `The keys of one to ${observedMax} events. A key that comes twice is stored once.`,
    example: ['order.paid'],
    checkedByRule: { minItems: 1, items: eventKey },
  }),
  paused: readOnly(shown.group({ reason: shown.text, at: shown.time }), {
    about: 'Why and when the server has disabled the integration. Absent while it is enabled.',
  }),
  /** The settings of a request. */
  settings: group(settingFields, {
    ...{ required: true, stored: false, inputName: 'configuration' },
    ...configuration,
  }),
  open_settings: field<Configuration | undefined>({ type: 'object' }, { hidden: true, readOnly: true }),
  sealed_secrets: text({ hidden: true, readOnly: true }),
}

type IntegrationFields = typeof fields
type IntegrationRow = Row<IntegrationFields>

const shownBy = (show: typeof shownConfiguration) =>
  resource({
    type: 'integration',
    noun: ['integration', 'integrations'],
    about: 'A webhook or a queue that receives events of the store.',
    path: '/v2/integrations',
    table: 'integrations',
    fields,
    filter: walks,
    sort: ['created_at', 'id', 'name', 'updated_at'],
    operations: ['list', 'create', 'get', 'update'],
    whole: true,
    counted: false,
    most: { n: 100, detail: (n) => `A store can have at most ${n} integrations.` },
    area: 'integrations',
    envelope: integrationEnvelope,
    refusedWith: 422,
    also: {
      fields: { configuration: group(settingFields, configuration) },
      of: ({ doc, hidden }, { instance }) => ({
        configuration: show(doc.integration_type, openConfiguration(instance.sealKeys, hidden)),
      }),
    },
    beforeWrite: prepare,
  })

/** Something outside that observes the events of the store. */
export const integrations = shownBy(shownConfiguration)

/** Integrations, as events show them to others. */
export const observedIntegrations = shownBy(observedConfiguration)

async function prepare(work: Work, draft: Draft<IntegrationFields>): Promise<void> {
  await mustObserve(work, draft)
  configure(work, draft)
  if (draft.values.enabled) draft.values.paused = undefined
}

async function mustObserve(work: Work, { values, changes, before }: Draft<IntegrationFields>): Promise<void> {
  if (changes && !changes.observes) return
  const source = 'data.observes'
  if (values.observes.length === 0) {
    const detail = `${source} must have at least one key of an event, such as order.paid. To send nothing, set data.enabled to false.`
    throw new Problem('unprocessable', detail, { source })
  }
  // What is stored stays valid when a custom API of the store is gone. Its clients send it back.
  await mustBeKnownKeys(work, values.observes, source, before?.doc.observes ?? [])
  values.observes = [...new Set(values.observes)]
  if (values.observes.length > observedMax) {
    const detail = `You have reached the integration event limit of ${observedMax}`
    throw new Problem('unprocessable', detail, { source })
  }
}

function configure({ instance }: Work, { values, before, changes }: Draft<IntegrationFields>): void {
  const type = values.integration_type
  const hasNewType = before && before.doc.integration_type !== type
  const sent = changes ? changes.settings : values.settings
  if (!sent && !hasNewType) return
  const stored = before && !hasNewType ? openConfiguration(instance.sealKeys, before.hidden) : {}
  const after = changeConfiguration(instance.sealKeys, type, stored, sent ?? {})
  // A new seal of the same secrets would be a change of the row.
  if (isDeepStrictEqual(openConfiguration(instance.sealKeys, after), stored)) return
  values.open_settings = after.open_settings
  values.sealed_secrets = after.sealed_secrets
}

/**
 * Disables an integration whose target has failed for long. Responses show the reason until a client enables it again.
 * Its events are `integration.updated` and `integration.paused`.
 */
export const pauseIntegration = (work: Work, id: string, reason: string): Promise<IntegrationRow> =>
  work.transaction(async (inside) => {
    const paused = { reason, at: inside.clock.now().toISOString() }
    const row = await change(inside, integrations, [], id, { enabled: false, paused })
    await record(inside, {
      ...{ event: 'integration.paused', type: 'integration', source: 'integrations', id },
      ...{ doc: JSON.parse(row.text) as object, row, hidden: { open_settings: row.hidden.open_settings } },
    })
    return row
  })

/** Seals the settings of all integrations anew: see `work/sealed-members.ts`. */
export const renewSettings = renewMember({
  table: 'integrations',
  member: 'sealed_secrets',
  name: 'name',
  describe: (name, storeId) => `the secrets of the integration ${name} of the store ${storeId}`,
})

export const deleteIntegration = action({
  name: 'delete-integration',
  route: 'DELETE /v2/integrations/:id',
  about: 'Deletes an integration. Events that wait for it are not sent; its logs stay until they are old.',
  area: 'integrations',
  status: 200,
  refuses: ['precondition_failed'],
  shows: { body: null },
  async run(ctx, call) {
    const id = await resolveId(ctx, integrations, [], call.params.id)
    // The public contract has a 200 here, without a body.
    return { ...(await remove(ctx, integrations, [], id, call)), status: 200 }
  },
})
