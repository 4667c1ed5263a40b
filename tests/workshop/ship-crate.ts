import { action } from '../../server/kernel/declare/action.ts'
import { findByName } from '../../server/kernel/query/find.ts'
import { json } from '../../server/kernel/shape/answer.ts'
import { group, text } from '../../server/kernel/shape/fields.ts'
import { optional, shown } from '../../server/kernel/shape/shown.ts'
import { callOut, type OutsideCall } from '../../server/kernel/work/outside-calls.ts'
import { change } from '../../server/kernel/write/by-rules.ts'
import { crates } from './crates.ts'

/** The address of the carrier, and how long it may take. Without an address, every shipment is accepted at once. */
export const carrier = { url: '', timeoutMs: 1000 }

interface Shipment {
  /** The id of the crate. */
  readonly id: string
  readonly note: string
}

interface RecordedShipment {
  readonly tracking: string
  readonly count: number
}

/** Asks the carrier to pick up a crate. */
export const shipment: OutsideCall<Shipment, { readonly tracking: string }, RecordedShipment> = {
  name: 'workshop:shipment',
  get timeoutMs() {
    return carrier.timeoutMs
  },
  async send({ id, values }, { signal }) {
    if (!carrier.url) return { tracking: 'none' }
    const headers = { 'idempotency-key': id }
    const answer = await fetch(carrier.url, {
      ...{ method: 'POST', body: JSON.stringify(values), headers, signal },
    })
    if (!answer.ok) throw new Error(`the carrier answered ${answer.status}`)
    return (await answer.json()) as { tracking: string }
  },
  async record(work, { values: { id } }, { tracking }) {
    // Of two concurrent shipments, the second reads the writes of the first.
    await work.store.lock(crates, id)
    const crate = await work.store.findWhole(crates, id)
    const { shipments = '0' } = (crate?.doc.marks ?? {}) as { readonly shipments?: string }
    const count = Number(shipments) + 1
    await change(work, crates, [], id, { marks: { shipments: String(count), tracking } } as never)
    return { tracking, count }
  },
  foresee: () => ({ tracking: '', count: 0 }),
}

export const shipCrate = action({
  name: 'ship-crate',
  route: 'POST /v2/crates/:crate_id/shipments',
  about: 'Ships a crate.',
  area: 'crates',
  status: 201,
  callsOut: shipment,
  body: { type: 'shipment', fields: { note: text({ max: 100, about: 'For the carrier.' }) } },
  shows: {
    data: group({ tracking: optional(shown.text), count: optional(shown.integer) }, {}),
  },
  run: (ctx, { params, body }) =>
    callOut(
      ctx,
      shipment,
      async (inside) => {
        const { id } = await findByName(inside, crates, params.crate_id)
        return { id, note: body.note ?? '' }
      },
      (_inside, recorded) => json(201, { data: recorded }),
    ),
})
