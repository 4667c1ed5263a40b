import { instantOf } from '../../kernel/body/days.ts'
import { Problem } from '../../kernel/errors.ts'
import { field, integer } from '../../kernel/shape/fields.ts'

/** From when until when a promotion applies. The start is included, the end is not. */

const day = (about: string, example: string) =>
  field<string>({ type: 'string', format: 'day' }, { required: true, about, example })

const instant = integer({ hidden: true, readOnly: true })

export const periodFields = {
  start: day(
    'When the promotion starts: a day (midnight, UTC), or a day and a time. Responses show it as it was sent.',
    '2026-12-01',
  ),
  end: day('When the promotion ends, which is not included. Must be later than `start`.', '2027-01-06'),
  /** The same in milliseconds since the epoch. */
  starts_at_ms: instant,
  ends_at_ms: instant,
}

/** When a promotion starts or ends, as carts show it: always with a time of day. */
export const timestampOf = (day: string): string =>
  new Date(instantOf(day)).toISOString().replace('.000Z', 'Z')

interface Period {
  start: string
  end: string
  starts_at_ms: number | undefined
  ends_at_ms: number | undefined
}

/** Works out the instants, and refuses a period that ends before it starts. */
export function completePeriod(values: Period): void {
  values.starts_at_ms = instantOf(values.start)
  values.ends_at_ms = instantOf(values.end)
  if (values.starts_at_ms < values.ends_at_ms) return
  throw new Problem('unprocessable', `data.end must be later than data.start (${values.start}).`, {
    source: 'data.end',
  })
}
