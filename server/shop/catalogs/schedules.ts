import { instantOf } from '../../kernel/body/days.ts'
import { field, group, list, type Values } from '../../kernel/shape/fields.ts'

/** Schedules: from an instant (included) to another (not included). Either end may be open. */

const time = (about: string) =>
  field<string | null | undefined>({ type: 'string', format: 'day' }, { nullable: true, about })

const members = {
  valid_from: time('The first instant. Times without an offset are UTC.'),
  valid_to: time('The end, which is not included.'),
  // Some clients use these names.
  from: time('Read as valid_from.'),
  to: time('Read as valid_to.'),
}

type WrittenSchedule = Values<typeof members>

/** The times at which a rule is in force. */
export const schedulesField = (about: string) =>
  list(group(members, {}), { nullable: true, maxItems: 100, about })

/** Returns schedules in the form in which they are stored: in UTC, with milliseconds. */
export const normalizeSchedules = (sent: readonly WrittenSchedule[]): readonly WrittenSchedule[] =>
  sent.map(({ valid_from, valid_to, from, to }) => ({
    valid_from: inUtc(valid_from ?? from),
    valid_to: inUtc(valid_to ?? to),
    from: undefined,
    to: undefined,
  }))

const inUtc = (time: string | null | undefined): string | undefined =>
  time == null ? undefined : new Date(instantOf(time)).toISOString()

/** A schedule in milliseconds since the epoch. */
export interface ScheduleSpan {
  readonly fromMs: number
  readonly toMs: number
}

export const spanOf = ({ valid_from, valid_to }: WrittenSchedule): ScheduleSpan => ({
  fromMs: valid_from == null ? Number.NEGATIVE_INFINITY : instantOf(valid_from),
  toMs: valid_to == null ? Number.POSITIVE_INFINITY : instantOf(valid_to),
})

export const isIn = ({ fromMs, toMs }: ScheduleSpan, atMs: number): boolean => fromMs <= atMs && atMs < toMs

/** Whether two spans have an instant in common. */
export const overlap = (one: ScheduleSpan, other: ScheduleSpan): boolean =>
  Math.max(one.fromMs, other.fromMs) < Math.min(one.toMs, other.toMs)
