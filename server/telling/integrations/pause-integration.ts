import { record } from '../../kernel/feed/record.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { type IntegrationRow, integrations } from './integrations.ts'

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
